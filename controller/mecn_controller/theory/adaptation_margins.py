# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The loop's gain and delay margin where a rule of `adapt` holds the queue, and what keeps it stable.

Either rule ends at the max_p that keeps the average at its target, so the law of `adapt.AdaptiveEcn` says
for both which max_p that is. Flows of one round-trip time are alone on the link, as in the linearised model
(`linear`). `python -m mecn_controller.theory.adaptation_margins` prints the margins for paper 000's link.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mecn_controller.errors import ProfileError
from mecn_controller.policy.profile import DEPTHS, Ecn, Ramp
from mecn_controller.text_table import aligned
from mecn_controller.theory.adaptation import TARGET, Law, Steerable, target_range
from mecn_controller.theory.analysis import analyse, filter_pole
from mecn_controller.theory.linear import loop_of

CAPACITY_PPS = 1250.0
RTTS_S = (0.02, 0.1, 0.3)
FLOWS = (5.0, 15.0, 30.0, 60.0, 120.0)
BOUNDS = (0.01, 1.0)
FIXED_P = 0.5
PAPER_000 = Ecn(name="margins", min_th=5, max_th=30, max_p=FIXED_P)

MANY_FLOWS = tuple(2 ** (n / 2) for n in range(2, 21))
"""2 to 1024: wherever the bounds of max_p leave the rule free."""
SPARE = 0.1
"""Part of the round-trip time that is kept as delay margin by what is proposed."""
LEAST_WEIGHT = 1e-6
WIDEST = 64
"""Times the thresholds."""


@dataclass(frozen=True)
class Row:
    """One number of flows of one round-trip time."""

    flows: float
    propagation_s: float
    max_p: float
    """By the law, within its bounds."""
    free: bool
    """Whether that is within the bounds by itself."""
    gain: float
    rtt_s: float
    """At the operating point, queueing included."""
    delay_margin_s: float | None
    """None: no delay upsets the loop."""


def margins(
    profile: Steerable = PAPER_000,
    *,
    capacity_pps: float = CAPACITY_PPS,
    rtts_s: Sequence[float] = RTTS_S,
    flows: Sequence[float] = FLOWS,
    bounds: tuple[float, float] = BOUNDS,
) -> list[Row]:
    """The points at which the flows are held; without those that the bounds do not let be held."""
    law = Law(profile, bounds)
    target_s = sum(target_range(profile)) / 2 / capacity_pps
    found = []
    for number in flows:
        for propagation in rtts_s:
            window = (propagation + target_s) * capacity_pps / number
            wanted = law.max_p(1 / window**2)
            max_p = min(bounds[1], max(bounds[0], wanted))
            steered = profile.of_class(max_p)
            analysis = analyse(steered, capacity_pps=capacity_pps, propagation_s=propagation, flows=number)
            if analysis is None:
                continue
            margin = loop_of(analysis, capacity_pps=capacity_pps, flows=number).margin()
            found.append(
                Row(
                    number,
                    propagation,
                    max_p,
                    max_p == wanted,
                    analysis.gain,
                    analysis.rtt_s,
                    None if margin is None else margin.delay_margin_s,
                )
            )
    return found


@dataclass(frozen=True)
class Check:
    """Whether a rule steers a port to where its loop is stable, by the model."""

    worst: Row | None
    """The least delay margin of those where max_p is free; None: no delay upsets the loop anywhere."""
    weight: float | None
    """The greatest round one that keeps the margin, where `worst` has none; None: there is none."""
    interval_s: float | None
    """The least from one decision to the next with that weight (`least_interval_s`)."""
    thresholds: tuple[float, ...] | None
    """Those that keep it with the present weight, in the same ratio, packets; None: there are none."""

    @property
    def stable(self) -> bool:
        """Whether the margin is not negative."""
        return self.worst is None or (self.worst.delay_margin_s or 0) >= 0

    def warning(self) -> str:
        """What is wrong, and what helps, in one line; empty where nothing is."""
        if self.stable or self.worst is None or self.worst.delay_margin_s is None:
            return ""
        remedies = []
        if self.weight is not None and self.interval_s is not None:
            interval_ms = _two_digits(self.interval_s * 1e3)
            remedies.append(f"weight {self.weight:g} with interval_ms {interval_ms:g}")
        if self.thresholds is not None:
            remedies.append(f"thresholds {'/'.join(f'{depth:g}' for depth in self.thresholds)}")
        helps = f"{' or '.join(remedies)} would" if remedies else "no weight and no thresholds"
        return (
            f"{self.worst.flows:.0f} flows of {self.worst.propagation_s * 1e3:g} ms alone have a delay margin"
            f" of {self.worst.delay_margin_s * 1e3:.0f} ms (gain {self.worst.gain:.3g}): their queue"
            f" oscillates, whatever max_p is steered to. By the same model"
            f" {helps} keep it stable"
        )


def check(
    profile: Steerable,
    *,
    capacity_pps: float,
    rtts_s: Sequence[float],
    bounds: tuple[float, float],
    step: float,
) -> Check:
    """Look for the least margin of flows of one of these round-trip times alone, and for a remedy.

    `step`: by which factor the rule changes max_p at most in one decision.
    """

    def worst(profile: Steerable) -> Row | None:
        rows = margins(profile, capacity_pps=capacity_pps, rtts_s=rtts_s, flows=MANY_FLOWS, bounds=bounds)
        risky = [row for row in rows if row.free and row.delay_margin_s is not None]
        return min(risky, key=lambda row: row.delay_margin_s or 0.0, default=None)

    def keeps(profile: Steerable) -> bool:
        row = worst(profile)
        return row is None or (row.delay_margin_s or 0.0) >= SPARE * row.rtt_s

    found = worst(profile)
    if found is None or (found.delay_margin_s or 0.0) >= 0:
        return Check(found, None, None, None)
    weight = _first(_round_weights(float(profile.ewma_weight)), lambda w: keeps(profile.replace(weight=w)))
    interval = None
    if weight is not None:
        slower = profile.replace(weight=weight)
        interval = least_interval_s(slower, capacity_pps=capacity_pps, rtt_s=max(rtts_s), step=step)
    names = [name for name in DEPTHS if getattr(profile, name, None) is not None]
    depths = [getattr(profile, name) for name in names]

    def widened(times: float) -> Steerable:
        return profile.replace(**{name: round(times * d) for name, d in zip(names, depths, strict=True)})

    def can(times: float) -> bool:
        try:
            return keeps(widened(times))
        except ProfileError:
            return False  # deeper than a queue can be

    times = _first([2 ** (n / 2) for n in range(1, 1 + 2 * round(math.log2(WIDEST)))], can)
    thresholds = None if times is None else tuple(float(round(times * depth)) for depth in depths)
    return Check(found, weight, interval, thresholds)


def least_interval_s(profile: Steerable, *, capacity_pps: float, rtt_s: float, step: float) -> float:
    """From one decision of a rule to the next, that it may not overshoot its target range.

    What a decision does is seen in the average after a round-trip time and the average's own time constant.
    Where the curve is a ramp, a max_p larger by the ratio of the range's ends brings the queue from its upper
    end to its lower one; so many decisions may come before the first of them is seen, and no more.
    """
    seen_after_s = 1 / filter_pole(capacity_pps, float(profile.ewma_weight)) + rtt_s
    return seen_after_s * math.log(step) / math.log(TARGET[1] / TARGET[0])


def _first(values: Sequence[float], fits: Callable[[float], bool]) -> float | None:
    return next((value for value in values if fits(value)), None)


def _round_weights(below: float) -> list[float]:
    """1, 2, 5 times powers of ten, falling."""
    steps = [float(f"{digit}e-{power}") for power in range(1, 7) for digit in (5, 2, 1)]
    return [step for step in steps if LEAST_WEIGHT <= step < below]


def _two_digits(value: float) -> float:
    """Rounded up."""
    power = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / power - 1e-9) * power


def gain_at_target(profile: Ramp, flows: float, propagation_s: float) -> float:
    """Equation (6) of Quet et al. with the target queue in the round-trip time."""
    rtt = propagation_s + sum(target_range(profile)) / 2 / CAPACITY_PPS
    assert profile.max_p is not None
    slope = profile.max_p / (profile.max_th - profile.min_th)
    return slope * (rtt * CAPACITY_PPS) ** 3 / (2 * flows) ** 2


def main() -> None:
    """Print the table, and what helps where a margin is negative."""
    head = [
        "flows",
        "RTT (ms)",
        "max_p",
        "gain",
        "R C / (max_th - min_th)",
        "delay margin (ms)",
        "gain at 0.5",
    ]
    rows = [head]
    for row in margins():
        margin = "any" if row.delay_margin_s is None else f"{row.delay_margin_s * 1e3:.0f}"
        rows.append(
            [
                f"{row.flows:g}",
                f"{row.propagation_s * 1e3:g}",
                f"{row.max_p:.4f}",
                f"{row.gain:.2f}",
                f"{row.rtt_s * CAPACITY_PPS / 25:.2f}",
                margin,
                f"{gain_at_target(PAPER_000, row.flows, row.propagation_s):.2f}",
            ]
        )
    print("\n".join(aligned(rows)))
    for rtt in RTTS_S:
        found = check(PAPER_000, capacity_pps=CAPACITY_PPS, rtts_s=(rtt,), bounds=BOUNDS, step=1.1)
        print(f"{rtt * 1e3:g} ms: {found.warning() or 'stable'}")


if __name__ == "__main__":
    main()
