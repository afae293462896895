# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Batches that are made together or not at all."""

import threading

import grpc
import pytest
from finsy.proto import p4r, rpc_code
from mecn_switch import P4RuntimeServer

from . import program
from .client import BatchError, Client, update
from .entries import NET_10, action, classify, exact, lpm, route, ternary

INSERT, MODIFY, DELETE = p4r.Update.INSERT, p4r.Update.MODIFY, p4r.Update.DELETE
ROLLBACK, ATOMIC = p4r.WriteRequest.ROLLBACK_ON_ERROR, p4r.WriteRequest.DATAPLANE_ATOMIC
NET_11 = lpm(1, b"\x0b\x00\x00\x00", 8)
KIND_7 = exact(1, b"\x07")


@pytest.mark.parametrize("atomicity", [ROLLBACK, ATOMIC])
def test_all_or_none(
    client: Client, server: P4RuntimeServer, atomicity: p4r.WriteRequest.Atomicity.ValueType
) -> None:
    old = route(NET_10)
    old.metadata = b"mine"
    client.insert(old)
    server.switch.process(0, program.frame(addr=0x0A000001))
    query = p4r.TableEntry(counter_data=p4r.CounterData())
    before = client.entries(query)
    default = p4r.TableEntry(
        table_id=program.ROUTE, is_default_action=True, action=action(program.FORWARD, b"\x09")
    )
    batch = [
        update(DELETE, route(NET_10)),
        update(INSERT, route(NET_11)),
        update(MODIFY, default),
        update(INSERT, classify(KIND_7)),
    ]
    with pytest.raises(BatchError) as caught:
        client.write(*batch, update(INSERT, route(NET_11)), atomicity=atomicity)
    assert [error.canonical_code for error in caught.value.errors] == [rpc_code.ABORTED] * 4 + [
        rpc_code.ALREADY_EXISTS
    ]
    assert client.entries(query) == before
    with pytest.raises(BatchError) as caught:
        client.write(
            update(INSERT, classify(KIND_7, ternary(2, b"\x03", b"\x01"))),
            update(DELETE, old),
            p4r.Update(entity=p4r.Entity(table_entry=old)),
            p4r.Update(type=INSERT),
            atomicity=atomicity,
        )
    assert [error.canonical_code for error in caught.value.errors] == [
        rpc_code.INVALID_ARGUMENT,
        rpc_code.ABORTED,
        rpc_code.INVALID_ARGUMENT,
        rpc_code.INVALID_ARGUMENT,
    ]
    assert client.entries(query) == before
    [departure] = server.switch.process(0, program.frame(addr=0x0A000001))
    assert departure.port == 1

    client.write(*batch, atomicity=atomicity)
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == [route(NET_11)]
    [departure] = server.switch.process(0, program.frame(addr=0x0A000001))
    assert departure.port == 9


def test_later_updates_see_earlier_ones(client: Client) -> None:
    client.write(
        update(INSERT, route(NET_10)),
        update(MODIFY, route(NET_10, call=action(program.FORWARD, b"\x05"))),
        update(DELETE, route(NET_10)),
        update(INSERT, route(NET_10)),
        atomicity=ATOMIC,
    )
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == [route(NET_10)]


def test_other_entities_cannot_be_atomic(client: Client) -> None:
    counter = p4r.Entity(counter_entry=p4r.CounterEntry(counter_id=program.SEEN))
    with pytest.raises(grpc.RpcError) as caught:
        client.write(update(INSERT, route(NET_10)), p4r.Update(type=MODIFY, entity=counter), atomicity=ATOMIC)
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == []


def test_packets_see_all_of_a_batch_or_nothing(client: Client, server: P4RuntimeServer) -> None:
    """Two entries change hands in each batch: no packet may find both, neither, or one of each kind."""
    done = threading.Event()
    seen: set[tuple[int, ...]] = set()

    def traffic() -> None:
        while not done.is_set():
            departures = server.inject(0, program.frame(kind=7, addr=0x0A000001))
            seen.add(tuple(d.port * 256 + d.frame[7] for d in departures if d.frame is not None))

    def batch(number: int, old: int | None) -> list[p4r.Update]:
        value = bytes((number,))
        kind = MODIFY if old is not None else INSERT
        return [
            update(kind, route(NET_10, call=action(program.FORWARD, value))),
            update(kind, classify(KIND_7, call=action(program.SET_MARK, value))),
        ]

    client.write(*batch(1, None), atomicity=ATOMIC)
    sender = threading.Thread(target=traffic)
    sender.start()
    for number in range(100):
        client.write(*batch(1 + number % 2, 1), atomicity=ATOMIC)
    done.set()
    sender.join()
    assert seen <= {(0x101,), (0x202,)}
    assert len(seen) == 2
