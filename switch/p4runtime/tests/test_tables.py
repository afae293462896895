# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Table entries: write, read back, take effect on packets (section 9.1)."""

import pytest
from finsy.proto import p4r, rpc_code
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mecn_switch import P4RuntimeServer, bytestring

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

ROUND_TRIPS = {
    "lpm": route(NET_10),
    "lpm, host": route(lpm(1, b"\x0a\x00\x00\x01", 32)),
    "lpm, anything": route(),
    "exact, ternary, range": classify(
        exact(1, b"\x07"), ternary(2, b"\x12\x00", b"\xff\x00"), range_(3, b"\x05", b"\x09")
    ),
    "exact only": classify(exact(1, b"\x00")),
    "range to the top": classify(exact(1, b"\x07"), range_(3, b"\x01", b"\xff"), priority=2147483647),
    "range of one value": classify(exact(1, b"\x07"), range_(3, b"\x05", b"\x05"), priority=1),
    "optional": choose(optional(1, b"\x07")),
    "optional, anything": choose(),
    "wide": wide(exact(1, bytes(range(1, 17)))),
    "no parameters": route(NET_10, call=action(program.DROP)),
}


@pytest.mark.parametrize("case", ROUND_TRIPS)
def test_round_trip(client: Client, case: str) -> None:
    entry = ROUND_TRIPS[case]
    client.insert(entry)
    query = p4r.TableEntry(table_id=entry.table_id)
    assert client.entries(query) == [entry]
    query = p4r.TableEntry(table_id=entry.table_id, match=entry.match, priority=entry.priority)
    assert client.entries(query) == [entry]
    client.delete(p4r.TableEntry(table_id=entry.table_id, match=entry.match, priority=entry.priority))
    assert client.entries(query) == []


@given(
    kind=st.integers(0, 255),
    port=st.tuples(st.integers(0, 65535), st.integers(1, 65535)),
    bounds=st.tuples(st.integers(0, 255), st.integers(0, 255)).map(sorted).filter(lambda b: b != [0, 255]),
    priority=st.integers(1, 2**31 - 1),
    mark=st.integers(0, 255),
)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_entry_round_trips(
    client: Client, kind: int, port: tuple[int, int], bounds: list[int], priority: int, mark: int
) -> None:
    entry = classify(
        exact(1, bytestring.encode(kind)),
        ternary(2, bytestring.encode(port[0] & port[1]), bytestring.encode(port[1])),
        range_(3, bytestring.encode(bounds[0]), bytestring.encode(bounds[1])),
        priority=priority,
        call=action(program.SET_MARK, bytestring.encode(mark)),
    )
    client.insert(entry)
    assert client.entries(p4r.TableEntry(table_id=program.CLASSIFY)) == [entry]
    client.delete(entry)


def test_values_with_leading_zeros_are_accepted_and_read_back_short(client: Client) -> None:
    client.insert(
        route(lpm(1, b"\x00\x00\x0a\x00\x00\x00", 8), call=action(program.FORWARD, b"\x00\x00\x01"))
    )
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == [route(NET_10)]


def test_fields_read_back_in_order_of_id(client: Client) -> None:
    fields = [exact(1, b"\x07"), ternary(2, b"\x01", b"\xff"), range_(3, b"\x05", b"\x09")]
    client.insert(classify(*reversed(fields)))
    assert client.entries(p4r.TableEntry(table_id=program.CLASSIFY)) == [classify(*fields)]


def test_entries_act_on_packets(client: Client, server: P4RuntimeServer) -> None:
    client.insert(
        route(NET_10, call=action(program.FORWARD, b"\x03")),
        route(lpm(1, b"\x0a\x01\x00\x00", 16), call=action(program.FORWARD, b"\x04")),
        classify(
            exact(1, b"\x07"), range_(3, b"\x05", b"\x09"), priority=1, call=action(program.SET_MARK, b"\x02")
        ),
        classify(
            exact(1, b"\x07"),
            ternary(2, b"\x50", b"\xf0"),
            priority=2,
            call=action(program.SET_MARK, b"\x03"),
        ),
    )
    switch = server.switch.fork(seed=1)

    def marked(addr: int, **fields: int) -> tuple[int, int]:
        [departure] = switch.process(0, program.frame(kind=7, addr=addr, **fields))
        assert departure.frame is not None
        return departure.port, departure.frame[7]

    assert marked(0x0A000001, mark=5) == (3, 2)
    assert marked(0x0A010001, mark=4) == (4, 4)
    assert marked(0x0A010001, mark=5, port=0x155) == (4, 3)
    assert switch.process(0, program.frame(addr=0x0B000001)) == []


def test_modify(client: Client) -> None:
    client.insert(route(NET_10))
    changed = route(NET_10, call=action(program.FORWARD, b"\x02"))
    client.modify(changed)
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == [changed]
    client.modify(route(NET_10, call=None))
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == [changed]


def test_cookies_stay_with_the_entry(client: Client) -> None:
    entry = route(NET_10)
    entry.metadata = b"who"
    entry.controller_metadata = 77
    client.insert(entry, route(lpm(1, b"\x0b\x00\x00\x00", 8)))
    table = program.ROUTE
    assert client.entries(p4r.TableEntry(table_id=table, metadata=b"who")) == [entry]
    assert client.entries(p4r.TableEntry(table_id=table, controller_metadata=77)) == [entry]
    assert client.entries(p4r.TableEntry(table_id=table, metadata=b"other")) == []
    client.delete(entry)
    client.insert(route(NET_10))
    assert client.entries(p4r.TableEntry(table_id=table, match=[NET_10])) == [route(NET_10)]


def test_same_match_with_other_priority_is_another_entry(client: Client) -> None:
    low, high = choose(optional(1, b"\x07"), priority=1), choose(optional(1, b"\x07"), priority=2)
    client.insert(low, high)
    query = p4r.TableEntry(table_id=program.CHOOSE, match=low.match)
    assert client.entries(query) == [low, high]
    query.priority = 2
    assert client.entries(query) == [high]


def test_wildcards(client: Client) -> None:
    drop = route(lpm(1, b"\x0b\x00\x00\x00", 8), call=action(program.DROP))
    client.insert(route(NET_10), drop, choose(priority=3))
    ids = [entry.table_id for entry in client.entries(p4r.TableEntry())]
    assert ids == [program.ROUTE, program.ROUTE, program.CHOOSE, program.FIXED, program.FIXED]
    only = action(program.DROP)
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE, action=only)) == [drop]


def test_constant_entries_are_read(client: Client) -> None:
    entries = client.entries(p4r.TableEntry(table_id=program.FIXED))
    assert [(entry.match[0].exact.value, entry.is_const) for entry in entries] == [
        (b"\xf0", True),
        (b"\xf1", True),
    ]
    assert entries[0].action == action(program.SET_MARK, b"\x06")


def test_default_entry(client: Client, server: P4RuntimeServer) -> None:
    query = p4r.TableEntry(table_id=program.ROUTE, is_default_action=True)
    initial = p4r.TableEntry(table_id=program.ROUTE, is_default_action=True, action=action(program.DROP))
    assert client.entries(query) == [initial]
    changed = p4r.TableEntry(
        table_id=program.ROUTE, is_default_action=True, action=action(program.FORWARD, b"\x06"), metadata=b"m"
    )
    client.modify(changed)
    assert client.entries(query) == [changed]
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == []
    [departure] = server.switch.fork(1).process(0, program.frame())
    assert departure.port == 6
    client.modify(p4r.TableEntry(table_id=program.ROUTE, is_default_action=True))
    assert client.entries(query) == [initial]


def test_the_first_line_of_an_error_says_what_failed(client: Client) -> None:
    """Many clients show nothing else."""
    with pytest.raises(BatchError) as caught:
        client.insert(choose(priority=0))
    [error] = caught.value.errors
    assert caught.value.summary == f"INVALID_ARGUMENT: {error.message}"
    with pytest.raises(BatchError) as caught:
        client.entries(p4r.TableEntry(table_id=0x02999999))
    assert caught.value.summary == "INVALID_ARGUMENT: no table has id 0x2999999"


def test_failed_updates_do_not_stop_a_batch(client: Client) -> None:
    with pytest.raises(BatchError) as caught:
        client.insert(route(NET_10), route(NET_10), route(), choose(priority=0))
    assert [error.canonical_code for error in caught.value.errors] == [
        rpc_code.OK,
        rpc_code.ALREADY_EXISTS,
        rpc_code.OK,
        rpc_code.INVALID_ARGUMENT,
    ]
    assert all(error.space == "mecn-switch" for error in caught.value.errors if error.canonical_code)
    assert caught.value.summary == (
        "ALREADY_EXISTS: table Ingress.route: an entry with this match key exists "
        "(part 2; 2 of 4 parts of the request failed)"
    )
    assert len(client.entries(p4r.TableEntry(table_id=program.ROUTE))) == 2


def test_full_table(client: Client) -> None:
    routes = [route(lpm(1, bytes([10 + i, 0, 0, 0]), 8), call=FORWARD_1) for i in range(4)]
    client.insert(*routes)
    with pytest.raises(BatchError) as caught:
        client.insert(route())
    [error] = caught.value.errors
    assert error.canonical_code == rpc_code.RESOURCE_EXHAUSTED
    assert "Ingress.route" in error.message
    client.delete(routes[0])
    client.insert(route())


def test_large_tables_are_read_in_parts(client: Client) -> None:
    cells = client.read(*(p4r.Entity(counter_entry=p4r.CounterEntry()) for _ in range(200)))
    assert len(cells) == 200 * 8


def test_delete_ignores_everything_but_the_key(client: Client) -> None:
    client.insert(route(NET_10))
    entry = route(NET_10, call=SET_MARK_5)
    entry.idle_timeout_ns = 5
    client.delete(entry)
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == []
