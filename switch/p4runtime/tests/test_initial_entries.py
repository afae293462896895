# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Entries that a program begins with (sections 9.1.4 and 9.1.5): the program `initial`."""

from collections.abc import Iterator

import pytest
from finsy.proto import p4r, rpc_code
from mecn_switch import P4RuntimeServer

from .client import BatchError, Client
from .compiled import compiled
from .entries import range_, ternary

CONFIG = compiled("initial")
ID = {
    item.preamble.alias: item.preamble.id
    for kind in (CONFIG.p4info.tables, CONFIG.p4info.actions)
    for item in kind
}
INSERT, MODIFY, DELETE = p4r.Update.INSERT, p4r.Update.MODIFY, p4r.Update.DELETE


@pytest.fixture
def client(server: P4RuntimeServer) -> Iterator[Client]:
    with Client(server.address) as controller:
        controller.set_config(CONFIG)
        yield controller


def call(name: str, value: int) -> p4r.TableAction:
    params = [p4r.Action.Param(param_id=1, value=bytes([value]))]
    return p4r.TableAction(action=p4r.Action(action_id=ID[name], params=params))


def fixed(priority: int, port: int, *match: p4r.FieldMatch) -> p4r.TableEntry:
    return p4r.TableEntry(
        table_id=ID["fixed"], match=match, priority=priority, action=call("forward", port), is_const=True
    )


def opened(priority: int, low: int, high: int, value: int) -> p4r.TableEntry:
    return p4r.TableEntry(
        table_id=ID["open"],
        match=[range_(1, bytes([low]), bytes([high]))],
        priority=priority,
        action=call("mark", value),
    )


FIXED = [
    fixed(3, 1, ternary(1, b"\x10", b"\xff")),
    fixed(2, 2, ternary(1, b"\x10", b"\xf0")),
    fixed(1, 3),
]
"""As section 9.1.4 says of p4c: N for the first of N entries, 1 for the last."""

OPEN = [opened(20, 1, 5, 50), opened(10, 3, 9, 90)]
"""Section 9.1.5: initial entries have the priorities of the language, here those that are written."""


def sent(server: P4RuntimeServer, fixed_key: int, open_key: int) -> tuple[int, int]:
    """Port and mark of the packet that leaves."""
    [left] = server.inject(1, bytes((fixed_key, open_key)))
    assert left.frame is not None
    return left.port, left.frame[1]


def entries(client: Client, table: str) -> list[p4r.TableEntry]:
    found = client.entries(p4r.TableEntry(table_id=ID[table]))
    return sorted(found, key=lambda entry: -entry.priority)


def test_constant_entries(client: Client, server: P4RuntimeServer) -> None:
    assert entries(client, "fixed") == FIXED
    assert [sent(server, key, 0)[0] for key in (0x10, 0x11, 0x20)] == [1, 2, 3]
    for wanted in FIXED[:2]:
        query = p4r.TableEntry(table_id=ID["fixed"], match=wanted.match, priority=wanted.priority)
        assert client.entries(query) == [wanted]
    assert client.entries(p4r.TableEntry(table_id=ID["fixed"], priority=1)) == [FIXED[2]]


@pytest.mark.parametrize("kind", [INSERT, MODIFY, DELETE])
@pytest.mark.parametrize(
    ("flag", "code"), [(False, rpc_code.PERMISSION_DENIED), (True, rpc_code.INVALID_ARGUMENT)]
)
def test_constant_entries_stay(
    client: Client, kind: p4r.Update.Type.ValueType, flag: bool, code: int
) -> None:
    entry = p4r.TableEntry()
    entry.CopyFrom(FIXED[0])
    entry.is_const = flag
    with pytest.raises(BatchError) as caught:
        client.write(p4r.Update(type=kind, entity=p4r.Entity(table_entry=entry)))
    assert [error.canonical_code for error in caught.value.errors] == [code]
    assert entries(client, "fixed") == FIXED


def test_initial_entries_can_be_changed(client: Client, server: P4RuntimeServer) -> None:
    assert entries(client, "open") == OPEN
    assert [sent(server, 0, key)[1] for key in (1, 4, 7, 20)] == [50, 50, 90, 20]
    client.modify(opened(20, 1, 5, 51))
    client.insert(opened(30, 4, 4, 44))
    client.delete(OPEN[1])
    assert entries(client, "open") == [opened(30, 4, 4, 44), opened(20, 1, 5, 51)]
    assert [sent(server, 0, key)[1] for key in (1, 4, 7)] == [51, 44, 7]


def test_reconciling_keeps_what_was_made_of_them(client: Client) -> None:
    client.delete(OPEN[0])
    client.insert(opened(30, 4, 4, 44))
    before = entries(client, "open")
    client.set_config(CONFIG, p4r.SetForwardingPipelineConfigRequest.RECONCILE_AND_COMMIT)
    assert entries(client, "open") == before
    assert entries(client, "fixed") == FIXED
    client.set_config(CONFIG)
    assert entries(client, "open") == OPEN
