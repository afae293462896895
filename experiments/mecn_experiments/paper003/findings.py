# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What the paper says, what came out, and a verdict by a rule that was fixed before the first run.

The rule: schemes are compared number of sources by number of sources, on the mean over seeds. A difference
counts when its 95 % confidence interval (Welch) lies wholly beyond a margin of 2 % of ECN's value, and
there is surely no difference when the interval lies wholly within the margin. A claim holds when it is so
for every N, and holds in part when for some N. It does not hold when it is so for no N and the opposite
counts for at least one, or when there is surely no difference for any. All else cannot be decided with so
few seeds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..statistics import Estimate, difference, estimate
from ..verdicts import Outcome
from .scenarios import HIGH_PAIR, LOW_PAIR, Scenario, Scheme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..verdicts import Verdict
    from .parameters import Parameters

CONFIDENCE_TEXT = (
    "A difference counts when its 95 % confidence interval (Welch, over seeds) lies wholly beyond 2 % of"
    " ECN's value; there is no difference when the interval lies wholly within that margin. A claim holds"
    " when it is so for every number of sources, in part when for some. The rule was fixed before the first"
    " run."
)

MARGIN = 0.02
"""Differences below this share of ECN's value do not count."""
FRONTIER_MARGIN = 0.005
"""Curves of throughput against delay that are surely closer than this, as link efficiency, are the same."""


@dataclass(frozen=True)
class Finding:
    """One claim of the paper and what this run says about it."""

    claim: str
    where: str
    says: str
    measured: tuple[str, ...]
    """Sentences."""
    verdict: Verdict


def outcome(claim: str, data: Dataset, parameters: Parameters) -> Outcome:
    """What the runs say about one claim."""
    (finding,) = [finding for finding in findings(data, parameters) if finding.claim == claim]
    measured, why = finding.measured[::2], finding.measured[1::2]
    return Outcome(finding.verdict, " ".join(measured), " ".join(why))


@dataclass(frozen=True)
class Comparison:
    """One measure of two scenarios at one number of sources."""

    n_sources: int
    first: float
    second: float
    change: Estimate

    @property
    def sign(self) -> Literal[-1, 0, 1] | None:
        """Direction of a difference that counts; 0: surely within the margin; None: open."""
        margin = MARGIN * abs(self.first)
        if math.isnan(self.change.half_width):
            return None
        if self.change.low > margin:
            return 1
        if self.change.high < -margin:
            return -1
        return 0 if self.change.low >= -margin and self.change.high <= margin else None


def compare(
    data: Dataset, pair: tuple[Scenario, Scenario], column: str, sources: Sequence[int]
) -> list[Comparison]:
    """A measure of a pair of scenarios for each number of sources."""
    comparisons = []
    for n in sources:
        first = data.values(column, scenario=pair[0].name, n_sources=n)
        second = data.values(column, scenario=pair[1].name, n_sources=n)
        comparisons.append(
            Comparison(n, estimate(first).mean, estimate(second).mean, difference(first, second))
        )
    return comparisons


def judge(comparisons: Sequence[Comparison], wanted: Literal[-1, 0, 1]) -> Verdict:
    """The verdict on the claim that every comparison has this sign."""
    signs = [comparison.sign for comparison in comparisons]
    agree = signs.count(wanted)
    if agree == len(signs):
        return "holds"
    if agree:
        return "holds in part"
    contrary = any(sign is not None and (sign == -wanted if wanted else True) for sign in signs)
    return "does not hold" if contrary or None not in signs else "undecided"


def weaker(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on a claim of several parts."""
    if all(verdict == "holds" for verdict in verdicts):
        return "holds"
    if all(verdict == "does not hold" for verdict in verdicts):
        return "does not hold"
    if any(verdict in ("holds", "holds in part") for verdict in verdicts):
        return "holds in part"
    return "undecided"


def describe(
    comparisons: Sequence[Comparison], measure: str, scale: float, wanted: Literal[-1, 0, 1]
) -> tuple[str, str]:
    """The numbers, and for which N they go the claimed way or not: two sentences."""
    words = {wanted: "as claimed", None: "open"}
    if wanted:
        words |= {-wanted: "the other way", 0: "no difference"}
    else:
        words |= {1: "higher", -1: "lower"}
    by_word: dict[str, list[str]] = {}
    for c in comparisons:
        by_word.setdefault(words[c.sign], []).append(str(c.n_sources))
    numbers = ", ".join(f"{_number(c.first * scale)} → {_number(c.second * scale)}" for c in comparisons)
    outcome = "; ".join(f"{word} at N = {', '.join(ns)}" for word, ns in by_word.items())
    return f"{measure}, ECN → MECN: {numbers}.", f"{outcome[:1].upper()}{outcome[1:]}."


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def findings(data: Dataset, parameters: Parameters) -> list[Finding]:
    """All claims of this paper that its runs decide."""
    sources = sorted(parameters.sources)
    empty = compare(data, LOW_PAIR, "fraction_empty", sources)
    low_deviation = compare(data, LOW_PAIR, "queue_std", sources)
    efficiency = compare(data, LOW_PAIR, "link_efficiency", sources)
    deviation = compare(data, HIGH_PAIR, "queue_std", sources)
    jitter = compare(data, HIGH_PAIR, "jitter_s", sources)
    throughput = compare(data, HIGH_PAIR, "link_efficiency", sources)
    low, high = LOW_PAIR, HIGH_PAIR
    found = [
        Finding(
            "003-1",
            "Figures 6 and 7",
            f"At low thresholds ({low[0].thresholds_text}, {low[1].thresholds_text}) ECN's queue oscillates"
            " strongly and is often empty; MECN's less.",
            describe(empty, "Time with empty queue (%)", 100, -1)
            + describe(low_deviation, "Standard deviation of the queue (packets)", 1, -1),
            weaker([judge(empty, -1), judge(low_deviation, -1)]),
        ),
        Finding(
            "003-2",
            "Figure 8",
            "At low thresholds MECN has the higher link efficiency.",
            describe(efficiency, "Link efficiency (%)", 100, 1),
            judge(efficiency, 1),
        ),
        Finding(
            "003-3",
            "Figures 9 and 10",
            f"At high thresholds ({high[0].thresholds_text}, {high[1].thresholds_text}) MECN's queue error"
            " and jitter are smaller at the same throughput.",
            describe(deviation, "Standard deviation of the queue (packets)", 1, -1)
            + describe(jitter, "Jitter (ms)", 1000, -1)
            + describe(throughput, "Link efficiency (%)", 100, 0),
            weaker([judge(deviation, -1), judge(jitter, -1), judge(throughput, 0)]),
        ),
    ]
    return [*found, _saturation(data, parameters), *_frontiers(data, parameters)]


def _saturation(data: Dataset, parameters: Parameters) -> Finding:
    """Throughput between the two highest thresholds of the frontier."""
    n = parameters.frontier_sources
    before, last = sorted(parameters.frontier, key=lambda thresholds: thresholds[2])[-2:]
    comparisons = []
    schemes: tuple[Scheme, ...] = ("ECN", "MECN")
    for scheme in schemes:
        pair = (Scenario(scheme, before), Scenario(scheme, last))
        (comparison,) = compare(data, pair, "link_efficiency", [n])
        comparisons.append(comparison)
    texts = [
        f"{scheme}: {c.first * 100:.1f} → {c.second * 100:.1f} %"
        for scheme, c in zip(schemes, comparisons, strict=True)
    ]
    return Finding(
        "003-4",
        "section 4.2",
        "Beyond some max_th the throughput cannot rise.",
        (f"Link efficiency at N = {n} from max_th {before[2]:g} to {last[2]:g}: " + "; ".join(texts) + ".",),
        judge(comparisons, 0),
    )


def frontier_gain(data: Dataset, parameters: Parameters, first: Scheme, second: Scheme) -> Estimate:
    """Mean height of one scheme's throughput-delay curve above another's, over the delays that both reach.

    For each seed both curves are joined linearly and compared at 200 delays; the estimate is over seeds.
    """
    n = parameters.frontier_sources
    gains = []
    for seed in range(1, parameters.seeds + 1):
        curves = []
        for scheme in (first, second):
            points = []
            for thresholds in parameters.frontier:
                name = Scenario(scheme, thresholds).name
                (delay,) = data.values("delay_mean_s", scenario=name, n_sources=n, seed=seed)
                (efficiency,) = data.values("link_efficiency", scenario=name, n_sources=n, seed=seed)
                points.append((delay, efficiency))
            curves.append(np.array(sorted(points)))
        low = max(curve[0, 0] for curve in curves)
        high = min(curve[-1, 0] for curve in curves)
        if low >= high:
            return Estimate(math.nan, math.nan, 0)
        delays = np.linspace(low, high, 200)
        a, b = (np.interp(delays, curve[:, 0], curve[:, 1]) for curve in curves)
        gains.append(float(np.mean(b - a)))
    return estimate(gains)


def _frontiers(data: Dataset, parameters: Parameters) -> list[Finding]:
    found = []
    cases: list[tuple[str, Scheme, Scheme, str]] = [
        ("003-5", "MECN", "ECN", "MECN gives the same throughput as ECN at a lower mean delay."),
        ("003-6", "MECN*", "MECN", "MECN*, with a larger K_MECN, does better still."),
    ]
    for claim, better, worse, says in cases:
        gain = frontier_gain(data, parameters, worse, better)
        if math.isnan(gain.half_width):
            verdict: Verdict = "undecided"
        elif gain.low > 0:
            verdict = "holds"
        elif gain.high < 0 or (gain.low > -FRONTIER_MARGIN and gain.high < FRONTIER_MARGIN):
            verdict = "does not hold"
        else:
            verdict = "undecided"
        found.append(
            Finding(
                claim,
                "Figure 14",
                says,
                (
                    f"At equal delay the link efficiency of {better} differs from {worse}'s by"
                    f" {gain.mean * 100:+.2f} ± {gain.half_width * 100:.2f} percentage points, averaged over"
                    f" the delays that both reach (N = {parameters.frontier_sources}).",
                ),
                verdict,
            )
        )
    return found
