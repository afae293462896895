# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Claims about section 3, the theory: computed for this network, and tested in it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ..declaration import Claim
from ..statistics import Estimate, difference, estimate
from ..verdicts import Answer, Cases, Outcome, above, below, judged, text
from .claims import smaller
from .scenarios import HIGH_PAIR, Scenario
from .theory import Computed, computed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..dataset import Dataset, Row
    from .parameters import Parameters

LOST = 0.01
"""Of the link efficiency: less is no loss of throughput."""


def _swept(parameters: Parameters) -> Scenario:
    return Scenario("MECN", parameters.gain_thresholds)


def _of(data: Dataset, scenario: Scenario, n: int, max_p: float, column: str) -> list[float]:
    return data.values(column, family="section 3", scenario=scenario.name, n_sources=n, max_p=max_p)


def _rise(data: Dataset, scenario: Scenario, few: int, more: int, max_p: float) -> Estimate:
    """By how much more sources raise the queue."""
    return difference(
        _of(data, scenario, few, max_p, "queue_mean"), _of(data, scenario, more, max_p, "queue_mean")
    )


def _trade_off(data: Dataset, parameters: Parameters) -> Outcome:
    few, more = parameters.gain_sources
    swept, gains = _swept(parameters), parameters.gain_max_p
    points = [(max_p, computed(parameters, swept, few, max_p)) for max_p in gains]
    cases: dict[str, Answer] = {f"held at max_p {max_p:g}": found is not None for max_p, found in points}
    held = [found for _, found in points if found is not None]
    steps = list(itertools.pairwise(held))
    cases["computed: the gain rises"] = all(a.gain < b.gain for a, b in steps)
    cases["computed: the delay margin falls"] = all(a.delay_margin_s > b.delay_margin_s for a, b in steps)
    cases["with all poles: it falls"] = all(a.full_margin_s > b.full_margin_s for a, b in steps)
    cases["computed: the sensitivity improves"] = all(a.sensitivity > b.sensitivity for a, b in steps)
    shifts = [_rise(data, swept, few, more, max_p) for max_p in (gains[0], gains[-1])]
    gap = Estimate(shifts[0].mean - shifts[1].mean, shifts[0].half_width + shifts[1].half_width, shifts[0].n)
    cases["network: the queue follows the load less"] = above(gap, 0)
    measured = (
        f"From max_p {gains[0]:g} to {gains[-1]:g}: K {held[0].gain:.1f} → {held[-1].gain:.1f}, delay margin"
        f" {held[0].delay_margin_s:.2f} → {held[-1].delay_margin_s:.2f} s, sensitivity"
        f" {held[0].sensitivity:.2f} → {held[-1].sensitivity:.2f}; in the network {more} instead of {few}"
        f" sources"
        f" raise the queue by {text(shifts[0])} → {text(shifts[1])} packets"
        if held
        else ""
    )
    return judged(cases, measured)


def settled_on(parameters: Parameters, *, below_mid: bool) -> list[tuple[int, Computed, Computed]]:
    """Numbers of sources with which the model has MECN's queue settle on this side of mid_th, and ECN's below
    max_th, at Figure 9 and 10's thresholds; with what it says of ECN and of MECN."""
    ecn, mecn = HIGH_PAIR
    found = []
    for n in sorted(parameters.sources):
        single, multi = (computed(parameters, scheme, n, parameters.max_p) for scheme in (ecn, mecn))
        if single and multi and (multi.queue < mecn.thresholds[1]) == below_mid:
            found.append((n, single, multi))
    return found


def _margin_below(data: Dataset, parameters: Parameters) -> Outcome:
    cases = Cases()
    for n, ecn, mecn in settled_on(parameters, below_mid=True):
        first, second = (_of(data, scenario, n, parameters.max_p, "queue_std") for scenario in HIGH_PAIR)
        cases[f"N = {n}, computed"] = mecn.delay_margin_s > ecn.delay_margin_s
        cases[f"N = {n}, with all poles"] = mecn.full_margin_s > ecn.full_margin_s
        cases[f"N = {n}, the queue oscillates less"] = smaller(estimate(first), difference(first, second))
        cases.tell(
            f"N = {n}: delay margin {ecn.delay_margin_s:.2f} → {mecn.delay_margin_s:.2f} s, standard"
            f" deviation of"
            f" the queue {text(estimate(first))} → {text(estimate(second))} packets"
        )
    return cases.outcome("ECN → MECN; ", "; ", empty="")


def _sensitivity_above(data: Dataset, parameters: Parameters) -> Outcome:
    points = settled_on(parameters, below_mid=False)
    cases = Cases()
    for n, ecn, mecn in points:
        cases[f"N = {n}, computed"] = mecn.sensitivity < ecn.sensitivity
        cases.tell(f"N = {n}: sensitivity {ecn.sensitivity:.2f} → {mecn.sensitivity:.2f}")
    if len(points) > 1:
        few, more = points[0][0], points[-1][0]
        ecn_shift, mecn_shift = (_rise(data, scenario, few, more, parameters.max_p) for scenario in HIGH_PAIR)
        gap = Estimate(
            ecn_shift.mean - mecn_shift.mean, ecn_shift.half_width + mecn_shift.half_width, ecn_shift.n
        )
        cases["network: the queue follows the load less"] = above(gap, 0)
        cases.tell(
            f"in the network {more} instead of {few} sources raise the queue by {text(ecn_shift)} →"
            f" {text(mecn_shift)} packets"
        )
    return cases.outcome("ECN → MECN; ", "; ", empty="")


def _too_high(data: Dataset, parameters: Parameters) -> Outcome:
    few, _ = parameters.gain_sources
    swept = _swept(parameters)

    def at(max_p: float, measure: Callable[[Row], float]) -> list[float]:
        rows = data.select(family="section 3", scenario=swept.name, n_sources=few, max_p=max_p)
        return [measure(row) for row in rows]

    efficiency = {p: at(p, lambda row: float(row["link_efficiency"])) for p in parameters.gain_max_p}
    swing = {p: at(p, lambda row: row["queue_std"] / row["queue_mean"]) for p in parameters.gain_max_p}
    highest = parameters.gain_max_p[-1]
    best = max(parameters.gain_max_p[:-1], key=lambda p: estimate(efficiency[p]).mean)
    lost = difference(efficiency[best], efficiency[highest])
    margins = [computed(parameters, swept, few, p) for p in (best, highest)]
    computed_text = " → ".join("not held" if m is None else f"{m.delay_margin_s:.2f} s" for m in margins)
    measured = (
        f"From max_p {best:g} (the most efficient) to {highest:g}, N = {few}: computed delay margin"
        f" {computed_text}; standard deviation over mean of the queue"
        f" {text(estimate(swing[best]), digits=2)} → {text(estimate(swing[highest]), digits=2)}, link"
        f" efficiency"
        f" {text(estimate(efficiency[best]), 100)} → {text(estimate(efficiency[highest]), 100)} %"
    )
    return judged(
        {
            "oscillates more": above(difference(swing[best], swing[highest]), 0),
            "costs throughput": below(lost, -LOST),
        },
        measured,
    )


CLAIMS = (
    Claim(
        "003-7",
        "Figure 4",
        "The delay margin falls and the sensitivity improves as the gain rises.",
        "Computed by equations 7, 8 and 10 at the operating point of each max_p: at each step the gain"
        " rises, the"
        " delay margin falls (also with the poles that the paper leaves out) and 1 / (1 + K) falls. In the"
        " network:"
        " more sources raise the queue surely less at the highest gain than at the lowest (95 % confidence"
        " intervals).",
        ("fig4",),
        _trade_off,
    ),
    Claim(
        "003-8",
        "Section 3",
        "Below mid_th MECN's delay margin is above ECN's: its queue oscillates less.",
        "For each number of sources with which the model has MECN settle below mid_th at 30/60/90: the"
        " computed"
        " margin is larger, by equations 8 and 9 and with all poles; and in the network the standard"
        " deviation of"
        " the queue is smaller, its 95 % confidence interval (Welch) wholly beyond 2 % of ECN's value.",
        ("fig4",),
        _margin_below,
    ),
    Claim(
        "003-9",
        "Section 3",
        "Above mid_th MECN's sensitivity is better than ECN's: its queue follows the load less.",
        "For each number of sources with which the model has MECN settle above mid_th at 30/60/90, and ECN"
        " below"
        " max_th: 1 / (1 + K) is smaller. In the network the largest of these numbers raises the queue"
        " surely less"
        " above that with the smallest (95 % confidence intervals).",
        ("fig4",),
        _sensitivity_above,
    ),
    Claim(
        "003-10",
        "Section 3",
        "Too high a gain makes the queue oscillate and costs throughput.",
        "In the network, at the highest gain of the sweep the queue's standard deviation over its mean is"
        " surely"
        " larger, and the link efficiency surely lower by more than one percentage point, than at the lower"
        " gain"
        " that is the most efficient (95 % confidence intervals, Welch).",
        ("fig13",),
        _too_high,
    ),
)
