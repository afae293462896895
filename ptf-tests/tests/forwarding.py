# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Routing: next hop, time to live, checksum; what a router must not forward."""

from __future__ import annotations

from mecn_controller import Route
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from mecn_ptf.base import MecnTest
from mecn_ptf.frames import CE, ECT_0, OTHER_PORT, SLOW_PORT, ethernet, frame


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


class ExpiredPacketIsNotForwarded(MecnTest):
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


class HeaderThatContradictsItselfIsDropped(MecnTest):
    """Version, header length and total length, with a checksum that is right."""

    def runTest(self) -> None:
        contradictions = [
            ("version", 5),
            ("version", 6),
            ("ihl", 4),
            ("ihl", 0),
            ("ihl", 15),
            ("len", 19),
            ("len", 0),
        ]
        malformed = []
        for name, value in contradictions:
            header = IP(src="10.0.1.1", dst="10.0.2.1")
            setattr(header, name, value)
            malformed.append(bytes(ethernet() / header / UDP(sport=1, dport=2)))
        self.assert_dropped(*malformed)


class MartianSourceIsDropped(MecnTest):
    """No packet from another network can have such a source."""

    def runTest(self) -> None:
        sources = ("0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255")
        self.assert_dropped(
            *(bytes(ethernet() / IP(src=source, dst="10.0.2.1") / UDP()) for source in sources)
        )


class SomeDestinationsAreNotForwardedTo(MecnTest):
    """A default route leads neither to reserved addresses nor to groups."""

    def runTest(self) -> None:
        self.controller.routes([Route("0.0.0.0/0", OTHER_PORT, "02:00:00:00:03:fe", "02:00:00:00:03:01")])
        reserved = (
            "0.0.0.1",
            "127.0.0.1",
            "169.254.1.1",
            "224.0.1.1",
            "239.1.2.3",
            "240.0.0.1",
            "255.255.255.255",
        )
        self.assert_dropped(*(bytes(ethernet() / IP(src="10.0.1.1", dst=host) / UDP()) for host in reserved))
        assert (
            self.forward(bytes(ethernet() / IP(src="10.0.1.1", dst="192.0.2.1") / UDP())).port == OTHER_PORT
        )


class FrameForAGroupIsNotForwarded(MecnTest):
    """RFC 1812, section 5.3.4: what came as broadcast or multicast of the link."""

    def runTest(self) -> None:
        packets = []
        for mac in ("ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01"):
            packet = ethernet() / IP(src="10.0.1.1", dst="10.0.2.1") / UDP()
            packet.dst = mac
            packets.append(bytes(packet))
        self.assert_dropped(*packets)


class WhatIsNotIpIsNotForwarded(MecnTest):
    """ARP is for the controller, LLDP for nobody."""

    def runTest(self) -> None:
        self.assert_dropped(bytes(ethernet() / ARP()), bytes(ethernet(0x88CC) / Raw(bytes(100))))


class TruncatedFrameIsDropped(MecnTest):
    """Wherever it is cut. Linux sends no frames shorter than an Ethernet header."""

    def runTest(self) -> None:
        whole = frame()
        self.assert_dropped(*(whole[:length] for length in (*range(15, 60), len(whole) - 1)))


class FirstFragmentMayEndWithinItsTransportHeader(MecnTest):
    """8 octets is what every link must carry (RFC 791, section 3.2)."""

    def runTest(self) -> None:
        for length in (8, 16):
            segment = bytes(TCP(sport=1, dport=2, flags="S"))[:length]
            first = ethernet() / IP(src="10.0.1.1", dst="10.0.2.1", proto=6, flags="MF") / Raw(segment)
            packet = self.forward(bytes(first)).packet
            assert bytes(packet[IP].payload) == segment
            assert packet[IP].flags == "MF"


class FragmentsAreMarkedAlike(MecnTest):
    """Whether they have a transport header or not."""

    def runTest(self) -> None:
        self.apply({"scheme": "threshold", "threshold": 1, "mark_point": "tail"})
        self.slow()
        datagram = bytes(UDP(sport=1, dport=2, len=2056)) + bytes(range(256)) * 8
        pieces = [datagram[start : start + 512] for start in range(0, len(datagram), 512)]
        more = ["MF"] * (len(pieces) - 1) + [""]
        fragments = [
            IP(src="10.0.1.1", dst="10.0.2.1", proto=17, tos=ECT_0, id=9, frag=64 * i, flags=flags)
            / Raw(piece)
            for i, (piece, flags) in enumerate(zip(pieces, more, strict=True))
        ]
        self.burst([bytes(ethernet() / fragment) for fragment in fragments])
        left = [departed.packet for departed in self.departures()]
        assert [packet[IP].tos for packet in left] == [ECT_0, ECT_0] + [CE] * (len(fragments) - 2)
        for before, after in zip(fragments, left, strict=True):
            assert bytes(before.payload) == bytes(after[IP].payload)
            assert (before.frag, before.flags) == (after[IP].frag, after[IP].flags)


class IcmpErrorPassesUnharmed(MecnTest):
    """What it quotes is another packet: its time to live, ECN field and checksums stay as they were."""

    def runTest(self) -> None:
        self.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
        self.slow()
        quoted = bytes(IP(src="10.0.2.1", dst="10.0.1.9", ttl=1, tos=ECT_0) / TCP(sport=7, dport=8, seq=9))[
            :28
        ]
        error = ethernet() / IP(src="10.0.1.1", dst="10.0.2.1", tos=ECT_0) / ICMP(type=11, code=0) / quoted
        self.burst([bytes(error)] * 2)
        left = [departed.packet for departed in self.departures()]
        assert [packet[IP].tos for packet in left] == [ECT_0, CE]
        assert [bytes(packet[IP].payload) for packet in left] == [bytes(error[IP].payload)] * 2


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
