# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about Figures 5 to 10 (fairness, RED), each with the rule that decides it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ..declaration import Claim
from ..paired import at, of
from ..verdicts import (
    Answer,
    Cases,
    Outcome,
    above,
    below,
    equivalent,
    judged,
    not_inferior,
    share_above,
    superior,
    text,
    within,
)
from .figures import FAIRNESS_PANELS, share_of_second
from .parameters import RD
from .rules import grid, mean_over, slopes, tail_minus_front
from .scenarios import STRATEGIES

if TYPE_CHECKING:
    from ..dataset import Dataset, Row
    from .parameters import Parameters
    from .scenarios import Strategy


FAIRER = 0.005
"""Unfairness (1 less Jain's index) that differs by less counts as equal."""
STEEP = 0.001
"""Unfairness for each packet of T: 0.04 from T = 1 to 40."""
NO_WORSE = 0.005
"""Efficiencies that differ by less count as equal."""
SHARES: dict[Strategy, tuple[float, float]] = {"tail": (0.0649, 0.03), "front": (0.2135, 0.05)}
"""Section 6.5's share of the connection with the long round trip, and how near is the same."""
PEAKS_S: dict[Strategy, float] = {"tail": 1.98, "front": 1.64}
"""When Figure 9's queue stops rising."""


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
    gain = shares["front"] - shares["tail"]
    cases: dict[str, Answer] = {"it rises": superior(0.05, gain)}
    for strategy, (said, near) in SHARES.items():
        cases[f"mark-{strategy}: {100 * said:.2f} %"] = within(shares[strategy], said - near, said + near)
    measured = (
        f"Share of the long RTT over T >= rd: {text(shares['tail'], 100)} % with mark-tail,"
        f" {text(shares['front'], 100)} % with mark-front, {text(gain, 100)} points more"
    )
    return judged(cases, measured)


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
            "mark-front: less": superior(0.1, gap),
        },
        measured,
    )


def _trend(data: Dataset, _parameters: Parameters) -> Outcome:
    tail, front = (
        slopes(data, _unfairness, strategy, family="threshold", scenario=3) for strategy in STRATEGIES
    )
    measured = (
        f"Unfairness per packet of T: {text(tail, 1000, 2)}·10⁻³ with mark-tail,"
        f" {text(front, 1000, 2)}·10⁻³ with mark-front"
    )
    return judged(
        {"mark-tail's rises": superior(STEEP, tail), "mark-front's is level": equivalent(STEEP, front)},
        measured,
    )


def _fairer(data: Dataset, _parameters: Parameters) -> Outcome:
    gaps = {
        number: tail_minus_front(data, _unfairness, family="threshold", scenario=number)
        for number in sorted(FAIRNESS_PANELS.values())
    }
    seeds = sorted(next(iter(gaps.values())).by_seed)
    by_seed = [[gap.by_seed[seed] > FAIRER for gap in gaps.values()] for seed in seeds]
    most, share = share_above(by_seed, 0.75)
    limited = {f"scenario {number}": superior(FAIRER, gaps[number]) for number in (5, 8) if number in gaps}
    measured = (
        f"Mark-front is the fairer, averaged over T, in {text(share, 100, 0)} % of the scenarios; gap"
        " (thousandths): " + ", ".join(f"scenario {number} {text(gap, 1000)}" for number, gap in gaps.items())
    )
    return judged({"in general": {"holds": True, "does not hold": False}.get(most), **limited}, measured)


def _red_buffer(data: Dataset, parameters: Parameters) -> Outcome:
    gaps = {
        weight: tail_minus_front(data, _queue, family="red", weight=weight) for weight in parameters.weights
    }
    measured = ", ".join(f"w = {weight:g}: {text(gap)}" for weight, gap in gaps.items())
    cases = {f"w = {weight:g}": superior(1, gap) for weight, gap in gaps.items()}
    return judged(cases, f"Mark-tail's largest queue above mark-front's, packets: {measured}")


def _red_weight(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for strategy in STRATEGIES:
        queues = {w: mean_over(data, strategy, _queue, family="red", weight=w) for w in parameters.weights}
        for smaller, larger in itertools.pairwise(parameters.weights):
            gap = queues[smaller] - queues[larger]
            cases[f"mark-{strategy}, w {smaller:g} above {larger:g}"] = superior(1, gap)
        cases.tell(f"mark-{strategy}: " + ", ".join(f"{text(q)} (w = {w:g})" for w, q in queues.items()))
    return cases.outcome("Largest queue, averaged over min_th, packets: ", "; ")


def _red_efficiency(data: Dataset, parameters: Parameters) -> Outcome:
    by_seed: dict[int, list[bool]] = {}
    for weight in parameters.weights:
        for seed, rows in grid(data, family="red", weight=weight).items():
            by_seed.setdefault(seed, []).extend(
                _efficiency(rows["front", t]) >= _efficiency(rows["tail", t]) - NO_WORSE
                for s, t in rows
                if s == "tail"
            )
    almost, share = share_above(list(by_seed.values()), 0.9)
    cases: dict[str, Answer] = {"almost all thresholds": {"holds": True, "does not hold": False}.get(almost)}
    shown = []
    low, high = min(parameters.weights), max(parameters.weights)
    for strategy in STRATEGIES:
        most, least = (mean_over(data, strategy, _efficiency, family="red", weight=w) for w in (high, low))
        gap = most - least
        cases[f"mark-{strategy}: w = {high:g} no worse than {low:g}"] = not_inferior(0.01, gap)
        shown.append(f"mark-{strategy}: {text(gap, 100)}")
    measured = (
        f"Mark-front at least as efficient in {text(share, 100, 0)} % of weights and thresholds; efficiency"
        " at"
        f" w = {high:g} above that at {low:g}, points: {', '.join(shown)}"
    )
    return judged(cases, measured)


def _peak(data: Dataset, _parameters: Parameters) -> Outcome:
    peaks = {strategy: of(at(data, family="trace", strategy=strategy), "peak_s") for strategy in STRATEGIES}
    earlier = peaks["tail"] - peaks["front"]
    cases: dict[str, Answer] = {"mark-front's comes earlier": superior(0.1, earlier)}
    for strategy, said in PEAKS_S.items():
        cases[f"mark-{strategy}: {said} s"] = within(peaks[strategy], 0.85 * said, 1.15 * said)
    measured = f"The queue peaks at {text(peaks['tail'], digits=2)} s and {text(peaks['front'], digits=2)} s"
    return judged(cases, measured)


def _idle(data: Dataset, _parameters: Parameters) -> Outcome:
    idle = {
        strategy: of(at(data, family="trace", strategy=strategy), "fraction_idle") for strategy in STRATEGIES
    }
    gap = idle["tail"] - idle["front"]
    measured = (
        f"The link idles {text(idle['tail'], 100)} % and {text(idle['front'], 100)} % of the time after 3 s"
    )
    return judged(
        {"mark-tail idles more": superior(0.01, gap), "mark-front avoids it": below(idle["front"], 0.01)},
        measured,
    )


def _red_fairer(data: Dataset, parameters: Parameters) -> Outcome:
    by_seed: dict[int, list[bool]] = {}
    for weight in parameters.weights:
        for seed, rows in grid(data, family="red", weight=weight).items():
            by_seed.setdefault(seed, []).extend(
                _unfairness(rows["front", t]) < _unfairness(rows["tail", t]) - FAIRER
                for s, t in rows
                if s == "tail"
            )
    verdict, share = share_above(list(by_seed.values()), 0.5)
    return Outcome(
        verdict, f"Mark-front is the fairer in {text(share, 100, 0)} % of weights and thresholds", ""
    )


_TESTED = (
    "Each bound is tested at 2.5 % over seeds, in both directions; strategies are compared seed by seed."
)

CLAIMS = (
    Claim(
        "004-10",
        "Figure 5, section 6.5",
        "RTT 59 and 157 ms: the long one's share rises from 6.49 % (tail) to 21.35 % (front).",
        "Averaged over T >= rd (the paper does not give its T): within 3 points of 6.49 % with mark-tail,"
        " within 5 points of 21.35 % with mark-front, and more than 5 points more."
        f" {_TESTED}",
        ("fig5",),
        _long_share,
    ),
    Claim(
        "004-11",
        "Figure 5 (a)",
        "Scenario 3: the old connection locks out the new one with mark-tail, less with mark-front.",
        "Averaged over T >= rd, the old one's packets are more than 1.2 times the new one's with mark-tail,"
        " and the"
        f" ratio is more than 0.1 smaller with mark-front. {_TESTED}",
        ("fig5",),
        _lock_out,
    ),
    Claim(
        "004-12",
        "Figure 6 (b)",
        "Mark-tail's unfairness rises with T, mark-front's stays level.",
        "Slope of the least-squares line over T: above 0.001 for each packet with mark-tail, and within 0.001"
        f" of level with mark-front. {_TESTED}",
        ("fig6",),
        _trend,
    ),
    Claim(
        "004-13",
        "Figure 6",
        "Mark-front is fairer in general, also with 25 packets of buffer.",
        "Averaged over T, mark-front is fairer by more than 0.005 of Jain's index in more than three quarters"
        f" of the scenarios, and in scenarios 5 and 8, as far as they are drawn. {_TESTED}",
        ("fig6",),
        _fairer,
    ),
    Claim(
        "004-14",
        "Figure 7",
        "RED: mark-front needs less buffer at every w.",
        f"At each w the largest queue, averaged over min_th, is smaller by more than a packet. {_TESTED}",
        ("fig7",),
        _red_buffer,
    ),
    Claim(
        "004-15",
        "Figure 7",
        "A smaller w needs a larger buffer; w = 1 needs the least.",
        "For both strategies the largest queue, averaged over min_th, falls by more than a packet from each w"
        " to the next."
        f" {_TESTED}",
        ("fig7",),
        _red_weight,
    ),
    Claim(
        "004-16",
        "Figure 8",
        "RED: mark-front is more efficient at almost all thresholds; w = 1 is no worse than w = 0.002.",
        "Mark-front is not half a point less efficient at more than 90 % of weights and thresholds; for both"
        " strategies the"
        " efficiency at w = 1, averaged over min_th, is not more than a point below that at 0.002."
        f" {_TESTED}",
        ("fig8",),
        _red_efficiency,
    ),
    Claim(
        "004-17",
        "Figure 9",
        "The queue stops rising at 1.98 s with mark-tail, at 1.64 s with mark-front.",
        "The largest queue comes within 15 % of 1.98 s with mark-tail and of 1.64 s with mark-front, and more"
        f" than 0.1 s earlier. {_TESTED}",
        ("fig9",),
        _peak,
    ),
    Claim(
        "004-18",
        "Figure 9",
        "Mark-tail idles the link after congestion has ended, mark-front avoids it.",
        "After 3 s the link idles more than 1 % of the time longer with mark-tail, and less than 1 %"
        " of it with mark-front."
        f" {_TESTED}",
        ("fig9",),
        _idle,
    ),
    Claim(
        "004-19",
        "Figure 10",
        "RED: mark-front is fairer in most cases.",
        f"Mark-front is fairer at more than half of the weights and thresholds. {_TESTED}",
        ("fig10",),
        _red_fairer,
    ),
)
