# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""IPv6: routed and marked as IPv4 is. Prefixes, cuts, extension headers: virtual/test_ipv6.py."""

from __future__ import annotations

from mecn_controller import Route
from scapy.layers.inet import TCP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from mecn_ptf.base import Departed, MecnTest
from mecn_ptf.frames import CE, CODEPOINTS, ECT_0, ECT_1, NOT_ECT, OTHER_PORT, SLOW_PORT, ethernet, frame

ROUTES = tuple(
    Route(f"2001:db8:{port}::/64", port, f"02:00:00:00:0{port}:fe", f"02:00:00:00:0{port}:01")
    for port in (SLOW_PORT, OTHER_PORT)
)


def frame6(
    *, ecn: int = ECT_0, dscp: int = 0, hlim: int = 64, port: int = SLOW_PORT, src: str = "2001:db8:1::1"
) -> bytes:
    """A TCP segment over IPv6 to the host behind a port."""
    header = IPv6(src=src, dst=f"2001:db8:{port}::1", tc=dscp << 2 | ecn, fl=0xABCDE, hlim=hlim)
    return bytes(ethernet() / header / TCP(sport=5001, dport=5002, flags="A") / Raw(bytes(range(100))))


def ecn6(departed: Departed) -> int:
    """ECN field of an IPv6 packet; fails if its TCP checksum is not what scapy computes."""
    packet = Ether(departed.frame)
    again = packet.copy()
    del again[TCP].chksum
    assert Ether(bytes(again))[TCP].chksum == packet[TCP].chksum
    return int(packet[IPv6].tc) & 3


class Ipv6Test(MecnTest):
    """With IPv6 routes beside those of IPv4."""

    def setUp(self) -> None:
        """Writes the routes."""
        super().setUp()
        self.controller.routes(ROUTES)


class Ipv6LeavesTowardsItsNextHop(Ipv6Test):
    """With one less hop limit; nothing else changes."""

    def runTest(self) -> None:
        for port in (SLOW_PORT, OTHER_PORT):
            sent = frame6(port=port, dscp=46)
            departed = self.forward(sent)
            packet = Ether(departed.frame)
            assert departed.port == port
            assert (packet.src, packet.dst) == (f"02:00:00:00:0{port}:fe", f"02:00:00:00:0{port}:01")
            assert packet[IPv6].hlim == 63
            assert departed.frame[12:21] + departed.frame[22:] == sent[12:21] + sent[22:]


class Ipv6LongestPrefixWins(Ipv6Test):
    """A host route goes before the network's."""

    def runTest(self) -> None:
        host = Route("2001:db8:2::1/128", OTHER_PORT, "02:00:00:00:03:fe", "02:00:00:00:03:02")
        self.controller.routes([host])
        assert self.forward(frame6(port=SLOW_PORT)).port == OTHER_PORT


class Ipv6IsNotForwarded(Ipv6Test):
    """Without a route, at its last hop, from a martian source, with a wrong version."""

    def runTest(self) -> None:
        wrong = bytearray(frame6())
        wrong[14] = 0x40
        martians = ("::", "::1", "::ffff:10.0.1.1", "fe80::1", "ff02::1")
        self.assert_dropped(
            frame6(port=9),
            frame6(hlim=0),
            frame6(hlim=1),
            bytes(wrong),
            *(frame6(src=source) for source in martians),
        )
        assert Ether(self.forward(frame6(hlim=2)).frame)[IPv6].hlim == 1


class Ipv6IsMarkedAsIpv4Is(Ipv6Test):
    """Packets of both in turn in one burst: one queue, one curve, the same marks at each codepoint."""

    def runTest(self) -> None:
        for scheme in ("ecnm", "mecn"):
            profile: dict[str, object] = {"scheme": scheme, "min_th": 2, "max_th": 6, "max_p": 1, "weight": 1}
            if scheme == "mecn":
                profile["mid_th"] = 3
            self.apply({**profile, "mark_point": "tail", "not_ect": "pass"})
            self.slow()
            for ecn in CODEPOINTS:
                self.burst([frame(ecn=ecn), frame6(ecn=ecn)] * 8)
                left = self.departures()
                assert len(left) == 16
                old, new = left[0::2], left[1::2]
                expected = NOT_ECT if ecn == NOT_ECT else CE
                assert [departed.ecn for departed in old[3:]] == [expected] * 5
                assert [ecn6(departed) for departed in new[3:]] == [expected] * 5
                assert ecn6(new[0]) == ecn


class Ipv6GetsIncipientMarks(Ipv6Test):
    """Below mid_th there is no CE."""

    def runTest(self) -> None:
        profile = {"scheme": "mecn", "min_th": 2, "mid_th": 30, "max_th": 60, "max_p": 1, "weight": 1}
        self.apply({**profile, "mark_point": "tail"})
        self.slow()
        self.burst([frame6()] * 30)
        marks = [ecn6(departed) for departed in self.departures()]
        assert set(marks[:3]) == {ECT_0}
        assert set(marks) == {ECT_0, ECT_1}


class ClassesAreThoseOfTheTrafficClass(Ipv6Test):
    """The DSCP decides on the profile, for both protocols."""

    def runTest(self) -> None:
        self.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"}, dscp=(10,))
        self.slow()
        self.burst([frame6(dscp=10), frame6(dscp=10), frame6(dscp=12), frame(dscp=12), frame(dscp=10)])
        left = self.departures()
        marks = [ecn6(departed) for departed in left[:3]] + [departed.ecn for departed in left[3:]]
        assert marks == [ECT_0, CE, ECT_0, ECT_0, CE]
