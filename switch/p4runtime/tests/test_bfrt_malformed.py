# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""BF Runtime: entries that do not fit the tables that only Tofino has are refused, and change nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from finsy.proto import rpc_code
from hypothesis import given
from hypothesis import strategies as st
from mecn_switch.bfrt import messages

from .bfrt_client import BfrtTestClient, Refused, codes
from .fuzzing import arbitrary
from .fuzzing import messages as drawn
from .test_bfrt_tofino import lpf, running, wred

CODES = {
    rpc_code.INVALID_ARGUMENT,
    rpc_code.NOT_FOUND,
    rpc_code.OUT_OF_RANGE,
    rpc_code.ALREADY_EXISTS,
    rpc_code.RESOURCE_EXHAUSTED,
    rpc_code.UNIMPLEMENTED,
}
PORT_METADATA = "IngressParser.$PORT_METADATA"
AVERAGE = ("Ingress.average", {"$LPF_INDEX": 5}, lpf("RATE", 10.0, 20.0, 3), None)
DETECT = ("Ingress.detect", {"$WRED_INDEX": 5}, wred(10.0, 20, 30, 0.5), None)
PORT = (PORT_METADATA, {"ig_md.ingress_port": 5}, {"vrf": 7, "label": 8}, None)
SEEN = (
    "Ingress.seen", {"hdr.ethernet.src_addr": 5}, {"port": 1, "Ingress.last_seen.f1": 2}, "Ingress.note"
)  # fmt: skip
ENTRIES: dict[str, tuple[Any, ...]] = {
    "filters": (AVERAGE, DETECT),
    "value_set": (PORT,),
    "registers": (SEEN,),
}
"""Entries as they should be, by program: table, key, data, action."""


@pytest.fixture(scope="module", params=ENTRIES)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A client, and entries as they should be."""
    folder: Path = tmp_path_factory.mktemp("program")
    with running(request.param, folder) as tna:
        yield tna.client, ENTRIES[request.param]


def state(client: BfrtTestClient, entries: tuple[Any, ...]) -> list[Any]:
    """What is in the tables."""
    return [client.get(table) for table, *_ in entries]


def refusal(client: BfrtTestClient, update: Any, atomicity: str) -> Refused | None:  # noqa: ANN401
    """Why an update is refused."""
    try:
        client.write(update, atomicity=atomicity)
    except Refused as refused:
        return refused
    return None


def change_part(data: st.DataObject, entry: Any) -> None:  # noqa: ANN401
    """Changes one thing of a TableEntry."""
    ids = [f.field_id for f in (*entry.key.fields, *entry.data.fields)]
    fields, kind = data.draw(
        st.sampled_from([(entry.key.fields, messages.KeyField), (entry.data.fields, messages.DataField)])
    )
    match data.draw(
        st.sampled_from(("drop", "replace", "twice", "value", "table", "action", "key", "default"))
    ):
        case "drop" if fields:
            del fields[data.draw(st.integers(0, len(fields) - 1))]
        case "replace" if fields:
            place = data.draw(st.integers(0, len(fields) - 1))
            fields[place].CopyFrom(data.draw(drawn(kind, ids)))
        case "twice" if fields:
            fields.add().CopyFrom(fields[0])
        case "value" if entry.data.fields:
            field = data.draw(st.sampled_from(list(entry.data.fields)))
            changed = data.draw(drawn(messages.DataField, ids))
            changed.field_id = field.field_id
            field.CopyFrom(changed)
        case "table":
            entry.table_id = data.draw(st.integers(0, (1 << 32) - 1))
        case "action":
            entry.data.action_id = data.draw(st.integers(0, (1 << 32) - 1))
        case "key":
            entry.handle_id = data.draw(st.integers(0, 9))
        case "default":
            entry.is_default_entry = True


@arbitrary(150)
@given(data=st.data())
def test_what_is_refused_changes_nothing(program: Any, data: st.DataObject) -> None:  # noqa: ANN401
    client, entries = program
    before = state(client, entries)
    table, key, values, action = data.draw(st.sampled_from(entries))
    kind = data.draw(st.sampled_from(("INSERT", "MODIFY", "INSERT_OR_MODIFY", "DELETE")))
    update = client.update(kind, table, key, values if kind != "DELETE" else {}, action)
    for _ in range(data.draw(st.integers(1, 3))):
        change_part(data, update.entity.table_entry)
    atomicity = data.draw(st.sampled_from(("CONTINUE_ON_ERROR", "ROLLBACK_ON_ERROR")))
    refused = refusal(client, update, atomicity)
    after = state(client, entries)
    if refused is not None:
        # An exception in the server has no error for the part of the batch.
        assert len(codes(refused)) == 1, refused
        assert set(codes(refused)) <= CODES
        assert after == before


Change = Callable[[Any], object]
EVERY: dict[str, tuple[Change, int]] = {
    "a table that is not there": (lambda e: setattr(e, "table_id", 0x12345), rpc_code.NOT_FOUND),
    "a wide key": (lambda e: setattr(e.key.fields[0].exact, "value", b"\1" * 9), rpc_code.OUT_OF_RANGE),
    "an empty key": (lambda e: setattr(e.key.fields[0].exact, "value", b""), rpc_code.OUT_OF_RANGE),
    "a key of another kind": (
        lambda e: setattr(e.key.fields[0].ternary, "value", b"\1"), rpc_code.INVALID_ARGUMENT
    ),
    "a key field that is not there": (
        lambda e: setattr(e.key.fields[0], "field_id", 99), rpc_code.INVALID_ARGUMENT
    ),
    "no key": (lambda e: e.ClearField("key"), rpc_code.INVALID_ARGUMENT),
    "a handle that is not there": (lambda e: setattr(e, "handle_id", 77), rpc_code.NOT_FOUND),
    "an action that is not there": (lambda e: setattr(e.data, "action_id", 77), rpc_code.INVALID_ARGUMENT),
    "a data field that is not there": (
        lambda e: setattr(e.data.fields[0], "field_id", 99), rpc_code.INVALID_ARGUMENT
    ),
    "a data field twice": (lambda e: e.data.fields.append(e.data.fields[0]), rpc_code.INVALID_ARGUMENT),
    "a list": (lambda e: e.data.fields[0].int_arr_val.val.append(1), rpc_code.INVALID_ARGUMENT),
    "no value": (lambda e: e.data.fields[0].ClearField("value"), rpc_code.INVALID_ARGUMENT),
    "no data": (lambda e: e.data.ClearField("fields"), rpc_code.INVALID_ARGUMENT),
    "data that lack a field": (lambda e: e.data.fields.pop(0), rpc_code.INVALID_ARGUMENT),
}  # fmt: skip


@pytest.mark.parametrize("name", EVERY)
def test_an_entry_that_does_not_fit(program: Any, name: str) -> None:  # noqa: ANN401
    client, entries = program
    change, code = EVERY[name]
    for table, key, values, action in entries:
        client.write(client.update("DELETE", table))
        before = state(client, entries)
        update = client.update("INSERT", table, key, values, action)
        change(update.entity.table_entry)
        with pytest.raises(Refused) as refused:
            client.write(update)
        assert codes(refused.value) == [code]
        assert state(client, entries) == before


BAD_VALUES: list[tuple[dict[str, Any], int]] = [
    ({"$LPF_SPEC_TYPE": "MEAN"}, rpc_code.INVALID_ARGUMENT),
    ({"$LPF_SPEC_TYPE": 1}, rpc_code.INVALID_ARGUMENT),
    ({"$LPF_SPEC_GAIN_TIME_CONSTANT_NS": -1.0}, rpc_code.INVALID_ARGUMENT),
    ({"$LPF_SPEC_GAIN_TIME_CONSTANT_NS": float("nan")}, rpc_code.INVALID_ARGUMENT),
    ({"$LPF_SPEC_DECAY_TIME_CONSTANT_NS": float("inf")}, rpc_code.INVALID_ARGUMENT),
    ({"$LPF_SPEC_DECAY_TIME_CONSTANT_NS": 5}, rpc_code.INVALID_ARGUMENT),
    ({"$LPF_SPEC_OUT_SCALE_DOWN_FACTOR": 64}, rpc_code.INVALID_ARGUMENT),
    ({"$LPF_SPEC_OUT_SCALE_DOWN_FACTOR": 1 << 32}, rpc_code.OUT_OF_RANGE),
    ({"$WRED_SPEC_TIME_CONSTANT_NS": -1.0}, rpc_code.INVALID_ARGUMENT),
    ({"$WRED_SPEC_MIN_THRESH_CELLS": 31}, rpc_code.INVALID_ARGUMENT),
    ({"$WRED_SPEC_MAX_THRESH_CELLS": 19}, rpc_code.INVALID_ARGUMENT),
    ({"$WRED_SPEC_MAX_THRESH_CELLS": 1 << 32}, rpc_code.OUT_OF_RANGE),
    ({"$WRED_SPEC_MAX_PROBABILITY": 1.5}, rpc_code.INVALID_ARGUMENT),
    ({"$WRED_SPEC_MAX_PROBABILITY": "1"}, rpc_code.INVALID_ARGUMENT),
]


def test_values_that_are_no_filters(tmp_path: Path) -> None:
    with running("filters", tmp_path) as tna:
        client = tna.client
        for table, key, values, _ in ENTRIES["filters"]:
            client.write(client.update("INSERT", table, key, values))
        before = state(client, ENTRIES["filters"])
        for values, code in BAD_VALUES:
            table, key, *_ = AVERAGE if "LPF" in next(iter(values)) else DETECT
            with pytest.raises(Refused) as refused:
                client.write(client.update("MODIFY", table, key, values))
            assert codes(refused.value) == [code], values
        for table, index in (
            ("Ingress.average", {"$LPF_INDEX": 512}),
            ("Ingress.detect", {"$WRED_INDEX": 256}),
        ):
            with pytest.raises(Refused) as refused:
                client.get(table, index)
            assert codes(refused.value) == [rpc_code.INVALID_ARGUMENT]
        assert state(client, ENTRIES["filters"]) == before


def test_values_that_are_no_port_metadata(tmp_path: Path) -> None:
    with running("value_set", tmp_path) as tna:
        client, (table, key, values, _) = tna.client, PORT
        client.write(client.update("INSERT", table, key, values))
        for kind, port, changed, code in (
            ("INSERT", 5, {}, rpc_code.ALREADY_EXISTS),
            ("INSERT", 512, {}, rpc_code.OUT_OF_RANGE),
            ("MODIFY", 6, {}, rpc_code.NOT_FOUND),
            ("DELETE", 6, {}, rpc_code.NOT_FOUND),
            ("MODIFY", 5, {"vrf": 1 << 16}, rpc_code.OUT_OF_RANGE),
            ("MODIFY", 5, {"vrf": "7"}, rpc_code.INVALID_ARGUMENT),
        ):
            data = {} if kind == "DELETE" else {**values, **changed}
            with pytest.raises(Refused) as refused:
                client.write(client.update(kind, table, {"ig_md.ingress_port": port}, data))
            assert codes(refused.value) == [code]
        assert client.get(table) == [(key, values)]
        assert tna.server.switch.port_metadata(5) == b"\0\7\0\0\0\x08"
        assert tna.server.switch.port_metadata(6) is None
