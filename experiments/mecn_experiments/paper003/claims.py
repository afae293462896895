# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about section 4 (figures) and about tables 1 and 2, each with the rule that decides it.

The rules of 003-1 to 003-6 are as old as this experiment: schemes are compared at each number of sources, and
a difference counts when its 95 % confidence interval (Welch) lies wholly beyond a margin of 2 % of
ECN's value.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..declaration import Claim
from ..statistics import Estimate, difference, estimate
from ..verdicts import Answer, Cases, Outcome, above, below, every, judged, verdict_of, within
from .figures import values
from .scenarios import HIGH_PAIR, LOW_PAIR, Scenario, Scheme

if TYPE_CHECKING:
    from ..dataset import Dataset
    from .parameters import Parameters

MARGIN = 0.02
"""Differences below this share of ECN's value do not count."""
FRONTIER_MARGIN = 0.005
"""Curves of throughput against delay that are surely closer than this, as link efficiency, are the same."""


def compared(
    data: Dataset, parameters: Parameters, pair: tuple[Scenario, Scenario], n: int, column: str
) -> tuple[Estimate, Estimate, Estimate]:
    """A measure of two scenarios with n sources, and by how much the second's is larger."""
    first, second = (values(data, parameters, scenario, n, column) for scenario in pair)
    return estimate(first), estimate(second), difference(first, second)


def larger(first: Estimate, change: Estimate) -> Answer:
    """Whether the second is larger by more than the margin."""
    return above(change, MARGIN * abs(first.mean))


def smaller(first: Estimate, change: Estimate) -> Answer:
    """Whether the second is smaller by more than the margin."""
    return below(change, -MARGIN * abs(first.mean))


def same(first: Estimate, change: Estimate) -> Answer:
    """Whether they differ by no more than the margin."""
    margin = MARGIN * abs(first.mean)
    return within(change, -margin, margin)


_JUDGES = {"larger": larger, "smaller": smaller, "same": same}
_WORDS = {
    "fraction_empty": ("time with empty queue (%)", 100),
    "queue_std": ("standard deviation of the queue (packets)", 1),
    "link_efficiency": ("link efficiency (%)", 100),
    "jitter_s": ("jitter (ms)", 1000),
}


def _by_sources(
    pair: tuple[Scenario, Scenario],
    wanted: tuple[tuple[str, str], ...],
    data: Dataset,
    parameters: Parameters,
) -> Outcome:
    """Columns, and how MECN's is to be in relation to ECN's, for every number of sources."""
    cases = Cases()
    for column, relation in wanted:
        name, scale = _WORDS[column]
        numbers = []
        for n in sorted(parameters.sources):
            first, second, change = compared(data, parameters, pair, n, column)
            cases[f"{name.split(' (')[0]} at N = {n}"] = _JUDGES[relation](first, change)
            numbers.append(f"{_number(first.mean * scale)} → {_number(second.mean * scale)}")
        cases.tell(f"{name}: {', '.join(numbers)}")
    verdict, why = every(cases)
    sources = ", ".join(map(str, sorted(parameters.sources)))
    return Outcome(verdict, f"ECN → MECN at N = {sources}; {'; '.join(cases.told)}", why)


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _saturation(data: Dataset, parameters: Parameters) -> Outcome:
    n = parameters.frontier_sources
    before, last = sorted(parameters.frontier, key=lambda thresholds: thresholds[2])[-2:]
    cases = Cases()
    schemes: tuple[Scheme, ...] = ("ECN", "MECN")
    for scheme in schemes:
        pair = (Scenario(scheme, before), Scenario(scheme, last))
        first, second, change = compared(data, parameters, pair, n, "link_efficiency")
        cases[scheme] = same(first, change)
        cases.tell(f"{scheme} {first.mean * 100:.1f} → {second.mean * 100:.1f} %")
    measured = f"Link efficiency at N = {n} from max_th {before[2]:g} to {last[2]:g}: {', '.join(cases.told)}"
    return judged(cases, measured)


def frontier_gain(data: Dataset, parameters: Parameters, first: Scheme, second: Scheme) -> Estimate:
    """Mean height of one scheme's throughput-delay curve above another's, over the delays that both reach.

    For each seed both curves are joined linearly and compared at 200 delays; the estimate is over seeds.
    """
    n = parameters.frontier_sources
    by_scheme = []
    for scheme in (first, second):
        points = [Scenario(scheme, thresholds) for thresholds in parameters.frontier]
        delay = [values(data, parameters, at, n, "delay_mean_s") for at in points]
        efficiency = [values(data, parameters, at, n, "link_efficiency") for at in points]
        by_scheme.append(list(zip(zip(*delay, strict=True), zip(*efficiency, strict=True), strict=True)))
    gains = []
    for seeds in zip(*by_scheme, strict=True):
        curves = [np.array(sorted(zip(*axes, strict=True))) for axes in seeds]
        low = max(curve[0, 0] for curve in curves)
        high = min(curve[-1, 0] for curve in curves)
        if low >= high:
            return Estimate(math.nan, math.nan, 0)
        delays = np.linspace(low, high, 200)
        a, b = (np.interp(delays, curve[:, 0], curve[:, 1]) for curve in curves)
        gains.append(float(np.mean(b - a)))
    return estimate(gains)


def _frontier(better: Scheme, worse: Scheme, data: Dataset, parameters: Parameters) -> Outcome:
    gain = frontier_gain(data, parameters, worse, better)
    answer = above(gain, 0)
    if answer is None and within(gain, -FRONTIER_MARGIN, FRONTIER_MARGIN):
        answer = False
    measured = (
        f"At equal delay the link efficiency of {better} differs from {worse}'s by {gain.mean * 100:+.2f} ±"
        f" {gain.half_width * 100:.2f} percentage points, averaged over the delays that both reach"
        f" (N = {parameters.frontier_sources})"
    )
    return Outcome(verdict_of(answer), measured, "")


def _tables(data: Dataset, _parameters: Parameters) -> Outcome:
    """Exact: no interval, and one seed is enough."""
    lines: dict[str, list[str]] = {}
    expected: dict[str, str] = {}
    for row in data.select(family="table"):
        lines.setdefault(row["case"], []).append(row["observed"])
        expected[row["case"]] = row["expected"]
    verdict, why = every({case: set(seen) == {expected[case]} for case, seen in lines.items()})
    shown = "; ".join(f"{case} → {' or '.join(sorted(set(seen)))}" for case, seen in lines.items())
    return Outcome(verdict, f"Bits of the IP header or of the ACK → answer: {shown}", why)


_RULE = (
    " A difference counts when its 95 % confidence interval (Welch, over seeds) lies wholly beyond 2 % of"
    " ECN's"
    " value, and there is none when the interval lies wholly within that margin; so for every number of"
    " sources."
)

CLAIMS = (
    Claim(
        "003-1",
        "Figures 6, 7",
        "At low thresholds ECN's queue oscillates strongly and is often empty; MECN's less.",
        f"MECN's time with an empty queue and its standard deviation of the queue are smaller.{_RULE}",
        ("empty",),
        partial(_by_sources, LOW_PAIR, (("fraction_empty", "smaller"), ("queue_std", "smaller"))),
    ),
    Claim(
        "003-2",
        "Figure 8",
        "At low thresholds MECN has the higher link efficiency.",
        f"MECN's link efficiency is higher.{_RULE}",
        ("fig8",),
        partial(_by_sources, LOW_PAIR, (("link_efficiency", "larger"),)),
    ),
    Claim(
        "003-3",
        "Figures 9, 10",
        "At high thresholds MECN's queue error and jitter are smaller at the same throughput.",
        "MECN's standard deviation of the queue and its jitter are smaller, and its link efficiency is the"
        f" same.{_RULE}",
        ("deviation", "jitter"),
        partial(
            _by_sources,
            HIGH_PAIR,
            (("queue_std", "smaller"), ("jitter_s", "smaller"), ("link_efficiency", "same")),
        ),
    ),
    Claim(
        "003-4",
        "Section 4.2",
        "Beyond some max_th the throughput cannot rise.",
        "The link efficiency of ECN and of MECN is the same at the two highest thresholds of Figure 14: the"
        " 95 %"
        " confidence interval (Welch) of the difference lies wholly within 2 % of it.",
        ("fig14",),
        _saturation,
    ),
    Claim(
        "003-5",
        "Figure 14",
        "MECN gives the same throughput as ECN at a lower mean delay.",
        "The curves of throughput against delay are joined linearly and compared at equal delay, over the"
        " delays"
        " that both reach, seed by seed. On average MECN's is surely higher (95 % confidence interval over"
        " seeds);"
        " curves that are surely closer than half a percentage point are the same.",
        ("fig14",),
        partial(_frontier, "MECN", "ECN"),
    ),
    Claim(
        "003-6",
        "Figures 11 to 14",
        "MECN*, with a larger K_MECN, does better still.",
        "As 003-5, with MECN* and MECN.",
        ("fig14",),
        partial(_frontier, "MECN*", "MECN"),
    ),
    Claim(
        "003-11",
        "Tables 1, 2",
        "ACKs echo the level in CWR and ECE; the sender's window loses a fifth, two fifths, or half of it.",
        "Packets go from TCP through the compiled program to TCP and back: every line of both tables is"
        " observed"
        " exactly, in every run.",
        ("table1", "table2"),
        _tables,
    ),
)
