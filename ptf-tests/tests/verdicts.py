# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Rules that no entry can break: Not-ECT is never marked, no level is lowered, checksums are right."""

from __future__ import annotations

from collections import Counter

from mecn_controller import Entry, names
from mecn_controller.policy.entries import Exact
from scapy.layers.inet import IP

from mecn_ptf.base import MecnTest
from mecn_ptf.frames import CE, CODEPOINTS, ECT_0, ECT_1, NOT_ECT, frame

SCHEMES = 32
PASS = "MecnEgress.marking.verdict.pass"


class VerdictTest(MecnTest):
    """Makes every row of the verdict table ask for the same, which no profile would."""

    def all_verdicts(self, action: str) -> None:
        """Replaces all rows."""
        self.controller.delete(self.controller.entries(names.VERDICT_TABLE))
        keys = [
            (scheme, signal, ecn) for scheme in range(SCHEMES) for signal in range(4) for ecn in CODEPOINTS
        ]
        self.controller.insert(
            [
                Entry(
                    names.VERDICT_TABLE,
                    (("scheme", Exact(scheme)), ("signal", Exact(signal)), ("ecn", Exact(ecn))),
                    action,
                )
                for scheme, signal, ecn in keys
            ]
        )


class CodepointMatrix(VerdictTest):
    """What each verdict makes of each codepoint."""

    def runTest(self) -> None:
        self.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
        for action, expected in (
            (names.MARK_INCIPIENT, {NOT_ECT: NOT_ECT, ECT_0: ECT_1, ECT_1: ECT_1, CE: CE}),
            (names.MARK_CE, {NOT_ECT: NOT_ECT, ECT_0: CE, ECT_1: CE, CE: CE}),
            (PASS, {NOT_ECT: NOT_ECT, ECT_0: ECT_0, ECT_1: ECT_1, CE: CE}),
        ):
            self.all_verdicts(action)
            for before, after in expected.items():
                assert self.forward(frame(ecn=before)).packet[IP].tos & 3 == after, (action, before)


class MarkedPacketsHaveRightChecksums(VerdictTest):
    """For many values of the octets that change, or stand beside those that do."""

    def runTest(self) -> None:
        self.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
        self.all_verdicts(names.MARK_CE)
        for ttl in range(2, 256, 7):
            classes = range(0, 64, 5)
            self.burst([frame(ttl=ttl, dscp=dscp, ecn=ECT_0) for dscp in classes])
            for dscp, departed in zip(classes, self.departures(), strict=True):
                packet = departed.packet
                assert packet[IP].tos == dscp << 2 | CE
                assert packet[IP].ttl == ttl - 1


class NotEctIsNeverMarkedAndNoLevelLowered(MecnTest):
    """Every scheme at every depth of a burst, with the four codepoints in turn."""

    def runTest(self) -> None:
        # A right switch marks nothing of a burst with a probability of 2 in 10^10 in all.
        order = {ECT_0: 0, ECT_1: 1, CE: 2}
        shapes: dict[str, dict[str, object]] = {
            "threshold": {"threshold": 2},
            "ecn": {"min_th": 2, "max_th": 61, "max_p": 1, "weight": 1, "not_ect": "pass"},
            "ecnm": {"min_th": 2, "max_th": 60, "max_p": 1, "weight": 1, "not_ect": "pass"},
            "mecn": {"min_th": 2, "mid_th": 10, "max_th": 60, "max_p": 1, "weight": 1},
        }
        sent = [CODEPOINTS[k % 4] for k in range(60)]
        self.slow()
        for scheme, shape in shapes.items():
            for mark_point in ("tail", "front"):
                self.apply({"scheme": scheme, "mark_point": mark_point, **shape})
                left = self.marks([frame(ecn=ecn) for ecn in sent])
                for before, after in zip(sent, left, strict=True):
                    if before == NOT_ECT:
                        assert after == NOT_ECT, (scheme, mark_point)
                    else:
                        assert order[after] >= order[before], (scheme, mark_point)
                assert Counter(left)[CE] > Counter(sent)[CE], "something was marked"
