# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about Figures 5 to 10 (fairness, RED), each with the rule that decides it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ..declaration import Claim
from ..statistics import Estimate, estimate
from ..verdicts import (
    Answer,
    Cases,
    Outcome,
    above,
    below,
    every,
    judged,
    share_above,
    text,
    verdict_of,
)
from .figures import FAIRNESS_PANELS, share_of_second
from .parameters import RD
from .rules import grid, mean_over, over_seeds, slope, tail_minus_front
from .scenarios import STRATEGIES

if TYPE_CHECKING:
    from ..dataset import Dataset, Row
    from .parameters import Parameters


def _unfairness(row: Row) -> float:
    return float(row["unfairness"])


def _efficiency(row: Row) -> float:
    return float(row["efficiency"])


def _queue(row: Row) -> float:
    return float(row["queue_max"])


def _long_share(data: Dataset, _parameters: Parameters) -> Outcome:
    shares = {
        strategy: mean_over(
            data, strategy, share_of_second, wanted=lambda t: t >= RD, family="threshold", scenario=4
        )
        for strategy in STRATEGIES
    }
    gain = over_seeds(
        grid(data, family="threshold", scenario=4),
        lambda rows: (
            sum(share_of_second(r) for (s, t), r in rows.items() if s == "front" and t >= RD)
            - 1.5 * sum(share_of_second(r) for (s, t), r in rows.items() if s == "tail" and t >= RD)
        ),
    )
    measured = (
        f"Share of the long RTT over T >= rd: {text(shares['tail'], 100)} % with mark-tail,"
        f" {text(shares['front'], 100)} % with mark-front"
    )
    return Outcome(
        verdict_of(above(gain, 0)), measured, "The paper: 6.49 % and 21.35 %, at a threshold not given."
    )


def _lock_out(data: Dataset, _parameters: Parameters) -> Outcome:
    def ratio(row: Row) -> float:
        return float(row["acked_packets"][0] / row["acked_packets"][1])

    tail = mean_over(data, "tail", ratio, wanted=lambda t: t >= RD, family="threshold", scenario=3)
    gap = tail_minus_front(data, ratio, wanted=lambda t: t >= RD, family="threshold", scenario=3)
    measured = (
        f"Old over new, T >= rd: {text(tail, digits=2)} with mark-tail,"
        f" {text(gap, digits=2)} less with mark-front"
    )
    return judged(
        {
            "mark-tail: the old gets over 1.2 times the new": above(tail, 1.2),
            "mark-front: less": above(gap, 0),
        },
        measured,
    )


def _trend(data: Dataset, _parameters: Parameters) -> Outcome:
    by_seed = grid(data, family="threshold", scenario=3)
    slopes = {
        strategy: over_seeds(
            by_seed,
            lambda rows, strategy=strategy: slope(
                {t: _unfairness(r) for (s, t), r in rows.items() if s == strategy}
            ),  # type: ignore[misc]
        )
        for strategy in STRATEGIES
    }
    flatter = over_seeds(
        by_seed,
        lambda rows: (
            slope({t: _unfairness(r) for (s, t), r in rows.items() if s == "tail"}) / 2
            - abs(slope({t: _unfairness(r) for (s, t), r in rows.items() if s == "front"}))
        ),
    )
    measured = (
        f"Unfairness per packet of T: {text(slopes['tail'], 1000, 2)}·10⁻³ with mark-tail,"
        f" {text(slopes['front'], 1000, 2)}·10⁻³ with mark-front"
    )
    return judged(
        {
            "mark-tail's rises": above(slopes["tail"], 0),
            "mark-front's is less than half as steep": above(flatter, 0),
        },
        measured,
    )


def _fairer(data: Dataset, _parameters: Parameters) -> Outcome:
    gaps = {
        number: tail_minus_front(data, _unfairness, family="threshold", scenario=number)
        for number in sorted(FAIRNESS_PANELS.values())
    }
    by_seed: dict[int, list[bool]] = {}
    for number in gaps:
        for seed, rows in grid(data, family="threshold", scenario=number).items():
            thresholds = [t for s, t in rows if s == "tail"]
            tail, front = (sum(_unfairness(rows[s, t]) for t in thresholds) for s in STRATEGIES)
            by_seed.setdefault(seed, []).append(front < tail)
    most, share = share_above(list(by_seed.values()), 0.75)
    limited = {f"scenario {number}": above(gaps[number], 0) for number in (5, 8) if number in gaps}
    measured = (
        f"Mark-front is the fairer, averaged over T, in {text(share, 100, 0)} % of the scenarios; gap"
        " (thousandths): " + ", ".join(f"scenario {number} {text(gap, 1000)}" for number, gap in gaps.items())
    )
    return judged({"in general": {"holds": True, "does not hold": False}.get(most), **limited}, measured)


def _red_buffer(data: Dataset, parameters: Parameters) -> Outcome:
    gaps = {
        weight: tail_minus_front(data, _queue, family="red", weight=weight) for weight in parameters.weights
    }
    verdict, why = every({f"w = {weight:g}": above(gap, 0) for weight, gap in gaps.items()})
    measured = ", ".join(f"w = {weight:g}: {text(gap)}" for weight, gap in gaps.items())
    return Outcome(verdict, f"Mark-tail's largest queue above mark-front's, packets: {measured}", why)


def _red_weight(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for strategy in STRATEGIES:
        queues = {w: mean_over(data, strategy, _queue, family="red", weight=w) for w in parameters.weights}
        for smaller, larger in itertools.pairwise(parameters.weights):
            a, b = queues[smaller], queues[larger]
            gap = Estimate(a.mean - b.mean, a.half_width + b.half_width, a.n)
            cases[f"mark-{strategy}, w {smaller:g} above {larger:g}"] = above(gap, 0)
        cases.tell(f"mark-{strategy}: " + ", ".join(f"{text(q)} (w = {w:g})" for w, q in queues.items()))
    return cases.outcome("Largest queue, averaged over min_th, packets: ", "; ")


def _red_efficiency(data: Dataset, parameters: Parameters) -> Outcome:
    by_seed: dict[int, list[bool]] = {}
    for weight in parameters.weights:
        for seed, rows in grid(data, family="red", weight=weight).items():
            by_seed.setdefault(seed, []).extend(
                _efficiency(rows["front", t]) >= _efficiency(rows["tail", t]) for s, t in rows if s == "tail"
            )
    almost, share = share_above(list(by_seed.values()), 0.9)
    cases: dict[str, Answer] = {"almost all thresholds": {"holds": True, "does not hold": False}.get(almost)}
    shown = []
    low, high = min(parameters.weights), max(parameters.weights)
    for strategy in STRATEGIES:
        actual, average = (
            mean_over(data, strategy, _efficiency, family="red", weight=weight) for weight in (high, low)
        )
        gap = Estimate(actual.mean - average.mean, actual.half_width + average.half_width, actual.n)
        cases[f"mark-{strategy}: w = {high:g} no worse than {low:g}"] = above(gap, -0.01)
        shown.append(f"mark-{strategy}: {text(gap, 100)}")
    measured = (
        f"Mark-front at least as efficient in {text(share, 100, 0)} % of weights and thresholds; efficiency"
        " at"
        f" w = {high:g} above that at {low:g}, points: {', '.join(shown)}"
    )
    return judged(cases, measured)


def _peak(data: Dataset, _parameters: Parameters) -> Outcome:
    peaks = {
        strategy: estimate([row["peak_s"] for row in data.select(family="trace", strategy=strategy)])
        for strategy in STRATEGIES
    }
    earlier = over_seeds(
        grid(data, family="trace"),
        lambda rows: (
            next(r["peak_s"] for (s, _), r in rows.items() if s == "tail")
            - next(r["peak_s"] for (s, _), r in rows.items() if s == "front")
        ),
    )
    measured = f"The queue peaks at {text(peaks['tail'], digits=2)} s and {text(peaks['front'], digits=2)} s"
    return Outcome(verdict_of(above(earlier, 0.1)), measured, "The paper: 1.98 s and 1.64 s.")


def _idle(data: Dataset, _parameters: Parameters) -> Outcome:
    idle = {
        strategy: estimate([row["fraction_idle"] for row in data.select(family="trace", strategy=strategy)])
        for strategy in STRATEGIES
    }
    gap = over_seeds(
        grid(data, family="trace"),
        lambda rows: (
            next(r["fraction_idle"] for (s, _), r in rows.items() if s == "tail")
            - next(r["fraction_idle"] for (s, _), r in rows.items() if s == "front")
        ),
    )
    measured = (
        f"The link idles {text(idle['tail'], 100)} % and {text(idle['front'], 100)} % of the time after 3 s"
    )
    return judged(
        {"mark-tail idles more": above(gap, 0), "mark-front avoids it": below(idle["front"], 0.01)}, measured
    )


def _red_fairer(data: Dataset, parameters: Parameters) -> Outcome:
    by_seed: dict[int, list[bool]] = {}
    for weight in parameters.weights:
        for seed, rows in grid(data, family="red", weight=weight).items():
            by_seed.setdefault(seed, []).extend(
                _unfairness(rows["front", t]) < _unfairness(rows["tail", t]) for s, t in rows if s == "tail"
            )
    verdict, share = share_above(list(by_seed.values()), 0.5)
    return Outcome(
        verdict, f"Mark-front is the fairer in {text(share, 100, 0)} % of weights and thresholds", ""
    )


_INTERVAL = "All bounds are met by the whole 95 % confidence interval over seeds."

CLAIMS = (
    Claim(
        "004-10",
        "Figure 5, section 6.5",
        "RTT 59 and 157 ms: the long one's share rises from 6.49 % (tail) to 21.35 % (front).",
        "Averaged over T >= rd, the share with mark-front is more than 1.5 times that with mark-tail."
        f" {_INTERVAL}",
        ("fig5",),
        _long_share,
    ),
    Claim(
        "004-11",
        "Figure 5 (a)",
        "Scenario 3: the old connection locks out the new one with mark-tail, less with mark-front.",
        "Averaged over T >= rd, the old one's packets are more than 1.2 times the new one's with mark-tail,"
        " and the"
        f" ratio is smaller with mark-front. {_INTERVAL}",
        ("fig5",),
        _lock_out,
    ),
    Claim(
        "004-12",
        "Figure 6 (b)",
        "Mark-tail's unfairness rises with T, mark-front's stays level.",
        "Slope of the least-squares line over T: above 0 with mark-tail, and with mark-front less than half"
        " of it in"
        f" size. {_INTERVAL}",
        ("fig6",),
        _trend,
    ),
    Claim(
        "004-13",
        "Figure 6",
        "Mark-front is fairer in general, also with 25 packets of buffer.",
        "Averaged over T, mark-front is fairer in more than three quarters of the scenarios, and surely in"
        f" scenarios 5 and 8, as far as they are drawn. {_INTERVAL}",
        ("fig6",),
        _fairer,
    ),
    Claim(
        "004-14",
        "Figure 7",
        "RED: mark-front needs less buffer at every w.",
        f"At each w the largest queue, averaged over min_th, is smaller. {_INTERVAL}",
        ("fig7",),
        _red_buffer,
    ),
    Claim(
        "004-15",
        "Figure 7",
        "A smaller w needs a larger buffer; w = 1 needs the least.",
        "For both strategies the largest queue, averaged over min_th, falls from each w to the next."
        f" {_INTERVAL}",
        ("fig7",),
        _red_weight,
    ),
    Claim(
        "004-16",
        "Figure 8",
        "RED: mark-front is more efficient at almost all thresholds; w = 1 is no worse than w = 0.002.",
        "Mark-front is at least as efficient at more than 90 % of weights and thresholds; for both"
        " strategies the"
        " efficiency at w = 1, averaged over min_th, is not more than a point below that at 0.002."
        f" {_INTERVAL}",
        ("fig8",),
        _red_efficiency,
    ),
    Claim(
        "004-17",
        "Figure 9",
        "The queue stops rising at 1.98 s with mark-tail, at 1.64 s with mark-front.",
        f"The largest queue comes more than 0.1 s earlier with mark-front. {_INTERVAL}",
        ("fig9",),
        _peak,
    ),
    Claim(
        "004-18",
        "Figure 9",
        "Mark-tail idles the link after congestion has ended, mark-front avoids it.",
        "After 3 s the link idles longer with mark-tail, and less than 1 % of the time with mark-front."
        f" {_INTERVAL}",
        ("fig9",),
        _idle,
    ),
    Claim(
        "004-19",
        "Figure 10",
        "RED: mark-front is fairer in most cases.",
        f"Mark-front is fairer at more than half of the weights and thresholds. {_INTERVAL}",
        ("fig10",),
        _red_fairer,
    ),
)
