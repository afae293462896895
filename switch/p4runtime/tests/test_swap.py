# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Pipelines are swapped under traffic: each packet sees the old or the new one, and none is lost."""

import threading

from mecn_switch import LocalDataplane, P4RuntimeServer

from .client import Client
from .test_packet_io import cpu_config

SWAPS = 20


def test_swap_under_traffic() -> None:
    """The two programs send a packet to port 1 or 2; a loss, a copy or any other port would show."""
    left: list[int] = []
    wrong: list[object] = []
    swapped = threading.Event()

    def traffic(server: P4RuntimeServer) -> None:
        while not swapped.is_set():
            departures = server.inject(9, b"\0packet")
            if len(departures) != 1 or departures[0].frame != b"\0packet":
                wrong.append(departures)
            else:
                left.append(departures[0].port)

    with P4RuntimeServer(address="127.0.0.1:0") as server, Client(server.address) as client:
        client.set_config(cpu_config(stamp=1))
        senders = [threading.Thread(target=traffic, args=(server,)) for _ in range(2)]
        for sender in senders:
            sender.start()
        for number in range(SWAPS):
            client.set_config(cpu_config(stamp=1 + (number + 1) % 2))
        swapped.set()
        for sender in senders:
            sender.join()
        assert wrong == []
        assert set(left) == {1, 2}
        [last] = server.inject(9, b"\0")
        assert last.port == 1 + SWAPS % 2


def test_packet_ins_belong_to_the_program_that_sent_them() -> None:
    dataplane = LocalDataplane(510)
    with (
        P4RuntimeServer(address="127.0.0.1:0", dataplane=dataplane) as server,
        Client(server.address) as client,
    ):
        for stamp in (1, 2, 3):
            client.set_config(cpu_config(stamp=stamp))
            server.inject(4, b"\x01")
            assert client.open_stream.receive().packet.metadata[2].value == bytes((stamp,))
