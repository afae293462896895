# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Claims about section 3, the theory.

What equations 6 to 10 say of themselves (a margin that falls with the gain, a gain that rises with a second
level) is told with the verdict and decides nothing: it cannot fail. What decides is whether the network does
what follows from it.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ..declaration import Claim
from ..paired import at, of
from ..statistics import Estimate, estimate
from ..verdicts import Cases, Outcome, above, below, judged, text
from .claims import smaller
from .figures import swept, swept_low
from .scenarios import HIGH_PAIR, Scenario
from .theory import Computed, computed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset, Row
    from ..paired import Measure, Sample
    from .parameters import Parameters

LOST = 0.01
"""Of the link efficiency: less is no loss of throughput."""
SWING = 0.1
"""Of the queue's swing: less is no stronger oscillation."""
MOST = 0.75
"""Of the pairs of gains: where more go one way, the measure follows the gain."""


def _of(data: Dataset, scenario: Scenario, n: int, max_p: float, measure: Measure | str) -> Sample:
    return of(at(data, family="section 3", scenario=scenario.name, n_sources=n, max_p=max_p), measure)


def _swing(row: Row) -> float:
    """Standard deviation of the queue over its mean."""
    return float(row["queue_std"] / row["queue_mean"])


def _by_gain(
    data: Dataset, parameters: Parameters, scenario: Scenario, n: int, measure: Measure | str
) -> list[Sample]:
    """For each gain of the sweep."""
    return [_of(data, scenario, n, max_p, measure) for max_p in parameters.gain_max_p]


def _rise(data: Dataset, scenario: Scenario, few: int, more: int, max_p: float) -> Sample:
    """By how much more sources raise the queue."""
    return _of(data, scenario, more, max_p, "queue_mean") - _of(data, scenario, few, max_p, "queue_mean")


def rising_pairs(by_gain: Sequence[Sequence[float]]) -> Estimate:
    """The share of pairs of gains whose higher one has the larger value, over seeds. Equal ones have not."""
    shares = []
    for of_seed in zip(*by_gain, strict=True):
        pairs = list(itertools.combinations(of_seed, 2))
        shares.append(sum(b > a for a, b in pairs) / len(pairs))
    return estimate(shares)


def _trade_off(data: Dataset, parameters: Parameters) -> Outcome:
    few, more = parameters.gain_sources
    scenario, gains = swept(parameters), parameters.gain_max_p
    swing = _by_gain(data, parameters, scenario, few, _swing)
    rises = [_rise(data, scenario, few, more, max_p) for max_p in gains]
    swings_more = rising_pairs([each.numbers for each in swing])
    follows_less = rising_pairs([(each * -1).numbers for each in rises])
    cases = Cases()
    cases["the queue swings more"] = above(swings_more, MOST)
    cases["the queue follows the load less"] = above(follows_less, MOST)
    cases.tell(
        f"standard deviation over mean of the queue {text(swing[0], digits=2)} →"
        f" {text(swing[-1], digits=2)}, rising in {text(swings_more, 100, 0)} % of the pairs of"
        " gains"
    )
    cases.tell(
        f"{more} instead of {few} sources raise the queue by {text(rises[0])} →"
        f" {text(rises[-1])} packets, falling in {text(follows_less, 100, 0)} %"
    )
    ends = [computed(parameters, scenario, few, max_p) for max_p in (gains[0], gains[-1])]
    cases.tell(f"computed: {' → '.join(_computed_text(found) for found in ends)}")
    return cases.outcome(f"{scenario.name} from max_p {gains[0]:g} to {gains[-1]:g}: ", "; ")


def _computed_text(found: Computed | None) -> str:
    if found is None:
        return "not held below max_th"
    return (
        f"K {found.gain:.1f}, delay margin {found.delay_margin_s:.2f} s, sensitivity {found.sensitivity:.2f}"
    )


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
        queue = _of(data, HIGH_PAIR[1], n, parameters.max_p, "queue_mean")
        cases[f"N = {n}, MECN settles below mid_th"] = below(queue, HIGH_PAIR[1].thresholds[1])
        cases[f"N = {n}, the queue oscillates less"] = smaller(first, second - first)
        cases.tell(
            f"N = {n}: MECN's mean queue {text(queue)} packets, standard deviation of the queue"
            f" {text(first)} → {text(second)} packets, computed delay margin"
            f" {ecn.delay_margin_s:.2f} → {mecn.delay_margin_s:.2f} s"
        )
    return cases.outcome("ECN → MECN; ", "; ", empty="")


def _sensitivity_above(data: Dataset, parameters: Parameters) -> Outcome:
    points = settled_on(parameters, below_mid=False)
    cases = Cases()
    for n, ecn, mecn in points:
        queue = _of(data, HIGH_PAIR[1], n, parameters.max_p, "queue_mean")
        cases[f"N = {n}, MECN settles above mid_th"] = above(queue, HIGH_PAIR[1].thresholds[1])
        cases.tell(
            f"N = {n}: MECN's mean queue {text(queue)} packets, computed sensitivity"
            f" {ecn.sensitivity:.2f} → {mecn.sensitivity:.2f}"
        )
    if len(points) > 1:
        few, more = points[0][0], points[-1][0]
        ecn_rise, mecn_rise = (_rise(data, scenario, few, more, parameters.max_p) for scenario in HIGH_PAIR)
        cases["the queue follows the load less"] = smaller(ecn_rise, mecn_rise - ecn_rise)
        cases.tell(
            f"{more} instead of {few} sources raise the queue by {text(ecn_rise)} → {text(mecn_rise)} packets"
        )
    return cases.outcome("ECN → MECN; ", "; ", empty="")


def _too_high(data: Dataset, parameters: Parameters) -> Outcome:
    few, _ = parameters.gain_sources
    scenario, gains = swept_low(parameters), parameters.gain_max_p
    usual = min(range(len(gains) - 1), key=lambda place: abs(gains[place] - parameters.max_p))
    efficiency = _by_gain(data, parameters, scenario, few, "link_efficiency")
    swing = _by_gain(data, parameters, scenario, few, _swing)
    empty = _by_gain(data, parameters, scenario, few, "fraction_empty")
    measured = (
        f"{scenario.name}, N = {few}, from max_p {gains[usual]:g} to {gains[-1]:g}: standard deviation over"
        f" mean of the queue {text(swing[usual], digits=2)} →"
        f" {text(swing[-1], digits=2)}, empty {text(empty[usual], 100)} →"
        f" {text(empty[-1], 100)} % of the time, link efficiency"
        f" {text(efficiency[usual], 100)} → {text(efficiency[-1], 100)} %"
    )
    return judged(
        {
            "oscillates more": above(swing[-1] - swing[usual], SWING * swing[usual].mean),
            "costs throughput": below(efficiency[-1] - efficiency[usual], -LOST),
        },
        measured,
    )


CLAIMS = (
    Claim(
        "003-7",
        "Figure 4",
        "The delay margin falls and the sensitivity improves as the gain rises.",
        "By equations 7 and 8 it must; what follows from it is measured. Of all pairs of gains in the sweep"
        " more than three quarters have, at the higher gain, the larger swing of the queue (standard"
        " deviation over mean), and more than three quarters the smaller rise of the queue with more sources"
        " (95 % confidence intervals over seeds).",
        ("fig4",),
        _trade_off,
    ),
    Claim(
        "003-8",
        "Section 3",
        "Below mid_th MECN's delay margin is above ECN's: its queue oscillates less.",
        "For each number of sources with which the model has MECN settle below mid_th at 30/60/90: MECN's"
        " mean queue in the network is surely below mid_th, and its standard deviation is smaller than"
        " ECN's, the 95 % confidence interval (seed by seed) wholly beyond 2 % of ECN's value.",
        ("fig4",),
        _margin_below,
    ),
    Claim(
        "003-9",
        "Section 3",
        "Above mid_th MECN's sensitivity is better than ECN's: its queue follows the load less.",
        "For each number of sources with which the model has MECN settle above mid_th at 30/60/90, and ECN"
        " below max_th: MECN's mean queue in the network is surely above mid_th. The largest of these numbers"
        " raises MECN's queue surely less above that with the smallest than ECN's, by more than 2 % of ECN's"
        " rise (95 % confidence intervals, seed by seed).",
        ("fig4",),
        _sensitivity_above,
    ),
    Claim(
        "003-10",
        "Section 3",
        "Too high a gain makes the queue oscillate and costs throughput.",
        "At low thresholds, where the queue can run empty: at the highest gain of the sweep the queue's"
        " standard deviation over its mean is surely larger by more than a tenth, and the link efficiency"
        " surely lower by more than one percentage point, than at section 4's max_p (95 % confidence"
        " intervals, seed by seed).",
        ("fig13",),
        _too_high,
    ),
)
