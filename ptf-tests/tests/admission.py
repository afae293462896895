# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Early drop: before the queue, so that it uses no service slot."""

from __future__ import annotations

from collections import Counter

from mecn_ptf.base import MecnTest, flat
from mecn_ptf.bounds import check
from mecn_ptf.frames import CE, ECT_0, NOT_ECT, SLOW_PORT, frame


class EcnDropsBeforeTheQueueAtMaxTh(MecnTest):
    """At or above max_th packets are dropped on arrival (Quet et al., figure 1), and counted."""

    def runTest(self) -> None:
        shape = {"min_th": 5, "max_th": 10, "max_p": 0.1, "weight": 1, "mark_point": "tail"}
        self.apply({"scheme": "ecn", **shape})
        self.slow()
        before = self.early_drops(SLOW_PORT)
        # Packet k meets k, until ten are queued; from then on each meets ten.
        packet = frame()
        assert len(self.marks([packet] * 30)) == 10
        packets, octets = self.early_drops(SLOW_PORT)
        assert (packets - before[0], octets - before[1]) == (20, 20 * len(packet))


class AdmissionRecoversWhenTheQueueHasDrained(MecnTest):
    """The average stays above max_th for a while; arrivals alone bring it down, and from then on all pass."""

    fresh_registers = True

    def runTest(self) -> None:
        shape = {"min_th": 2, "max_th": 4, "max_p": 0.1, "weight": 0.1, "mark_point": "tail"}
        self.apply({"scheme": "ecn", **shape})
        self.slow()
        assert 0 < len(self.marks([frame()] * 60)) < 60
        self.unlimited()
        fates = ["left" if self.marks([frame()]) else "dropped" for _ in range(60)]
        first = fates.index("left")
        assert fates == ["dropped"] * first + ["left"] * (60 - first)
        assert first > 0, "the first are dropped"


class NotEctIsTreatedAsTheProfileSays(MecnTest):
    """Dropped as often as others are marked, or passed."""

    def runTest(self) -> None:
        trials, p = 1000, 0.25
        for not_ect in ("pass", "drop"):
            self.apply_curve(flat(p_moderate=p), scheme="ecn", not_ect=not_ect)
            count: Counter[int] = Counter()
            for ecn in (NOT_ECT, ECT_0):
                for _ in range(trials // 50):
                    count.update(self.marks([frame(ecn=ecn)] * 50))
            check(count[CE], trials, p, 3, f"CE where Not-ECT is to {not_ect}")
            assert count[ECT_0] + count[CE] == trials
            if not_ect == "pass":
                assert count[NOT_ECT] == trials
            else:
                check(trials - count[NOT_ECT], trials, p, 3, "Not-ECT dropped")
