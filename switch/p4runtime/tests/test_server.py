# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The server object in the process that uses it."""

import re
import threading

import pytest
from finsy.proto import p4r
from mecn_switch import P4RuntimeServer
from mecn_switch.listener import AddressError

from . import program
from .client import Client
from .entries import NET_10, action, lpm, route


def test_start_and_stop_many_times() -> None:
    server = P4RuntimeServer(address="127.0.0.1:0")
    server.stop()
    for election_id in range(3):
        server.start()
        with Client(server.address, election_id) as client:
            client.set_config(program.config())
        server.stop()
    assert len(server.switch.tables()) == 6


def test_starting_twice() -> None:
    with (
        P4RuntimeServer(address="127.0.0.1:0") as server,
        pytest.raises(RuntimeError, match="already running"),
    ):
        server.start()


def test_two_servers_cannot_share_a_port() -> None:
    with P4RuntimeServer(address="127.0.0.1:0") as first:
        second = P4RuntimeServer(address=first.address)
        with pytest.raises(AddressError, match=f"127.0.0.1:{first.port}"):
            second.start()


@pytest.mark.parametrize(
    "address", ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "localhost", "127.0.0.1:99999", ":1", "a:1"]
)
def test_only_loopback(address: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(address))):
        P4RuntimeServer(address=address)


def test_stop_ends_streams() -> None:
    server = P4RuntimeServer(address="127.0.0.1:0").start()
    with Client(server.address) as client:
        server.stop(grace_s=0.1)
        assert client.stream is not None
        client.stream.end()


def test_packets_and_requests_at_the_same_time(client: Client, server: P4RuntimeServer) -> None:
    """One thread sends packets while the controller writes; nothing is lost and nobody waits for ever."""
    client.insert(route(NET_10))
    switch = server.switch
    done = threading.Event()
    sent = 0

    def traffic() -> None:
        nonlocal sent
        while not done.is_set():
            sent += len(switch.process(0, program.frame(addr=0x0A000001)))

    thread = threading.Thread(target=traffic)
    thread.start()
    other = lpm(1, b"\x0b\x00\x00\x00", 8)
    for port in range(50):
        client.insert(route(other, call=action(program.FORWARD, bytes([port]))))
        client.delete(route(other))
    done.set()
    thread.join()
    query = p4r.TableEntry(table_id=program.ROUTE, counter_data=p4r.CounterData())
    [entry] = client.entries(query)
    assert entry.counter_data.packet_count == sent > 0
