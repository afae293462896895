# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""VLAN tags and IPv4 options are carried along. Cuts, padding, fuzzing: virtual/test_link_layer.py."""

from __future__ import annotations

from scapy.layers.inet import IP, TCP, UDP, IPOption, IPOption_EOL
from scapy.layers.l2 import Dot1AD, Dot1Q
from scapy.packet import Raw

from mecn_ptf.base import MecnTest
from mecn_ptf.frames import CE, ECT_0, ethernet, frame

TAGS = (
    Dot1Q(vlan=100, prio=5, dei=1),
    Dot1AD(vlan=4095),
    Dot1AD(vlan=7, prio=3) / Dot1Q(vlan=8, prio=2, dei=1),
    Dot1Q(vlan=1) / Dot1Q(vlan=4094, prio=7),
)
OPTIONS = (
    [IPOption(b"\x94\x04\x00\x00")],  # router alert
    [IPOption(b"\x07\x27\x04" + bytes(36)), IPOption(b"\x00")],  # record route
    [IPOption(b"\x01")] * 40,  # as many as fit
    [IPOption_EOL()] * 4,  # all zero, so that they do not show in the checksum
)
PACKET = IP(src="10.0.1.1", dst="10.0.2.1", tos=ECT_0) / TCP(sport=1, dport=2) / Raw(bytes(40))


class TagsStay(MecnTest):
    """What is behind them is routed and marked as it would be without."""

    def runTest(self) -> None:
        self.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
        self.slow()
        plain = bytes(ethernet() / PACKET)
        self.burst([plain, plain])
        expected = [departed.frame for departed in self.departures()]
        assert expected[0] != expected[1], "the second is marked"
        for tags in TAGS:
            sent = bytes(ethernet() / tags / PACKET)
            length = len(sent) - len(plain)
            self.burst([sent, sent])
            left = [departed.frame for departed in self.departures()]
            assert [data[12 : 14 + length] for data in left] == [sent[12 : 14 + length]] * 2
            assert [data[:12] + data[12 + length :] for data in left] == expected


class ThreeTagsAreTooMany(MecnTest):
    """The frame is not read as IP then."""

    def runTest(self) -> None:
        self.assert_dropped(bytes(ethernet() / Dot1Q(vlan=1) / Dot1Q(vlan=2) / Dot1Q(vlan=3) / PACKET))


class OptionsStayAndTheChecksumCoversThem(MecnTest):
    """Unmarked and marked."""

    def runTest(self) -> None:
        self.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
        self.slow()
        for options in OPTIONS:
            packet = IP(src="10.0.1.1", dst="10.0.2.1", tos=ECT_0, options=options) / UDP(sport=1, dport=2)
            sent = bytes(ethernet() / packet / Raw(bytes(40)))
            self.burst([sent, sent])
            left = self.departures()
            assert [departed.packet[IP].tos for departed in left] == [ECT_0, CE]
            assert [departed.packet[IP].ttl for departed in left] == [63, 63]
            assert [departed.frame[34:] for departed in left] == [sent[34:]] * 2


class DamagedOptionIsDropped(MecnTest):
    """The checksum on arrival covers options."""

    def runTest(self) -> None:
        packet = (
            IP(src="10.0.1.1", dst="10.0.2.1", options=[IPOption(b"\x44\x0c\x05\x00" + bytes(8))]) / UDP()
        )
        damaged = []
        for position in range(34, 46):
            octets = bytearray(bytes(ethernet() / packet))
            octets[position] ^= 0x40
            damaged.append(bytes(octets))
        self.assert_dropped(*damaged, frame()[:50])
