# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Marking: which packets of a burst, which level, how often."""

from __future__ import annotations

import itertools
from collections import Counter

from mecn_ptf.base import MecnTest, flat
from mecn_ptf.bounds import check
from mecn_ptf.frames import CE, ECT_0, ECT_1, frame


class MarkTailMarksTheTailOfABurst(MecnTest):
    """A packet is marked if it met more than T packets: packet k of the burst met k."""

    def runTest(self) -> None:
        self.slow()
        for threshold in (0, 1, 4, 9):
            self.apply({"scheme": "threshold", "threshold": threshold, "mark_point": "tail"})
            for length in (1, 5, 12):
                expected = [CE if k > threshold else ECT_0 for k in range(length)]
                assert self.marks([frame()] * length) == expected, (threshold, length)


class MarkFrontMarksTheHeadOfABurst(MecnTest):
    """A packet is marked if it leaves more than T packets behind."""

    def runTest(self) -> None:
        self.slow()
        for threshold in (0, 1, 4, 9):
            self.apply({"scheme": "threshold", "threshold": threshold, "mark_point": "front"})
            for length in (1, 5, 12):
                expected = [CE if length - 1 - k > threshold else ECT_0 for k in range(length)]
                assert self.marks([frame()] * length) == expected, (threshold, length)


class LevelFollowsTheDepth(MecnTest):
    """With w = 1 the level is a function of the depth: none up to min_th, CE from max_th on."""

    def runTest(self) -> None:
        thresholds = {"min_th": 3, "mid_th": 7, "max_th": 8, "max_p_incipient": 1, "max_p_moderate": 1}
        self.slow()
        for mark_point in ("tail", "front"):
            self.apply({"scheme": "mecn", **thresholds, "weight": 1, "mark_point": mark_point})
            depths = range(12) if mark_point == "tail" else range(11, -1, -1)
            for depth, ecn in zip(depths, self.marks([frame()] * 12), strict=True):
                if depth <= 3:  # p1 is 0 at min_th itself
                    assert ecn == ECT_0, (mark_point, depth)
                elif depth > 7:
                    assert ecn == CE, (mark_point, depth)
                else:
                    assert ecn in (ECT_0, ECT_1), (mark_point, depth)


class ProbabilityOneMarksAll(MecnTest):
    """p1 = 1 gives each packet the incipient level, p2 = 1 gives it CE, both give CE, and 0 nothing."""

    def runTest(self) -> None:
        for p1, p2, expected in ((0, 0, ECT_0), (1, 0, ECT_1), (0, 1, CE), (1, 1, CE)):
            self.apply_curve(flat(p1, p2))
            assert self.marks([frame()] * 20) == [expected] * 20, (p1, p2)


class FrequenciesFollowTheCurve(MecnTest):
    """P(CE) = p2 and P(incipient) = p1 (1 - p2), within binomial bounds."""

    def runTest(self) -> None:
        trials = 1000
        shapes = ((0.5, 0.0), (0.0, 0.5), (0.25, 0.5))
        for p1, p2 in shapes:
            self.apply_curve(flat(p1, p2))
            count = Counter(ecn for _ in range(trials // 50) for ecn in self.marks([frame()] * 50))
            assert count.total() == trials
            check(count[CE], trials, p2, 2 * len(shapes), f"CE with {p1}, {p2}")
            check(count[ECT_1], trials, p1 * (1 - p2), 2 * len(shapes), f"incipient with {p1}, {p2}")


class UniformSpacingMakesGapsOfUpToOneByP(MecnTest):
    """Gaps between marks are uniform on 1 to 1/p packets, within binomial bounds."""

    fresh_registers = True
    spacing = "uniform"
    gaps = range(1, 5)
    p = 0.25

    def runTest(self) -> None:
        self.apply_curve(flat(p_moderate=self.p), spacing=self.spacing)
        marks = [ecn for _ in range(12) for ecn in self.marks([frame()] * 50)]
        assert set(marks) == {ECT_0, CE}
        # The count since the last mark begins at 0, so the first gap is one of them.
        places = [-1, *(place for place, ecn in enumerate(marks) if ecn == CE)]
        gaps = Counter(after - before for before, after in itertools.pairwise(places))
        assert gaps.keys() <= set(self.gaps), gaps
        for length in self.gaps:
            check(gaps[length], gaps.total(), self.p, len(self.gaps), f"gaps of {length} packets")


class WaitSpacingMakesGapsOfOneToTwoByP(UniformSpacingMakesGapsOfUpToOneByP):
    """Gaps are uniform on 1/p to 2/p packets: the first mark does not come before count p >= 1."""

    spacing = "wait"
    gaps = range(4, 8)


class ShallowQueueGivesNoSignal(MecnTest):
    """Below min_depth nothing is marked, whatever the average; here it stays far above max_th."""

    fresh_registers = True

    def runTest(self) -> None:
        shape = {"scheme": "ecnm", "min_th": 1, "max_th": 2, "max_p": 0.1, "mark_point": "tail"}
        self.slow(limit=100)
        self.apply({**shape, "weight": 0.5})
        self.marks([frame()] * 60)
        for min_depth in (0, 2, 6):
            self.apply({**shape, "weight": 0.0005, "min_depth": min_depth})
            expected = [ECT_0 if k < min_depth else CE for k in range(10)]
            assert self.marks([frame()] * 10) == expected, min_depth


class DropTailMarksNothingAndLosesWhatDoesNotFit(MecnTest):
    """A queue of ten packets takes ten of fifteen."""

    def runTest(self) -> None:
        self.apply({"scheme": "drop-tail"})
        self.slow(limit=10)
        self.burst([frame()] * 15)
        assert [departed.ecn for departed in self.departures(lost=5)] == [ECT_0] * 10


class WithoutAProfileNothingIsMarked(MecnTest):
    """Routing alone leaves the ECN field as it is."""

    def runTest(self) -> None:
        self.slow()
        assert self.marks([frame()] * 30) == [ECT_0] * 30


class LevelsAreCounted(MecnTest):
    """Packets and bytes per port and level: unmarked, incipient, CE."""

    def runTest(self) -> None:
        packet = frame()
        before = self.levels()
        for number, (p1, p2) in enumerate(((0, 0), (1, 0), (0, 1)), start=1):
            self.apply_curve(flat(p1, p2))
            self.marks([packet] * (10 * number))
        counted = [
            tuple(b - a for a, b in zip(*pair, strict=True))
            for pair in zip(before, self.levels(), strict=True)
        ]
        assert counted == [(packets, packets * len(packet)) for packets in (10, 20, 30)]
