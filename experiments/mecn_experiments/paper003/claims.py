# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about section 4 (figures) and about tables 1 and 2, each with the rule that decides it.

Schemes are compared seed by seed on the settled queue, at each number of sources. A difference counts when
its 95 % confidence interval lies wholly beyond a margin of 2 % of ECN's value. Every rule asks for a margin,
so that more seeds alone cannot make a difference out of nothing. ECN is the paper's, which drops at or
above max_th; what the same rule says of ECN that marks there stands beside the verdict.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..declaration import Claim
from ..statistics import Estimate, estimate
from ..verdicts import Answer, Cases, Outcome, above, below, every, judged, superior, text, verdict_of, within
from .figures import values
from .scenarios import HIGH_THREE, LOW_THREE, Family, Scenario, Scheme

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..dataset import Dataset
    from ..verdicts import Verdict
    from .parameters import Parameters

    Curve = Sequence[tuple[Sequence[float], Sequence[float]]]
    """Points of throughput against delay: for each the seeds' mean delays and link efficiencies."""

MARGIN = 0.02
"""Differences below this share of ECN's value do not count."""
RISE_MARGIN = 0.005
"""Link efficiency that rises by no more than this does not rise."""
FRONTIER_MARGIN = 0.005
"""Curves of throughput against delay differ when they do by more than this, as link efficiency."""


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


Wanted = tuple[tuple[str, str], ...]
"""Columns, and how MECN's is to be in relation to ECN's."""


def by_sources(
    pair: tuple[Scenario, Scenario], wanted: Wanted, family: Family, data: Dataset, parameters: Parameters
) -> Cases:
    """The answers for every number of sources."""
    cases = Cases()
    for column, relation in wanted:
        name, scale = _WORDS[column]
        numbers = []
        for n in sorted(parameters.sources):
            first, second = (
                values(data, parameters, scenario, n, column, family=family) for scenario in pair
            )
            cases[f"{name.split(' (')[0]} at N = {n}"] = _JUDGES[relation](first, second - first)
            numbers.append(f"{_number(first.mean * scale)} → {_number(second.mean * scale)}")
        cases.tell(f"{name}: {', '.join(numbers)}")
    return cases


def _three(
    three: tuple[Scenario, Scenario, Scenario], wanted: Wanted, data: Dataset, parameters: Parameters
) -> Outcome:
    """The verdict against the paper's ECN; and what it would be against ECN that marks at max_th."""
    dropping, marking, mecn = three
    cases = by_sources((dropping, mecn), wanted, "section 4", data, parameters)
    verdict, why = every(cases)
    beside, tallied = every(by_sources((marking, mecn), wanted, "section 4", data, parameters))
    sources = ", ".join(map(str, sorted(parameters.sources)))
    measured = f"ECN → MECN at N = {sources}; {'; '.join(cases.told)}"
    return Outcome(verdict, measured, f"{why} Against ECN that marks at max_th: {beside} ({tallied[:-1]}).")


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _saturation(data: Dataset, parameters: Parameters) -> Outcome:
    n = parameters.frontier_sources
    before, last = sorted(parameters.frontier, key=lambda thresholds: thresholds[2])[-2:]
    cases = Cases()
    schemes: tuple[Scheme, ...] = ("ECN", "MECN")
    for scheme in schemes:
        first, second = (
            values(data, parameters, Scenario(scheme, thresholds), n, "link_efficiency")
            for thresholds in (before, last)
        )
        rise = second - first
        cases[scheme] = below(rise, RISE_MARGIN)
        cases.tell(f"{scheme} {first.mean * 100:.2f} % by {text(rise, 100, 2)} points")
    measured = (
        f"Link efficiency rises at N = {n} from max_th {before[2]:g} to {last[2]:g}: {', '.join(cases.told)}"
    )
    return judged(cases, measured)


def curve_gain(lower: Curve, upper: Curve) -> Estimate:
    """Mean height of the second curve above the first, over the delays that both reach.

    For each seed both curves are joined linearly and compared at 200 delays with equal ratios, so that the
    short delays, where throughput is not full, are not lost among the long ones. The estimate is over seeds.
    """
    gains = []
    for first, second in zip(_by_seed(lower), _by_seed(upper), strict=True):
        low, high = max(first[0, 0], second[0, 0]), min(first[-1, 0], second[-1, 0])
        if low >= high:
            return Estimate(math.nan, math.nan, 0)
        delays = np.geomspace(low, high, 200)
        a, b = (np.interp(delays, curve[:, 0], curve[:, 1]) for curve in (first, second))
        gains.append(float(np.mean(b - a)))
    return estimate(gains)


def _by_seed(curve: Curve) -> list[np.ndarray]:
    """For each seed its points of delay and efficiency, by delay."""
    points = [list(zip(delays, efficiencies, strict=True)) for delays, efficiencies in curve]
    return [np.array(sorted(of_seed)) for of_seed in zip(*points, strict=True)]


def frontier_gain(data: Dataset, parameters: Parameters, first: Scheme, second: Scheme) -> Estimate:
    """Mean height of one scheme's throughput-delay curve above another's."""
    n = parameters.frontier_sources

    def curve(scheme: Scheme) -> Curve:
        points = [Scenario(scheme, thresholds) for thresholds in parameters.frontier]
        return [
            (
                values(data, parameters, each, n, "delay_mean_s").numbers,
                values(data, parameters, each, n, "link_efficiency").numbers,
            )
            for each in points
        ]

    return curve_gain(curve(first), curve(second))


def better(gain: Estimate) -> Answer:
    """Whether a curve is higher by more than the margin."""
    return superior(FRONTIER_MARGIN, gain)


def _frontier(scheme: Scheme, others: Sequence[Scheme], data: Dataset, parameters: Parameters) -> Outcome:
    """The verdict against the first of the others."""
    gains = {other: frontier_gain(data, parameters, other, scheme) for other in others}
    told = ", ".join(
        f"{gain.mean * 100:+.2f} ± {gain.half_width * 100:.2f} percentage points above {other}'s"
        for other, gain in gains.items()
    )
    measured = (
        f"At equal delay the link efficiency of {scheme} is {told}, averaged over the delays that both reach"
        f" (N = {parameters.frontier_sources})"
    )
    verdicts = [(other, verdict_of(better(gain))) for other, gain in gains.items()]
    why = "; ".join(f"against {other}: {verdict}" for other, verdict in verdicts[1:])
    return Outcome(verdicts[0][1], measured, why and f"{why[0].upper()}{why[1:]}.")


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


EMPTY: Wanted = (("fraction_empty", "smaller"), ("queue_std", "smaller"))
EFFICIENCY: Wanted = (("link_efficiency", "larger"),)
CALM: Wanted = (("queue_std", "smaller"), ("jitter_s", "smaller"), ("link_efficiency", "same"))


def choices(data: Dataset, parameters: Parameters) -> Mapping[str, tuple[Verdict, ...]]:
    """Verdicts of 003-1 to 003-3 with the settled queue and with whole runs, each against ECN that drops and
    ECN that marks at max_th. The first is the claim's."""
    found: dict[str, tuple[Verdict, ...]] = {}
    families: tuple[Family, ...] = ("section 4", "whole")
    for claim, three, wanted in (
        ("003-1", LOW_THREE, EMPTY),
        ("003-2", LOW_THREE, EFFICIENCY),
        ("003-3", HIGH_THREE, CALM),
    ):
        found[claim] = tuple(
            every(by_sources((ecn, three[-1]), wanted, family, data, parameters))[0]
            for family in families
            for ecn in three[:-1]
        )
    return found


_RULE = (
    " A difference counts when its 95 % confidence interval (seed by seed) lies wholly beyond 2 % of ECN's"
    " value, and there is none when the interval lies wholly within that margin; so for every number of"
    " sources, on the settled queue. ECN drops at or above max_th."
)

CLAIMS = (
    Claim(
        "003-1",
        "Figures 6, 7",
        "At low thresholds ECN's queue oscillates strongly and is often empty; MECN's less.",
        f"MECN's time with an empty queue and its standard deviation of the queue are smaller.{_RULE}",
        ("empty",),
        partial(_three, LOW_THREE, EMPTY),
    ),
    Claim(
        "003-2",
        "Figure 8",
        "At low thresholds MECN has the higher link efficiency.",
        f"MECN's link efficiency is higher.{_RULE}",
        ("fig8",),
        partial(_three, LOW_THREE, EFFICIENCY),
    ),
    Claim(
        "003-3",
        "Figures 9, 10",
        "At high thresholds MECN's queue error and jitter are smaller at the same throughput.",
        "MECN's standard deviation of the queue and its jitter are smaller, and its link efficiency is the"
        f" same.{_RULE}",
        ("deviation", "jitter"),
        partial(_three, HIGH_THREE, CALM),
    ),
    Claim(
        "003-4",
        "Section 4.2",
        "Beyond some max_th the throughput cannot rise.",
        "From the second highest to the highest thresholds of Figure 14 the link efficiency of ECN and of"
        " MECN surely rises by no more than half a percentage point (95 % confidence interval, seed by"
        " seed); a fall does not speak against it.",
        ("fig14",),
        _saturation,
    ),
    Claim(
        "003-5",
        "Figure 14",
        "MECN gives the same throughput as ECN at a lower mean delay.",
        "The curves of throughput against delay are joined linearly and compared at equal delay, over the"
        " delays that both reach, seed by seed. On average MECN's is surely higher by more than half a"
        " percentage point (95 % confidence interval over seeds); it does not hold if it is surely not. ECN"
        " drops at or above max_th.",
        ("fig14",),
        partial(_frontier, "MECN", ("ECN", "ECNM")),
    ),
    Claim(
        "003-6",
        "Figures 11 to 14",
        "MECN*, with a larger K_MECN, does better still.",
        "As 003-5, with MECN* and MECN.",
        ("fig14",),
        partial(_frontier, "MECN*", ("MECN",)),
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
