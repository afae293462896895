# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Routing: next hop, time to live, checksum; what a router must not forward."""

from __future__ import annotations

from mecn_controller import Route
from scapy.layers.inet import ICMP, IP, UDP, IPOption, IPOption_EOL
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from mecn_ptf.base import MecnTest
from mecn_ptf.frames import OTHER_PORT, SLOW_PORT, ethernet, frame


class PacketLeavesTowardsItsNextHop(MecnTest):
    """To the right port and MAC addresses, with one less time to live; nothing else changes."""

    def runTest(self) -> None:
        for port in (SLOW_PORT, OTHER_PORT):
            for udp in (False, True):
                sent = frame(port=port, ttl=64, udp=udp)
                departed = self.forward(sent)
                packet, before = departed.packet, Ether(sent)
                assert departed.port == port
                assert packet.src == f"02:00:00:00:0{port}:fe"
                assert packet.dst == f"02:00:00:00:0{port}:01"
                assert packet[IP].ttl == 63
                assert bytes(packet[IP].payload) == bytes(before[IP].payload)
                for name in ("version", "ihl", "tos", "len", "id", "flags", "frag", "proto", "src", "dst"):
                    assert getattr(packet[IP], name) == getattr(before[IP], name), name


class LongestPrefixWins(MecnTest):
    """A host route goes before the network's."""

    def runTest(self) -> None:
        self.controller.routes([Route("10.0.2.1/32", OTHER_PORT, "02:00:00:00:03:fe", "02:00:00:00:03:02")])
        departed = self.forward(frame(port=SLOW_PORT))
        assert departed.port == OTHER_PORT
        assert departed.packet.dst == "02:00:00:00:03:02"


class ExpiredPacketIsDropped(MecnTest):
    """A time to live of 0 or 1 ends here; 2 is good for one more hop."""

    def runTest(self) -> None:
        self.assert_dropped(frame(ttl=0), frame(ttl=1))
        assert self.forward(frame(ttl=2)).packet[IP].ttl == 1


class DamagedHeaderIsDropped(MecnTest):
    """One flipped bit in any octet of the IPv4 header breaks version, length or checksum."""

    def runTest(self) -> None:
        damaged = []
        for position in range(14, 34):
            octets = bytearray(frame())
            octets[position] ^= 0x10
            damaged.append(bytes(octets))
        self.assert_dropped(*damaged)


class UnroutablePacketIsDropped(MecnTest):
    """No route, no way out."""

    def runTest(self) -> None:
        self.assert_dropped(bytes(ethernet() / IP(src="10.0.1.1", dst="192.0.2.1") / UDP()))


class WhatIsNotIpv4IsDropped(MecnTest):
    """Another protocol."""

    def runTest(self) -> None:
        self.assert_dropped(bytes(ethernet() / ARP()))


class Ipv4OptionsAreNotSupported(MecnTest):
    """Also where they are all zero, and so do not show in the checksum."""

    def runTest(self) -> None:
        for options in ([IPOption(b"\x94\x04\x00\x00")], [IPOption_EOL()] * 4):
            packet = IP(src="10.0.1.1", dst="10.0.2.1", options=options) / UDP()
            assert IP(bytes(packet)).ihl == 6
            self.assert_dropped(bytes(ethernet() / packet))


class TruncatedFrameIsDropped(MecnTest):
    """An IPv4 or TCP header that is cut short. Linux sends no frames shorter than an Ethernet header."""

    def runTest(self) -> None:
        self.assert_dropped(*(frame()[:length] for length in range(15, 42)))


class FragmentWithoutTransportHeaderPasses(MecnTest):
    """The first octets of a later fragment are payload, whatever the protocol says."""

    def runTest(self) -> None:
        payload = bytes(range(8))
        fragment = ethernet() / IP(src="10.0.1.1", dst="10.0.2.1", proto=6, frag=100) / Raw(payload)
        departed = self.forward(bytes(fragment))
        assert bytes(departed.packet[IP].payload) == payload


class OtherProtocolsPass(MecnTest):
    """Routing asks for IPv4 only."""

    def runTest(self) -> None:
        echo = ethernet() / IP(src="10.0.1.1", dst="10.0.2.1") / ICMP() / Raw(b"ping")
        departed = self.forward(bytes(echo))
        assert bytes(departed.packet[IP].payload) == bytes(echo[IP].payload)


class PaddingIsKept(MecnTest):
    """A minimum-size Ethernet frame has octets after the end of the IP packet."""

    def runTest(self) -> None:
        short = bytes(ethernet() / IP(src="10.0.1.1", dst="10.0.2.1") / UDP(sport=1, dport=2))
        padded = short + bytes(60 - len(short))
        departed = self.forward(padded)
        assert len(departed.frame) == 60
        assert departed.frame[34:] == padded[34:]
