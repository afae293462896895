# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The loop's gain and delay margin under the law of `adapt.AdaptiveEcn`, beside a fixed max_p.

`python -m mecn_controller.adaptation_margins` prints them for paper 000's link. Flows of one round-trip
time are alone on it, as in the linearised model (`linear`).
"""

from __future__ import annotations

from dataclasses import dataclass

from mecn_controller.adapt import AdaptiveEcn, target_range
from mecn_controller.linear import loop_of
from mecn_controller.profile import Ecn, Ramp
from mecn_controller.text_table import aligned
from mecn_controller.theory import analyse

CAPACITY_PPS = 1250.0
RTTS_S = (0.02, 0.1, 0.3)
FLOWS = (5.0, 15.0, 30.0, 60.0, 120.0)
FIXED_P = 0.5


@dataclass(frozen=True)
class Row:
    """One number of flows of one round-trip time."""

    flows: float
    propagation_s: float
    max_p: float
    """By the law, within its bounds."""
    gain: float
    rtt_s: float
    """At the operating point, queueing included."""
    delay_margin_s: float | None
    """None: no delay upsets the loop."""
    fixed_gain: float
    """At the same queue with max_p 0.5."""


def margins() -> list[Row]:
    """The points at which the flows are held."""
    bounds = (80.0, 220.0)
    profile = Ecn(
        name="margins",
        min_th=5,
        max_th=30,
        max_p=FIXED_P,
        rtt_class_bounds_ms=bounds,
        rtt_class_max_p=(FIXED_P,) * len(RTTS_S),
    )
    found = []
    for flows in FLOWS:
        for number, propagation in enumerate(RTTS_S, start=1):
            rule = AdaptiveEcn(profile, CAPACITY_PPS, RTTS_S)
            rule.flows = tuple(flows if k == number else 0.0 for k in range(1 + len(RTTS_S)))
            max_p = rule.values()[number]
            steered = profile.of_class(max_p)
            analysis = analyse(steered, capacity_pps=CAPACITY_PPS, propagation_s=propagation, flows=flows)
            if analysis is None:
                continue
            margin = loop_of(analysis, capacity_pps=CAPACITY_PPS, flows=flows).margin()
            found.append(
                Row(
                    flows,
                    propagation,
                    max_p,
                    analysis.gain,
                    analysis.rtt_s,
                    None if margin is None else margin.delay_margin_s,
                    _gain_at_target(profile.of_class(FIXED_P), flows, propagation),
                )
            )
    return found


def _gain_at_target(profile: Ramp, flows: float, propagation_s: float) -> float:
    """Equation (6) of Quet et al. with the target queue in the round-trip time."""
    rtt = propagation_s + sum(target_range(profile)) / 2 / CAPACITY_PPS
    assert profile.max_p is not None
    slope = profile.max_p / (profile.max_th - profile.min_th)
    return slope * (rtt * CAPACITY_PPS) ** 3 / (2 * flows) ** 2


def main() -> None:
    """Print the table."""
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
                f"{row.fixed_gain:.2f}",
            ]
        )
    print("\n".join(aligned(rows)))


if __name__ == "__main__":
    main()
