# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What only the controller can answer goes to it, as it came; what it sends leaves as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from finsy import P4PacketIn, P4PacketOut, Switch, SwitchOptions
from mecn_controller import LocalRoute, Route
from mecn_controller.push import apply_sync
from mecn_native import CompiledProgram
from mecn_switch import LocalDataplane, P4RuntimeServer
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6ND_NS, ICMPv6NDOptSrcLLAddr, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

from target import IN_PORT, ROUTES, SLOW_PORT, Target, ethernet, frame

CPU_PORT = 510
LOCAL, EXPIRED, ARP_REASON = 1, 2, 3

SOLICITATION = (
    Ether(src="02:00:00:00:01:01", dst="33:33:ff:00:00:fe")
    / IPv6(src="fe80::1", dst="ff02::1:ff00:fe", hlim=255)
    / ICMPv6ND_NS(tgt="2001:db8:1::fe")
    / ICMPv6NDOptSrcLLAddr(lladdr="02:00:00:00:01:01")
)
PUNTED: dict[str, tuple[Packet, int]] = {
    "ARP request": (
        Ether(src="02:00:00:00:01:01", dst="ff:ff:ff:ff:ff:ff") / ARP(psrc="10.0.1.1", pdst="10.0.1.254"),
        ARP_REASON,
    ),
    "ARP reply in a VLAN": (ethernet() / Dot1Q(vlan=3) / ARP(op=2) / Raw(bytes(18)), ARP_REASON),
    "neighbour solicitation": (SOLICITATION, LOCAL),
    "link-local address": (ethernet() / IPv6(src="fe80::1", dst="fe80::fe") / UDP(), LOCAL),
    "OSPF hello": (
        Ether(src="02:00:00:00:01:01", dst="01:00:5e:00:00:05")
        / IP(src="10.0.1.1", dst="224.0.0.5", ttl=1, proto=89)
        / Raw(bytes(44)),
        LOCAL,
    ),
    "own address": (ethernet() / IP(src="10.0.1.1", dst="10.0.1.254") / ICMP(), LOCAL),
    "own address, last hop": (ethernet() / IP(src="10.0.1.1", dst="10.0.1.254", ttl=1) / ICMP(), LOCAL),
    "TTL 1": (ethernet() / IP(src="10.0.1.1", dst="10.0.2.1", ttl=1, tos=2) / TCP(sport=1, dport=2), EXPIRED),
    "TTL 0": (ethernet() / IP(src="10.0.1.1", dst="10.0.2.1", ttl=0) / UDP(sport=1, dport=2), EXPIRED),
    "hop limit 1": (
        ethernet() / Dot1Q(vlan=9) / IPv6(src="2001:db8:1::1", dst="2001:db8:2::1", hlim=1) / UDP(),
        EXPIRED,
    ),
}
"""Packets for the controller, and the reason."""

DROPPED: dict[str, Packet] = {
    "TTL 1, sent to everybody": Ether(src="02:00:00:00:01:01", dst="ff:ff:ff:ff:ff:ff")
    / IP(src="10.0.1.1", dst="10.0.2.1", ttl=1)
    / UDP(),
    "TTL 1, from a group": ethernet() / IP(src="224.0.0.9", dst="10.0.2.1", ttl=1) / UDP(),
    "TTL 1, without a route": ethernet() / IP(src="10.0.1.1", dst="192.0.2.1", ttl=1) / UDP(),
    "ARP, cut": ethernet(0x0806) / Raw(bytes(7)),
}
"""Packets that get no answer: no ICMP error may be sent about them (RFC 1122, section 3.2.2)."""


@pytest.fixture
def router(target: Target) -> Target:
    """With addresses of its own and an IPv6 route."""
    six = Route("2001:db8:2::/64", SLOW_PORT, ROUTES[1].src_mac, ROUTES[1].dst_mac)
    apply_sync([], address=target.server.address, routes=[LocalRoute("10.0.1.254/32"), six])
    return target


@pytest.mark.parametrize("name", PUNTED)
@pytest.mark.parametrize("in_port", [0, IN_PORT, 509])
def test_packet_goes_to_the_controller_as_it_came(router: Target, name: str, in_port: int) -> None:
    packet, reason = PUNTED[name]
    router.send(bytes(packet), in_port)
    (departure,) = router.drain()
    assert departure.port == CPU_PORT
    assert departure.frame == in_port.to_bytes(2, "big") + bytes([reason]) + bytes(packet)


@pytest.mark.parametrize("name", DROPPED)
def test_packet_gets_no_answer(router: Target, name: str) -> None:
    assert router.send(bytes(DROPPED[name])).kind == "dropped"


def test_packet_for_the_controller_is_not_marked(router: Target) -> None:
    """Whatever policy its way to a host would have."""
    router.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
    router.slow()
    router.switch.configure_port(CPU_PORT, rate_pps=1000)
    packet, reason = PUNTED["TTL 1"]
    router.burst([frame(), frame(), *[bytes(packet)] * 3])
    punted = [departure.frame for departure in router.drain() if departure.port == CPU_PORT]
    assert punted == [bytes([0, IN_PORT, reason]) + bytes(packet)] * 3


@pytest.mark.parametrize("port", [0, 1, 255, 256, 509])
@pytest.mark.parametrize(
    "payload",
    [b"", b"x", frame(ttl=1), frame()[:40], bytes(PUNTED["ARP request"][0]), bytes(1500)],
    ids=["empty", "short", "TTL 1", "cut", "ARP", "zeros"],
)
def test_packet_from_the_controller_leaves_as_it_is(router: Target, port: int, payload: bytes) -> None:
    router.send(port.to_bytes(2, "big") + payload, CPU_PORT)
    (departure,) = router.drain()
    assert (departure.port, departure.frame) == (port, payload)


@pytest.mark.parametrize("port", [CPU_PORT, 511, 512, 513, 0xFFFF])
def test_packet_from_the_controller_to_no_port_is_dropped(router: Target, port: int) -> None:
    assert router.send(port.to_bytes(2, "big") + frame(), CPU_PORT).kind == "dropped"


@pytest.mark.parametrize("data", [b"", b"\x00"])
def test_packet_from_the_controller_without_header_is_dropped(router: Target, data: bytes) -> None:
    assert router.send(data, CPU_PORT).kind == "dropped"


def test_packet_from_the_controller_passes_by_the_policy(router: Target) -> None:
    router.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
    router.slow()
    out = frame()
    router.burst([out, out])
    router.send(SLOW_PORT.to_bytes(2, "big") + out, CPU_PORT)
    assert router.drain()[-1].frame == out


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
    request = bytes(PUNTED["ARP request"][0])
    expired = bytes(PUNTED["TTL 1"][0])

    async def answers() -> list[tuple[int, int, bytes]]:
        seen = []
        async with Switch("switch", server.address, SwitchOptions(device_id=1)) as switch:
            server.inject(IN_PORT, request)
            server.inject(SLOW_PORT, expired)
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

    assert asyncio.run(answers()) == [(IN_PORT, ARP_REASON, request), (SLOW_PORT, EXPIRED, expired)]
    assert sent == [(IN_PORT, b"answer " + request), (SLOW_PORT, b"answer " + expired)]
