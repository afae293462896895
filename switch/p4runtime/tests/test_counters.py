# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Indexed and direct counters (section 9.3)."""

from finsy.proto import p4r
from mecn_switch import P4RuntimeServer

from . import program
from .client import Client
from .entries import NET_10, action, lpm, route

MODIFY = p4r.Update.MODIFY


def data(packets: int, octets: int) -> p4r.CounterData:
    return p4r.CounterData(packet_count=packets, byte_count=octets)


def cell(index: int | None, value: p4r.CounterData | None = None) -> p4r.Entity:
    entry = p4r.CounterEntry(counter_id=program.SEEN, data=value)
    if index is not None:
        entry.index.index = index
    return p4r.Entity(counter_entry=entry)


def set_to(client: Client, entity: p4r.Entity) -> None:
    client.write(p4r.Update(type=MODIFY, entity=entity))


def send(server: P4RuntimeServer, count: int) -> None:
    for _ in range(count):
        server.switch.process(0, program.frame(kind=0xF0, addr=0x0A000001))


def test_packets_are_counted(client: Client, server: P4RuntimeServer) -> None:
    client.insert(route(NET_10))
    send(server, 3)
    octets = 3 * len(program.frame())
    assert client.read(cell(6)) == [cell(6, data(3, octets))]
    cells = client.read(cell(None))
    assert cells == [cell(i, data(3, octets) if i == 6 else data(0, 0)) for i in range(8)]
    assert client.read(p4r.Entity(counter_entry=p4r.CounterEntry())) == cells


def test_write_one_cell_and_all_cells(client: Client) -> None:
    set_to(client, cell(2, data(5, 6)))
    assert [entity.counter_entry.data.packet_count for entity in client.read(cell(None))] == [
        0,
        0,
        5,
        0,
        0,
        0,
        0,
        0,
    ]
    set_to(client, cell(2))
    assert client.read(cell(2)) == [cell(2, data(5, 6))]
    set_to(client, cell(None, data(1, 2)))
    assert client.read(cell(None)) == [cell(i, data(1, 2)) for i in range(8)]


def direct(entry: p4r.TableEntry, value: p4r.CounterData | None = None) -> p4r.Entity:
    return p4r.Entity(direct_counter_entry=p4r.DirectCounterEntry(table_entry=entry, data=value))


def test_direct_counters(client: Client, server: P4RuntimeServer) -> None:
    hit, missed = route(NET_10), route(lpm(1, b"\x0b\x00\x00\x00", 8))
    client.insert(hit, missed)
    send(server, 2)
    octets = 2 * len(program.frame())
    assert client.read(direct(p4r.TableEntry(table_id=program.ROUTE, match=[NET_10]))) == [
        direct(hit, data(2, octets))
    ]
    both = [direct(hit, data(2, octets)), direct(missed, data(0, 0))]
    assert client.read(direct(p4r.TableEntry(table_id=program.ROUTE))) == both
    assert client.read(direct(p4r.TableEntry())) == both
    set_to(client, direct(missed, data(8, 9)))
    assert client.read(direct(missed)) == [direct(missed, data(8, 9))]
    set_to(client, direct(missed))
    assert client.read(direct(missed)) == [direct(missed, data(8, 9))]


def test_direct_counter_in_table_entry(client: Client) -> None:
    entry = route(NET_10)
    entry.counter_data.CopyFrom(data(4, 5))
    client.insert(entry)
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == [route(NET_10)]
    query = p4r.TableEntry(table_id=program.ROUTE, counter_data=p4r.CounterData())
    assert client.entries(query) == [entry]
    changed = route(NET_10, call=action(program.FORWARD, b"\x02"))
    client.modify(changed)
    changed.counter_data.CopyFrom(data(4, 5))
    assert client.entries(query) == [changed]
    changed.counter_data.CopyFrom(data(0, 0))
    client.modify(changed)
    assert client.entries(query) == [changed]


def test_counter_starts_at_zero_when_an_entry_comes_back(client: Client, server: P4RuntimeServer) -> None:
    client.insert(route(NET_10))
    send(server, 1)
    client.delete(route(NET_10))
    client.insert(route(NET_10))
    assert client.read(direct(route(NET_10))) == [direct(route(NET_10), data(0, 0))]
