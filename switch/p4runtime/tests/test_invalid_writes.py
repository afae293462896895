# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Requests that the specification says must be refused: one row each, with the code it demands."""

from collections.abc import Callable
from dataclasses import dataclass

import grpc
import pytest
from finsy.proto import p4d, p4r, rpc_code

from . import program
from .client import BatchError, Client
from .entries import (
    FORWARD_1,
    NET_10,
    SET_MARK_5,
    action,
    choose,
    classify,
    exact,
    lpm,
    optional,
    range_,
    route,
    ternary,
    wide,
)

INSERT, MODIFY, DELETE = p4r.Update.INSERT, p4r.Update.MODIFY, p4r.Update.DELETE
INVALID = rpc_code.INVALID_ARGUMENT
RANGE = rpc_code.OUT_OF_RANGE
DENIED = rpc_code.PERMISSION_DENIED
UNIMPLEMENTED = rpc_code.UNIMPLEMENTED
KIND_7 = exact(1, b"\x07")


@dataclass(frozen=True)
class Case:
    """An update, the canonical code of its refusal, and words that the message must have."""

    kind: p4r.Update.Type.ValueType
    entity: p4r.Entity
    code: int
    words: str


def table(kind: p4r.Update.Type.ValueType, entry: p4r.TableEntry, code: int, words: str) -> Case:
    return Case(kind, p4r.Entity(table_entry=entry), code, words)


def default(table_id: int, call: p4r.TableAction | None = None, *, priority: int = 0) -> p4r.TableEntry:
    return p4r.TableEntry(table_id=table_id, is_default_action=True, action=call, priority=priority)


def changed(entry: p4r.TableEntry, change: Callable[[p4r.TableEntry], object]) -> p4r.TableEntry:
    change(entry)
    return entry


def register(
    kind: p4r.Update.Type.ValueType,
    code: int,
    words: str,
    *,
    register_id: int = program.MARKS,
    index: int = 0,
    bits: bytes | None = None,
) -> Case:
    entry = p4r.RegisterEntry(register_id=register_id, index=p4r.Index(index=index))
    if bits is not None:
        entry.data.bitstring = bits
    return Case(kind, p4r.Entity(register_entry=entry), code, words)


def duplicate_param() -> p4r.TableAction:
    call = action(program.FORWARD, b"\x01")
    call.action.params.add(param_id=1, value=b"\x02")
    return call


def unknown_param() -> p4r.TableAction:
    call = action(program.FORWARD, b"\x01")
    call.action.params.add(param_id=9, value=b"\x02")
    return call


CASES = {
    # Match fields (9.1.1)
    "unknown table": table(INSERT, p4r.TableEntry(table_id=0x02777777), INVALID, "no table has id 0x2777777"),
    "no table": table(INSERT, p4r.TableEntry(), INVALID, "no table has id 0x0"),
    "unknown field": table(
        INSERT, route(lpm(2, b"\x0a\x00\x00\x00", 8)), INVALID, "Ingress.route has no match field with id 2"
    ),
    "field twice": table(INSERT, route(NET_10, NET_10), INVALID, "field id 1 is given twice"),
    "field without match": table(
        INSERT, route(p4r.FieldMatch(field_id=1)), INVALID, "the field is lpm, the request has no match"
    ),
    "other kind": table(
        INSERT,
        route(exact(1, b"\x0a")),
        INVALID,
        "match field addr of table Ingress.route: the field is lpm, the request has exact",
    ),
    "exact missing": table(
        INSERT, classify(), INVALID, "match field kind of table Ingress.classify: a value is required"
    ),
    "exact too wide": table(
        INSERT,
        classify(exact(1, b"\x01\x00")),
        RANGE,
        "kind of table Ingress.classify: 0x100 does not fit bit<8>",
    ),
    "exact empty": table(INSERT, classify(exact(1, b"")), RANGE, "the value is an empty string"),
    "wide too wide": table(INSERT, wide(exact(1, b"\x01" + bytes(16))), RANGE, "does not fit bit<128>"),
    "lpm of length 0": table(INSERT, route(lpm(1, b"\x00", 0)), INVALID, "must be omitted"),
    "lpm too long": table(INSERT, route(lpm(1, b"\x00", 33)), INVALID, "prefix length 33 is not in 1..32"),
    "lpm negative": table(INSERT, route(lpm(1, b"\x00", -1)), INVALID, "prefix length -1 is not in 1..32"),
    "lpm host bits": table(
        INSERT, route(lpm(1, b"\x0a\x00\x00\x01", 8)), INVALID, "bits set beyond its prefix"
    ),
    "lpm too wide": table(INSERT, route(lpm(1, b"\x01\x00\x00\x00\x00", 8)), RANGE, "does not fit bit<32>"),
    "ternary mask 0": table(
        INSERT, classify(KIND_7, ternary(2, b"\x00", b"\x00")), INVALID, "must be omitted"
    ),
    "ternary masked bits": table(
        INSERT, classify(KIND_7, ternary(2, b"\x03", b"\x01")), INVALID, "its mask 0x1 ignores"
    ),
    "ternary mask too wide": table(
        INSERT, classify(KIND_7, ternary(2, b"\x00", b"\x01\x00\x00")), RANGE, "mask of match field port"
    ),
    "ternary without mask": table(
        INSERT, classify(KIND_7, ternary(2, b"\x01", b"")), RANGE, "mask of match field port"
    ),
    "range backwards": table(
        INSERT, classify(KIND_7, range_(3, b"\x05", b"\x04")), INVALID, "above its high end"
    ),
    "range of everything": table(
        INSERT, classify(KIND_7, range_(3, b"\x00", b"\xff")), INVALID, "must be omitted"
    ),
    "range too wide": table(
        INSERT, classify(KIND_7, range_(3, b"\x00", b"\x01\x00")), RANGE, "high end of match field"
    ),
    "optional too wide": table(INSERT, choose(optional(1, b"\x01\x00")), RANGE, "does not fit bit<8>"),
    # Priority
    "priority missing": table(INSERT, choose(priority=0), INVALID, "needs a priority greater than 0"),
    "priority negative": table(INSERT, choose(priority=-1), INVALID, "needs a priority greater than 0"),
    "priority where none is": table(
        INSERT,
        changed(route(NET_10), lambda e: e.MergeFrom(p4r.TableEntry(priority=1))),
        INVALID,
        "priority 1 is given",
    ),
    # Actions (9.1.2)
    "no action": table(
        INSERT, route(NET_10, call=None), INVALID, "Ingress.route: an entry to insert needs an action"
    ),
    "unknown action": table(
        INSERT,
        route(NET_10, call=action(0x01777777)),
        INVALID,
        "Ingress.route has no action with id 0x1777777",
    ),
    "action of another table": table(
        INSERT, route(NET_10, call=SET_MARK_5), INVALID, "Ingress.route has no action"
    ),
    "defaultonly action in an entry": table(
        INSERT,
        classify(KIND_7, call=action(program.NO_ACTION)),
        DENIED,
        "NoAction is allowed as default action only",
    ),
    "tableonly action as default": table(
        MODIFY,
        default(program.CHOOSE, SET_MARK_5),
        DENIED,
        "Ingress.set_mark is not allowed as default action",
    ),
    "action profile member": table(
        INSERT,
        route(NET_10, call=p4r.TableAction(action_profile_member_id=1)),
        INVALID,
        "must be a single action",
    ),
    "parameter missing": table(
        INSERT,
        route(NET_10, call=action(program.FORWARD)),
        INVALID,
        "Ingress.forward: parameter port is missing",
    ),
    "parameter twice": table(
        INSERT, route(NET_10, call=duplicate_param()), INVALID, "parameter id 1 is given twice"
    ),
    "parameter unknown": table(
        INSERT, route(NET_10, call=unknown_param()), INVALID, "has no parameter with id 9"
    ),
    "parameter too wide": table(
        INSERT,
        route(NET_10, call=action(program.FORWARD, b"\x02\x00")),
        RANGE,
        "parameter port of action Ingress.forward: 0x200 does not fit bit<9>",
    ),
    "parameter empty": table(INSERT, route(NET_10, call=action(program.FORWARD, b"")), RANGE, "empty string"),
    # Existence
    "insert twice": table(INSERT, classify(KIND_7), rpc_code.ALREADY_EXISTS, "Ingress.classify"),
    "modify what is not there": table(MODIFY, route(NET_10), rpc_code.NOT_FOUND, "Ingress.route"),
    "delete what is not there": table(DELETE, route(NET_10), rpc_code.NOT_FOUND, "Ingress.route"),
    "no update type": table(p4r.Update.UNSPECIFIED, route(NET_10), INVALID, "no type"),
    # Constant and keyless tables (9.1.3, 9.1.4)
    "insert into constant table": table(
        INSERT,
        p4r.TableEntry(table_id=program.FIXED, match=[KIND_7], action=SET_MARK_5),
        DENIED,
        "Ingress.fixed",
    ),
    "modify constant entry": table(
        MODIFY,
        p4r.TableEntry(table_id=program.FIXED, match=[exact(1, b"\xf0")], action=SET_MARK_5),
        DENIED,
        "Ingress.fixed",
    ),
    "delete constant entry": table(
        DELETE, p4r.TableEntry(table_id=program.FIXED, match=[exact(1, b"\xf0")]), DENIED, "Ingress.fixed"
    ),
    "insert into keyless table": table(
        INSERT, p4r.TableEntry(table_id=program.ALWAYS, action=SET_MARK_5), INVALID, "Ingress.always"
    ),
    "constant flag on delete": table(
        DELETE,
        changed(route(NET_10), lambda e: e.MergeFrom(p4r.TableEntry(is_const=True))),
        INVALID,
        "is_const",
    ),
    "constant flag": table(
        INSERT,
        changed(route(NET_10), lambda e: e.MergeFrom(p4r.TableEntry(is_const=True))),
        INVALID,
        "is_const",
    ),
    # Default entries (9.1.3)
    "insert default": table(INSERT, default(program.ROUTE, FORWARD_1), INVALID, "can only be modified"),
    "delete default": table(DELETE, default(program.ROUTE), INVALID, "can only be modified"),
    "default with priority": table(MODIFY, default(program.ROUTE, FORWARD_1, priority=1), INVALID, "neither"),
    "default with match": table(
        MODIFY,
        p4r.TableEntry(table_id=program.ROUTE, is_default_action=True, match=[NET_10], action=FORWARD_1),
        INVALID,
        "neither match nor priority",
    ),
    "constant default": table(MODIFY, default(program.ALWAYS, SET_MARK_5), DENIED, "Ingress.always"),
    "reset of constant default": table(MODIFY, default(program.ALWAYS), DENIED, "Ingress.always"),
    # Direct resources and idle timeout
    "counter data without counter": table(
        INSERT,
        changed(choose(), lambda e: e.counter_data.SetInParent()),
        INVALID,
        "Ingress.choose has no direct counter",
    ),
    "negative counter data": table(
        INSERT,
        changed(route(NET_10), lambda e: e.counter_data.MergeFrom(p4r.CounterData(packet_count=-1))),
        INVALID,
        "cannot be negative",
    ),
    "idle timeout": table(
        INSERT,
        changed(route(NET_10), lambda e: e.MergeFrom(p4r.TableEntry(idle_timeout_ns=1))),
        INVALID,
        "Ingress.route has no idle timeout",
    ),
    "direct meter": table(
        INSERT, changed(route(NET_10), lambda e: e.meter_config.SetInParent()), INVALID, "no direct meter"
    ),
    "insert direct counter": Case(
        INSERT,
        p4r.Entity(direct_counter_entry=p4r.DirectCounterEntry(table_entry=route(NET_10))),
        INVALID,
        "can only be modified",
    ),
    "direct counter of no entry": Case(
        MODIFY,
        p4r.Entity(direct_counter_entry=p4r.DirectCounterEntry(table_entry=route(NET_10))),
        rpc_code.NOT_FOUND,
        "Ingress.route",
    ),
    "direct counter of a table without": Case(
        MODIFY,
        p4r.Entity(direct_counter_entry=p4r.DirectCounterEntry(table_entry=classify(KIND_7))),
        INVALID,
        "Ingress.classify has no direct counter",
    ),
    # Counters (9.3)
    "insert counter": Case(
        INSERT,
        p4r.Entity(counter_entry=p4r.CounterEntry(counter_id=program.SEEN)),
        INVALID,
        "can only be modified",
    ),
    "unknown counter": Case(
        MODIFY, p4r.Entity(counter_entry=p4r.CounterEntry(counter_id=5)), INVALID, "no counter has id 0x5"
    ),
    "counter index": Case(
        MODIFY,
        p4r.Entity(counter_entry=p4r.CounterEntry(counter_id=program.SEEN, index=p4r.Index(index=8))),
        RANGE,
        "Ingress.seen: index 8",
    ),
    "counter index negative": Case(
        MODIFY,
        p4r.Entity(counter_entry=p4r.CounterEntry(counter_id=program.SEEN, index=p4r.Index(index=-1))),
        INVALID,
        "Ingress.seen: index -1 is negative",
    ),
    "counter negative": Case(
        MODIFY,
        p4r.Entity(
            counter_entry=p4r.CounterEntry(counter_id=program.SEEN, data=p4r.CounterData(byte_count=-1))
        ),
        INVALID,
        "Ingress.seen: a counter cannot be negative",
    ),
    # Registers (9.9)
    "register insert": register(INSERT, INVALID, "can only be modified", bits=b"\x01"),
    "register delete": register(DELETE, INVALID, "can only be modified", bits=b"\x01"),
    "unknown register": register(MODIFY, INVALID, "no register has id 0x16000099", register_id=0x16000099),
    "register negative index": register(MODIFY, INVALID, "index -1 is negative", index=-1, bits=b"\x01"),
    "register index": register(MODIFY, RANGE, "index 4 is not less than its size 4", index=4, bits=b"\x01"),
    "register without data": register(MODIFY, INVALID, "has no data"),
    "register too wide": register(MODIFY, RANGE, "does not fit bit<96>", bits=b"\x01" + bytes(12)),
    "register of other type": Case(
        MODIFY,
        p4r.Entity(register_entry=p4r.RegisterEntry(register_id=program.MARKS, data=p4d.P4Data(bool=True))),
        INVALID,
        "the value must be a bitstring, not bool",
    ),
    # Objects that the program does not have
    "empty entity": Case(INSERT, p4r.Entity(), INVALID, "empty entity"),
    "meter": Case(MODIFY, p4r.Entity(meter_entry=p4r.MeterEntry()), INVALID, "no meter has id 0x0"),
    "digest": Case(INSERT, p4r.Entity(digest_entry=p4r.DigestEntry()), INVALID, "no digest has id 0x0"),
    "replication": Case(
        INSERT,
        p4r.Entity(packet_replication_engine_entry=p4r.PacketReplicationEngineEntry()),
        INVALID,
        "neither a multicast group nor a clone session",
    ),
    "value set": Case(
        MODIFY, p4r.Entity(value_set_entry=p4r.ValueSetEntry()), INVALID, "no value set has id 0x0"
    ),
    "member": Case(
        INSERT,
        p4r.Entity(action_profile_member=p4r.ActionProfileMember()),
        INVALID,
        "no action profile has id 0x0",
    ),
    "extern": Case(INSERT, p4r.Entity(extern_entry=p4r.ExternEntry()), UNIMPLEMENTED, "externs"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(client: Client, case: str) -> None:
    client.insert(classify(KIND_7))
    everything = p4r.Entity(table_entry=p4r.TableEntry()), p4r.Entity(counter_entry=p4r.CounterEntry())
    before = client.read(*everything)
    bad = CASES[case]
    with pytest.raises(BatchError) as caught:
        client.write(p4r.Update(type=bad.kind, entity=bad.entity))
    [error] = caught.value.errors
    assert error.canonical_code == bad.code, error.message
    assert bad.words in error.message
    assert "\n" not in error.message
    assert client.read(*everything) == before


BAD_READS = {
    "empty entity": (p4r.Entity(), INVALID, "empty entity"),
    "unknown table": (p4r.Entity(table_entry=p4r.TableEntry(table_id=5)), INVALID, "no table has id 0x5"),
    "match without table": (
        p4r.Entity(table_entry=p4r.TableEntry(match=[NET_10])),
        INVALID,
        "without a table id",
    ),
    "priority without table": (
        p4r.Entity(table_entry=p4r.TableEntry(priority=1)),
        INVALID,
        "takes no other filter",
    ),
    "metadata without table": (
        p4r.Entity(table_entry=p4r.TableEntry(metadata=b"x")),
        INVALID,
        "takes no other filter",
    ),
    "bad match": (
        p4r.Entity(table_entry=p4r.TableEntry(table_id=program.ROUTE, match=[exact(1, b"\x01")])),
        INVALID,
        "Ingress.route",
    ),
    "default with match": (
        p4r.Entity(
            table_entry=p4r.TableEntry(table_id=program.ROUTE, match=[NET_10], is_default_action=True)
        ),
        INVALID,
        "Ingress.route",
    ),
    "counter index": (
        p4r.Entity(counter_entry=p4r.CounterEntry(counter_id=program.SEEN, index=p4r.Index(index=99))),
        RANGE,
        "Ingress.seen",
    ),
    "index without counter": (
        p4r.Entity(counter_entry=p4r.CounterEntry(index=p4r.Index())),
        INVALID,
        "counter id",
    ),
    "unknown register": (
        p4r.Entity(register_entry=p4r.RegisterEntry(register_id=0x16000099)),
        INVALID,
        "no register has id 0x16000099",
    ),
    "register index": (
        p4r.Entity(register_entry=p4r.RegisterEntry(register_id=program.MARKS, index=p4r.Index(index=4))),
        RANGE,
        "Ingress.marks: index 4 is not less than its size 4",
    ),
    "index without register": (
        p4r.Entity(register_entry=p4r.RegisterEntry(index=p4r.Index())),
        INVALID,
        "register id",
    ),
}


@pytest.mark.parametrize("case", BAD_READS)
def test_refused_read(client: Client, case: str) -> None:
    query, code, words = BAD_READS[case]
    with pytest.raises(BatchError) as caught:
        client.read(p4r.Entity(table_entry=p4r.TableEntry()), query)
    assert [error.canonical_code for error in caught.value.errors] == [rpc_code.OK, code]
    assert words in caught.value.errors[1].message


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"device_id": 2}, grpc.StatusCode.NOT_FOUND),
        ({"device_id": 0}, grpc.StatusCode.NOT_FOUND),
        ({"election_id": p4r.Uint128(low=2)}, grpc.StatusCode.PERMISSION_DENIED),
        ({"election_id": None}, grpc.StatusCode.PERMISSION_DENIED),
        ({"role": "telemetry"}, grpc.StatusCode.NOT_FOUND),
        ({"atomicity": 9}, grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
def test_refused_request(client: Client, change: dict[str, object], code: grpc.StatusCode) -> None:
    update = p4r.Update(type=INSERT, entity=p4r.Entity(table_entry=route(NET_10)))
    fields: dict[str, object] = {"device_id": 1, "election_id": p4r.Uint128(low=1), "updates": [update]}
    request = p4r.WriteRequest(**(fields | change))  # type: ignore[arg-type]
    with pytest.raises(grpc.RpcError) as caught:
        client.stub.Write(request)
    assert caught.value.code() == code
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == []


def test_backups_may_not_write(client: Client) -> None:
    client.election_id = None
    with pytest.raises(grpc.RpcError) as caught:
        client.insert(route(NET_10))
    assert caught.value.code() == grpc.StatusCode.PERMISSION_DENIED
