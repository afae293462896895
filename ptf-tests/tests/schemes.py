# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What each scheme does. The average is the actual depth (w = 1), so packet k of a burst meets k packets."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from scapy.layers.inet import IP, TCP
from scapy.packet import Raw

from mecn_ptf.base import MecnTest, flat
from mecn_ptf.bounds import check
from mecn_ptf.frames import CE, CODEPOINTS, ECT_0, ECT_1, NOT_ECT, SLOW_PORT, ethernet, frame

DROPPED = None
RED_SCHEMES = ("red", "red-gentle")
MARKING_SCHEMES = ("ecn", "ecn-gentle", "ecnm", "mecn")


class ACertainSignalDropsOrMarks(MecnTest):
    """With a moderate signal for every packet: what leaves, by scheme and codepoint."""

    EXPECTED: ClassVar[dict[str, dict[int, int | None]]] = {
        "red": dict.fromkeys(CODEPOINTS, DROPPED),
        "red-gentle": dict.fromkeys(CODEPOINTS, DROPPED),
        "ecn": {NOT_ECT: DROPPED, ECT_0: CE, ECT_1: CE, CE: CE},
        "ecn-gentle": {NOT_ECT: DROPPED, ECT_0: CE, ECT_1: CE, CE: CE},
        "ecnm": {NOT_ECT: DROPPED, ECT_0: CE, ECT_1: CE, CE: CE},
        "mecn": {NOT_ECT: NOT_ECT, ECT_0: CE, ECT_1: CE, CE: CE},
    }

    def runTest(self) -> None:
        for scheme, fates in self.EXPECTED.items():
            self.apply_curve(flat(p_moderate=1), scheme=scheme)
            for ecn, fate in fates.items():
                left: list[int | None] = list(self.marks([frame(ecn=ecn)]))
                assert left == [fate] * (fate is not DROPPED), (scheme, ecn)


class WithoutASignalNothingHappens(MecnTest):
    """A curve of zeros leaves every packet as it came, under every scheme."""

    def runTest(self) -> None:
        self.slow()
        for scheme in (*RED_SCHEMES, *MARKING_SCHEMES):
            self.apply_curve(flat(), scheme=scheme)
            assert self.marks([frame(ecn=ecn) for ecn in CODEPOINTS * 5]) == list(CODEPOINTS * 5), scheme


class MecnPassesNotEctAndMarksInTwoLevels(MecnTest):
    """An incipient signal makes ECT(0) ECT(1), and nothing else of anything else."""

    def runTest(self) -> None:
        self.apply_curve(flat(p_incipient=1))
        for ecn, expected in ((NOT_ECT, NOT_ECT), (ECT_0, ECT_1), (ECT_1, ECT_1), (CE, CE)):
            assert self.forward(frame(ecn=ecn)).ecn == expected


class FromMaxThOn(MecnTest):
    """Thresholds 3 and 6, no signal between them: what each scheme does with the rest of a burst of 20."""

    def runTest(self) -> None:
        shape: dict[str, object] = {"min_th": 3, "max_th": 6, "max_p": 0, "weight": 1}
        tail: dict[str, object] = {**shape, "mark_point": "tail"}
        expected: dict[str, tuple[dict[str, object], list[int]]] = {
            # Dropped before the queue, which therefore never holds more than max_th.
            "red": (shape, [ECT_0] * 6),
            "ecn": (tail, [ECT_0] * 6),
            "ecnm": (tail, [ECT_0] * 6 + [CE] * 14),
            "mecn": ({**tail, "mid_th": 4}, [ECT_0] * 6 + [CE] * 14),
        }
        self.slow()
        for scheme, (profile, left) in expected.items():
            self.apply({"scheme": scheme, **profile})
            assert self.marks([frame()] * 20) == left, scheme
        self.apply({"scheme": "drop-tail"})
        assert self.marks([frame()] * 20) == [ECT_0] * 20
        self.apply({"scheme": "threshold", "threshold": 5, "mark_point": "tail"})
        assert self.marks([frame()] * 20) == [ECT_0] * 6 + [CE] * 14


class AboveMaxThIsTheProfilesChoice(MecnTest):
    """Every marking scheme can mark or drop there."""

    def runTest(self) -> None:
        self.slow()
        for scheme in MARKING_SCHEMES:
            shape = {"min_th": 3, "max_th": 6, "max_p": 0, "weight": 1, "mark_point": "tail"}
            severe = 6
            if scheme == "mecn":
                shape["mid_th"] = 4
            if scheme == "ecn-gentle":
                shape |= {"min_th": 1, "max_th": 3, "max_p": 0}
            for choice in ("mark", "drop"):
                self.apply({"scheme": scheme, **shape, "above_max_th": choice})
                left = self.marks([frame()] * 20)
                assert len(left) == (20 if choice == "mark" else severe), (scheme, choice)
                if choice == "mark":
                    assert left[severe:] == [CE] * 14, scheme


class GentleSchemesGoOnToTwiceMaxTh(MecnTest):
    """max_p = 0, thresholds 5 and 10: nothing before 10, everything from 20 on, some in between."""

    def runTest(self) -> None:
        shape = {"min_th": 5, "max_th": 10, "max_p": 0, "weight": 1}
        self.slow()
        passed, unmarked = 0, 0
        for _ in range(5):
            self.apply({"scheme": "red-gentle", **shape})
            left = self.marks([frame()] * 20)
            assert set(left) == {ECT_0}
            assert len(left) >= 11, "the probability is 0 at max_th itself"
            passed += len(left)
            assert len(self.marks([frame()] * 60)) <= 20, "and 1 at 2 max_th"
            self.apply({"scheme": "ecn-gentle", **shape, "mark_point": "tail"})
            left = self.marks([frame()] * 40)
            assert len(left) == 20, "marked, not dropped, below 2 max_th"
            assert left[:11] == [ECT_0] * 11
            assert set(left[11:]) <= {ECT_0, CE}
            unmarked += left.count(ECT_0)
        # Nothing at 11 to 19 packets has probability 0.9 * 0.8 * ... * 0.1 for each burst: 10^-17 for five.
        assert passed < 5 * 20
        assert unmarked < 5 * 20


class MarkTailMarksTheTailAndMarkFrontTheHead(MecnTest):
    """Each marking scheme: no signal below 5 packets, a certain one from 5 on, in a burst of 9."""

    PROFILES: ClassVar[dict[str, dict[str, object]]] = {
        "ecnm": {"min_th": 4, "max_th": 5, "max_p": 0},
        "mecn": {"min_th": 3, "mid_th": 4, "max_th": 5, "max_p": 0},
        # p reaches 1 at max_th and stays there up to 2 max_th.
        "ecn-gentle": {"min_th": 4, "max_th": 4.75, "max_p": 1},
    }

    def runTest(self) -> None:
        self.slow()
        for scheme, shape in self.PROFILES.items():
            for mark_point in ("tail", "front"):
                self.apply({"scheme": scheme, **shape, "weight": 1, "mark_point": mark_point})
                depths = range(9) if mark_point == "tail" else range(8, -1, -1)
                expected = [CE if depth >= 5 else ECT_0 for depth in depths]
                assert self.marks([frame()] * 9) == expected, (scheme, mark_point)


class RedDropsWithTheCurvesProbability(MecnTest):
    """Whatever the codepoint, and what passes is not marked."""

    def runTest(self) -> None:
        p, each, bursts = 0.25, 15, 50
        trials = each * bursts
        self.apply_curve(flat(p_moderate=p), scheme="red")
        before = self.early_drops(SLOW_PORT)[0]
        left: Counter[int] = Counter()
        frames = [frame(ecn=ecn) for ecn in CODEPOINTS] * each
        for _ in range(bursts):
            left.update(self.marks(frames))
        assert set(left) == set(CODEPOINTS), left
        for ecn in CODEPOINTS:
            check(left[ecn], trials, 1 - p, len(CODEPOINTS), f"passed with codepoint {ecn}")
        assert self.early_drops(SLOW_PORT)[0] - before == len(CODEPOINTS) * trials - left.total()


BY_LENGTH = {"scheme": "ecnm", "min_th": 0, "max_th": 60, "max_p": 1, "weight": 1, "mark_point": "tail"}


class ByteModeScalesByLength(MecnTest):
    """p = k / 60 at depth k, mean 100 bytes: frames of 1514 bytes get a mark from 4 packets on, surely."""

    def runTest(self) -> None:
        self.slow()
        long = frame(payload=1460)
        assert len(long) == 1514
        self.apply({**BY_LENGTH, "mean_packet_bytes": 100})
        left = self.marks([long] * 30)
        assert left[0] == ECT_0
        assert left[4:] == [CE] * 26
        # Short of it by a factor of 655: one mark in a thousand such bursts.
        self.apply({**BY_LENGTH, "mean_packet_bytes": 65535})
        assert Counter(self.marks([frame(payload=0)] * 10))[CE] <= 1


class ConnectionsHaveTheCurveOfTheirRoundTripTime(MecnTest):
    """A connection whose handshake passed is in its class; another, and one that never opened, are not."""

    PROFILE: ClassVar[dict[str, object]] = {
        **BY_LENGTH,
        "mean_packet_bytes": 100,
        "max_p": 0,
        "rtt_class_bounds_ms": [10_000],  # more than any target takes for two packets
        "rtt_class_max_p": [1, 0],
    }

    @staticmethod
    def segment(port: int, flags: str, payload: int = 0) -> bytes:
        """Of a connection from the host behind the fast port."""
        ip = IP(src="10.0.1.1", dst="10.0.2.1", tos=ECT_0)
        return bytes(ethernet() / ip / TCP(sport=port, dport=80, flags=flags) / Raw(bytes(payload)))

    def runTest(self) -> None:
        self.apply(self.PROFILE)
        for flags in ("S", "A"):
            self.forward(self.segment(41001, flags))
        self.slow()
        known, stranger = (self.segment(port, "A", 1460) for port in (41001, 41002))
        left = self.marks([known, stranger] * 15)
        assert left[1::2] == [ECT_0] * 15, "the profile's own max_p is 0"
        assert left[4::2] == [CE] * 13
