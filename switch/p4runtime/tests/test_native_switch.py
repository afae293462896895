# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn_native.Switch`: what crosses from Rust to Python and back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Literal, cast

import mecn_native
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mecn_native import ActionCall, MatchField, Switch, TableUpdate

from . import program

JSON = json.dumps(program.bmv2_json()).encode()
ROUTE = "Ingress.route"
NET_10 = [MatchField.Lpm(0x0A000000, 8)]


def forward(port: int) -> ActionCall:
    return ActionCall("Ingress.forward", [port])


def frame_to(addr: int = 0x0A000001) -> bytes:
    return program.frame(addr=addr)


@pytest.fixture
def switch() -> Switch:
    loaded = Switch.from_json(JSON)
    loaded.update(TableUpdate.Insert(ROUTE, NET_10, 0, forward(3)))
    return loaded


def test_introspection(switch: Switch) -> None:
    tables = {table.name: table for table in switch.tables()}
    classify = tables["Ingress.classify"]
    assert [(key.name, key.width, key.match) for key in classify.keys] == [
        ("kind", 8, "exact"),
        ("port", 16, "ternary"),
        ("mark", 8, "range"),
    ]
    assert [action.name for action in classify.actions] == ["Ingress.set_mark", "NoAction"]
    assert (classify.size, classify.has_direct_counter, tables[ROUTE].has_direct_counter) == (16, False, True)
    assert tables["Ingress.fixed"].const_entries
    assert tables["Ingress.always"].const_default_action
    counters = {counter.name: (counter.size, counter.table) for counter in switch.counters()}
    assert counters == {"Ingress.seen": (8, None), "Ingress.route_stats": (0, ROUTE)}
    [register] = switch.registers()
    assert (register.name, register.size, register.width) == ("Ingress.marks", 4, 96)
    assert {(action.name, tuple(param.width for param in action.params)) for action in switch.actions()} == {
        ("Ingress.forward", (9,)),
        ("Ingress.drop", ()),
        ("Ingress.set_mark", (8,)),
        ("NoAction", ()),
    }


def test_entries(switch: Switch) -> None:
    [entry] = switch.entries(ROUTE)
    assert (entry.match, entry.priority, entry.action, entry.is_const) == (NET_10, 0, forward(3), False)
    assert entry == switch.entry(ROUTE, NET_10, 0)
    switch.update(TableUpdate.Modify(ROUTE, NET_10, 0, forward(4)))
    assert switch.entry(ROUTE, NET_10, 0).action == forward(4)
    switch.update(TableUpdate.Delete(ROUTE, NET_10, 0))
    assert switch.entries(ROUTE) == []


def test_values_compare_and_hash() -> None:
    assert MatchField.Range(1, 2) == MatchField.Range(1, 2) != MatchField.Range(1, 3)
    assert MatchField.Exact(1) != MatchField.Optional(1)
    assert (
        len({MatchField.Any(), MatchField.Any(), MatchField.Exact(1 << 100), MatchField.Exact(1 << 100)}) == 2
    )
    assert forward(1) == forward(1) != forward(2)
    match MatchField.Ternary(1, 3):
        case MatchField.Ternary(value, mask):
            assert (value, mask) == (1, 3)


@given(st.integers(0, (1 << 96) - 1))
@settings(max_examples=50)
def test_wide_integers(value: int) -> None:
    switch = Switch.from_json(JSON)
    switch.register_write("Ingress.marks", 3, value)
    assert switch.register_read("Ingress.marks", 3) == value
    key = [MatchField.Exact(value << 32)]
    switch.update(TableUpdate.Insert("Ingress.wide", key, 0, ActionCall("Ingress.set_mark", [1])))
    assert switch.entries("Ingress.wide")[0].match == key


REFUSALS: dict[str, tuple[Callable[[Switch], object], type[Exception], str]] = {
    "unknown table": (lambda s: s.entries("nope"), mecn_native.NotFoundError, "there is no table `nope`"),
    "unknown counter": (lambda s: s.counter_read("nope", 0), mecn_native.NotFoundError, "no counter `nope`"),
    "unknown register": (
        lambda s: s.register_read("nope", 0),
        mecn_native.NotFoundError,
        "no register `nope`",
    ),
    "exists": (
        lambda s: s.update(TableUpdate.Insert(ROUTE, NET_10, 0, forward(3))),
        mecn_native.AlreadyExistsError,
        "exists",
    ),
    "not there": (
        lambda s: s.update(TableUpdate.Delete(ROUTE, [MatchField.Any()], 0)),
        mecn_native.NotFoundError,
        ROUTE,
    ),
    "other action": (
        lambda s: s.update(
            TableUpdate.Insert(ROUTE, [MatchField.Any()], 0, ActionCall("Ingress.set_mark", [1]))
        ),
        mecn_native.InvalidArgumentError,
        "table `Ingress.route` has no action `Ingress.set_mark`",
    ),
    "argument missing": (
        lambda s: s.update(TableUpdate.Insert(ROUTE, [MatchField.Any()], 0, ActionCall("Ingress.forward"))),
        mecn_native.InvalidArgumentError,
        "takes 1 parameter",
    ),
    "argument too wide": (
        lambda s: s.update(TableUpdate.Modify(ROUTE, NET_10, 0, forward(512))),
        mecn_native.ControlError,
        "9 bits",
    ),
    "key too short": (lambda s: s.entry(ROUTE, [], 0), mecn_native.InvalidArgumentError, ROUTE),
    "constant table": (
        lambda s: s.clear_entries("Ingress.fixed"),
        mecn_native.ConstantError,
        "the table's entries are constant",
    ),
    "constant default": (
        lambda s: s.update(TableUpdate.SetDefault("Ingress.always", ActionCall("Ingress.set_mark", [1]))),
        mecn_native.ConstantError,
        "default action is constant",
    ),
    "index": (lambda s: s.counter_read("Ingress.seen", 8), mecn_native.OutOfRangeError, "index 8"),
    "register too wide": (
        lambda s: s.register_write("Ingress.marks", 0, 1 << 96),
        mecn_native.InvalidArgumentError,
        "96 bits",
    ),
    "negative": (lambda s: s.register_write("Ingress.marks", 0, -1), ValueError, "-1 is negative"),
    "negative wide": (lambda s: s.register_write("Ingress.marks", 0, -(1 << 70)), ValueError, "is negative"),
    "not an integer": (lambda s: s.register_write("Ingress.marks", 0, cast("int", "1")), TypeError, ""),
    "rate 0": (lambda s: s.configure_port(1, rate_bps=0), ValueError, "port 1: "),
    "two rates": (lambda s: s.configure_port(1, rate_bps=1, rate_pps=1), ValueError, "not both"),
    "port number": (lambda s: s.configure_port(70000), OverflowError, ""),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_are_typed_and_change_nothing(switch: Switch, case: str) -> None:
    work, kind, words = REFUSALS[case]
    before = switch.entries(ROUTE)
    with pytest.raises(kind) as caught:
        work(switch)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert switch.entries(ROUTE) == before


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b'{"a": 1}', b"\xff", JSON[:-1]])
def test_other_files_are_refused_in_one_line(text: bytes) -> None:
    with pytest.raises(mecn_native.LoadError, match=r"^not a BMv2 JSON: .*$"):
        Switch.from_json(text)


def test_port_timing(switch: Switch) -> None:
    switch.configure_port(3, rate_bps=8_000, limit_packets=2)
    size = len(frame_to())
    outcomes = [switch.receive(0, frame_to(), 5, payload_len=1000 - size) for _ in range(4)]
    assert [(o.kind, o.port, o.depth_packets) for o in outcomes] == [
        ("enqueued", 3, 0),
        ("enqueued", 3, 1),
        ("tail_dropped", 3, 2),
        ("tail_dropped", 3, 2),
    ]
    assert switch.next_departure() == 5
    assert switch.depart(4) is None
    first = switch.depart(5)
    assert first is not None
    assert (first.start_ns, first.end_ns, first.enq_qdepth, first.deq_qdepth) == (5, 1_000_000_005, 0, 1)
    assert (first.frame, first.payload_len) == (frame_to(), 1000 - size)
    assert switch.next_departure() == 1_000_000_005
    second = switch.depart(1_000_000_005)
    assert second is not None
    assert (second.enq_ns, second.end_ns, second.deq_qdepth) == (5, 2_000_000_005, 0)
    assert switch.next_departure() is None
    stats = switch.port_stats(3)
    assert (stats.enqueued, stats.tail_drops, stats.sent, stats.sent_bytes) == (2, 2, 2, 2000)


def test_ingress_drop(switch: Switch) -> None:
    outcome = switch.receive(0, frame_to(0x0B000000), 0)
    assert (outcome.kind, outcome.reason, outcome.port) == ("dropped", "ingress", None)
    assert switch.process(0, frame_to(0x0B000000)) == []


def test_fork_keeps_entries_and_forgets_state(switch: Switch) -> None:
    switch.configure_port(3, rate_pps=1)
    switch.register_write("Ingress.marks", 0, 5)
    switch.receive(0, frame_to(), 0)
    fork = switch.fork(seed=2)
    assert fork.next_departure() is None
    assert fork.register_read("Ingress.marks", 0) == 0
    assert fork.entries(ROUTE)[0].packets == 0
    assert switch.entries(ROUTE)[0].packets == 1
    [departure] = fork.process(0, frame_to())
    assert departure.end_ns == 1_000_000_000
    fork.clear_entries(ROUTE)
    assert len(switch.entries(ROUTE)) == 1


@given(st.binary(max_size=60), st.integers(0, 65535))
@settings(max_examples=200)
def test_any_packet_is_processed(frame: bytes, port: int) -> None:
    SHARED.process(port, frame)


SHARED = Switch.from_json(JSON)


PRIORITIES = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> priority; bit<8> number; }
struct headers_t { h_t h; }
struct meta_t { }
parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start { packet.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply { std.egress_spec = 1; std.priority = (bit<3>)hdr.h.priority; }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


@pytest.mark.parametrize(("queues", "order"), [(1, [0, 3]), (2, [0, 1, 3]), (8, [0, 2, 1, 3])])
def test_priority_queues(tmp_path: Path, queues: int, order: list[int]) -> None:
    """The highest priority first; a priority without a queue is dropped, as in simple_switch."""
    source = tmp_path / "priorities.p4"
    source.write_text(PRIORITIES)
    pipeline = mecn_native.compile_p4(source).bmv2_json.encode()
    switch = mecn_native.Switch.from_json(pipeline, priority_queues=queues)
    switch.configure_port(1, rate_pps=1000)
    left = []
    for number, priority in enumerate((0, 1, 5, 0)):
        switch.receive(2, bytes((priority, number)), 1000)
        if number == 0:  # in service when the others come
            first = switch.depart(1000)
            assert first is not None
            assert first.frame is not None
            left.append(first.frame[1])
    while (due := switch.next_departure()) is not None:
        departure = switch.depart(due)
        if departure is not None and departure.frame is not None:
            left.append(departure.frame[1])
    assert left == order


@pytest.mark.parametrize("execution", ["auto", "compiled", "interpreted"])
def test_a_switch_runs_its_program_as_asked(execution: Literal["auto", "compiled", "interpreted"]) -> None:
    switch = Switch.from_json(JSON, execution=execution)
    switch.update(TableUpdate.Insert(ROUTE, NET_10, 0, forward(3)))
    assert switch.receive(1, frame_to(), 0).kind == "enqueued"
    assert switch.is_compiled == (execution == "compiled")


def test_an_unknown_execution_is_refused() -> None:
    with pytest.raises(ValueError, match="not `fast`"):
        Switch.from_json(JSON, execution="fast")  # type: ignore[arg-type]
