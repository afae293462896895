# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What only the controller can answer goes to it, as it came; what it sends leaves as it is."""

from __future__ import annotations

from mecn_controller import LocalRoute, Route
from ptf import testutils
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6ND_NS, ICMPv6NDOptSrcLLAddr, IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

from mecn_ptf.base import MecnTest
from mecn_ptf.controller import PacketIn
from mecn_ptf.frames import CPU_PORT, ECT_0, IN_PORT, OTHER_PORT, ROUTES, SLOW_PORT, ethernet, frame

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
    "ARP reply in a VLAN": (
        ethernet() / Dot1Q(vlan=3) / ARP(op=2, psrc="10.0.1.1", pdst="10.0.1.254") / Raw(bytes(18)),
        ARP_REASON,
    ),
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

UNANSWERED: dict[str, Packet] = {
    "TTL 1, sent to everybody": Ether(src="02:00:00:00:01:01", dst="ff:ff:ff:ff:ff:ff")
    / IP(src="10.0.1.1", dst="10.0.2.1", ttl=1)
    / UDP(),
    "TTL 1, from a group": ethernet() / IP(src="224.0.0.9", dst="10.0.2.1", ttl=1) / UDP(),
    "TTL 1, without a route": ethernet() / IP(src="10.0.1.1", dst="192.0.2.1", ttl=1) / UDP(),
    "ARP, cut": ethernet(0x0806) / Raw(bytes(7)),
}
"""Packets that get no answer: no ICMP error may be sent about them (RFC 1122, section 3.2.2)."""


class ControllerPortTest(MecnTest):
    """A router with addresses of its own and an IPv6 route."""

    def setUp(self) -> None:
        """Writes the routes."""
        super().setUp()
        six = Route("2001:db8:2::/64", SLOW_PORT, ROUTES[1].src_mac, ROUTES[1].dst_mac)
        self.controller.routes([LocalRoute("10.0.1.254/32"), six])

    def punt(self, packet: Packet, in_port: int = IN_PORT) -> None:
        """Sends a packet that leaves no port but the controller's."""
        testutils.send_packet(self, (0, in_port), bytes(packet))

    def send_out(self, port: int, payload: bytes) -> None:
        """A packet from the controller; `departures` waits for it."""
        self.controller.packet_out(port, payload)
        self._awaited += 1


class WhatOnlyTheControllerCanAnswerGoesToIt(ControllerPortTest):
    """As it came, with the port and the reason; it leaves no other port."""

    def runTest(self) -> None:
        for in_port in (IN_PORT, OTHER_PORT):
            for name, (packet, reason) in PUNTED.items():
                self.punt(packet, in_port)
                assert self.controller.packet_ins(1) == [PacketIn(in_port, reason, bytes(packet))], name


class SomePacketsGetNoAnswer(ControllerPortTest):
    """The next that the controller gets is one that was sent after them."""

    def runTest(self) -> None:
        for packet in UNANSWERED.values():
            self.assert_dropped(bytes(packet))
        request, reason = PUNTED["ARP request"]
        self.punt(request)
        assert self.controller.packet_ins(1) == [PacketIn(IN_PORT, reason, bytes(request))]


class PacketForTheControllerIsNotMarked(ControllerPortTest):
    """Whatever policy its way to a host would have."""

    def runTest(self) -> None:
        self.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
        self.slow()
        self.burst([frame(), frame()])
        packet, reason = PUNTED["TTL 1"]
        for _ in range(3):
            self.punt(packet)
        assert self.controller.packet_ins(3) == [PacketIn(IN_PORT, reason, bytes(packet))] * 3
        assert len(self.departures()) == 2


class PacketFromTheControllerLeavesAsItIs(ControllerPortTest):
    """To the last octet, whatever it is. Linux sends no frames shorter than an Ethernet header."""

    def runTest(self) -> None:
        request = bytes(PUNTED["ARP request"][0])
        for port in (IN_PORT, SLOW_PORT, OTHER_PORT):
            for payload in (frame(ttl=1), frame()[:40], request, bytes(1500)):
                self.send_out(port, payload)
                (departed,) = self.departures()
                assert (departed.port, departed.frame) == (port, payload)


class PacketFromTheControllerToNoPortIsDropped(ControllerPortTest):
    """To the controller's port, to that of dropped packets, to numbers that no port has."""

    def runTest(self) -> None:
        for port in (CPU_PORT, 511, 512, 513, 0xFFFF):
            self.controller.packet_out(port, frame())
        self.send_out(SLOW_PORT, frame(ident=42))
        (departed,) = self.departures()
        assert departed.packet[IP].id == 42


class PacketFromTheControllerPassesByThePolicy(ControllerPortTest):
    """It waits in the queue with the others, and is not marked."""

    def runTest(self) -> None:
        self.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
        self.slow()
        before = self.levels()
        self.burst([frame()] * 2)
        self.send_out(SLOW_PORT, frame(ident=42))
        self.still_queued()
        last = self.departures()[-1]
        assert (last.packet[IP].id, last.ecn) == (42, ECT_0)
        # The controller's own packet is in no count; the plug is.
        assert sum(packets for packets, _ in self.levels()) - sum(packets for packets, _ in before) == 3
