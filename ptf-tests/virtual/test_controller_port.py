# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The controller's port: ports and frames that no interface has, and a controller that answers.

What goes to the controller, and what it sends: tests/controller_port.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from finsy import P4PacketIn, P4PacketOut, Switch, SwitchOptions
from mecn_controller.runtime.session import apply_sync
from mecn_native import CompiledProgram
from mecn_switch import LocalDataplane, P4RuntimeServer
from scapy.layers.l2 import ARP, Ether

from mecn_ptf.frames import CPU_PORT
from target import IN_PORT, ROUTES, SLOW_PORT, Target, frame

EXPIRED, ARP_REASON = 2, 3
ARP_REQUEST = bytes(
    Ether(src="02:00:00:00:01:01", dst="ff:ff:ff:ff:ff:ff") / ARP(psrc="10.0.1.1", pdst="10.0.1.254")
)
LAST_HOP = frame(ttl=1)


@pytest.mark.parametrize("in_port", [0, IN_PORT, 509])
def test_packet_goes_to_the_controller_with_its_port(target: Target, in_port: int) -> None:
    for packet, reason in ((ARP_REQUEST, ARP_REASON), (LAST_HOP, EXPIRED)):
        target.send(packet, in_port)
        (departure,) = target.drain()
        assert departure.port == CPU_PORT
        assert departure.frame == in_port.to_bytes(2, "big") + bytes([reason]) + packet


@pytest.mark.parametrize("port", [0, 1, 255, 256, 509])
@pytest.mark.parametrize("payload", [b"", b"x", bytes(1500)], ids=["empty", "short", "long"])
def test_packet_from_the_controller_leaves_as_it_is(target: Target, port: int, payload: bytes) -> None:
    target.send(port.to_bytes(2, "big") + payload, CPU_PORT)
    (departure,) = target.drain()
    assert (departure.port, departure.frame) == (port, payload)


@pytest.mark.parametrize("data", [b"", b"\x00"])
def test_packet_from_the_controller_without_header_is_dropped(target: Target, data: bytes) -> None:
    assert target.send(data, CPU_PORT).kind == "dropped"


# ---- Over P4Runtime ------------------------------------------------------------------------------


@pytest.fixture
def sent() -> list[tuple[int, bytes]]:
    """Ports and frames that left, but for the controller's."""
    return []


@pytest.fixture
def server(program: CompiledProgram, sent: list[tuple[int, bytes]]) -> Iterator[P4RuntimeServer]:
    """A switch with a CPU port."""
    dataplane = LocalDataplane(CPU_PORT, lambda port, data: sent.append((port, data)))
    with P4RuntimeServer(address="127.0.0.1:0", dataplane=dataplane) as running:
        apply_sync(
            [],
            address=running.address,
            p4info_text=program.p4info,
            bmv2_json=program.bmv2_json,
            routes=ROUTES,
        )
        yield running


def test_a_controller_answers_arp_and_expired_packets(
    server: P4RuntimeServer, sent: list[tuple[int, bytes]]
) -> None:
    """finsy, which knows no more of the switch than its P4Info, sees the requests and answers them."""

    async def answers() -> list[tuple[int, int, bytes]]:
        seen = []
        async with Switch("switch", server.address, SwitchOptions(device_id=1)) as switch:
            server.inject(IN_PORT, ARP_REQUEST)
            server.inject(SLOW_PORT, LAST_HOP)
            async for packet in switch.read_packets():
                assert isinstance(packet, P4PacketIn)
                port = int(packet["ingress_port"])
                seen.append((port, int(packet["reason"]), packet.payload))
                await switch.write([P4PacketOut(b"answer " + packet.payload, egress_port=port)])
                if len(seen) == 2:
                    break
            for _ in range(1000):
                if len(sent) == 2:
                    break
                await asyncio.sleep(0.01)
        return seen

    assert asyncio.run(answers()) == [(IN_PORT, ARP_REASON, ARP_REQUEST), (SLOW_PORT, EXPIRED, LAST_HOP)]
    assert sent == [(IN_PORT, b"answer " + ARP_REQUEST), (SLOW_PORT, b"answer " + LAST_HOP)]
