# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Fluid-flow analysis of ECN and multi-level ECN: gain, delay margin, sensitivity (Quet et al., section 3).

Notation and units: N flows; C link capacity, packets per second; R0 round-trip time at the operating point,
seconds; T_p its part without queueing, seconds; alpha EWMA weight; L slope of a marking probability, per
packet; beta the part of its window that a sender gives up is 1/beta. The paper prints the phase margin with
the crossover frequency in the place of K once; it is pi - atan(omega/K), as for a loop gain of G / (1 +
s/K).
"""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from mecn_controller.policy.curve import curve_of
from mecn_controller.policy.profile import Mecn, Profile, Ramp

if TYPE_CHECKING:
    from collections.abc import Callable

BETA_INCIPIENT = 5.0
BETA_MODERATE = 2.5
BETA_ECN = 2.0


def gain_ecn(slope: float, rtt_s: float, capacity_pps: float, flows: float) -> float:
    """K_0, equation (6): L (R0 C)^3 / (2 N)^2."""
    return slope * (rtt_s * capacity_pps) ** 3 / (2 * flows) ** 2


def gain_mecn(
    slope_incipient: float,
    slope_moderate: float,
    rtt_s: float,
    capacity_pps: float,
    flows: float,
    beta_incipient: float = BETA_INCIPIENT,
    beta_moderate: float = BETA_MODERATE,
) -> float:
    """K_MECN, equation (7): (R0 C)^3 / (2 N^2) (L1 / beta1 + L2 / beta2)."""
    slopes = slope_incipient / beta_incipient + slope_moderate / beta_moderate
    return (rtt_s * capacity_pps) ** 3 / (2 * flows**2) * slopes


def filter_pole(capacity_pps: float, weight: float) -> float:
    """K, equation (10): -C ln(1 - alpha), rad/s."""
    if not 0 < weight < 1:
        raise ValueError(f"weight {weight} is not within 0 and 1: the average has no pole")
    return -capacity_pps * math.log1p(-weight)


@dataclass(frozen=True)
class Margin:
    """Stability of the loop."""

    crossover_rad_s: float
    """omega = K sqrt(gain^2 - 1)."""
    phase_margin_rad: float
    """pi - atan(omega / K)."""
    delay_margin_s: float
    """Phase margin / omega - R0; how much more delay the loop can bear. Below 0 it oscillates."""


def margin(gain: float, pole: float, rtt_s: float) -> Margin | None:
    """Equations (8) and (9).

    None for a gain of at most 1, where the loop crosses nowhere and no delay can upset it.
    """
    if gain <= 1:
        return None
    crossover = pole * math.sqrt(gain * gain - 1)
    phase = math.pi - math.atan(crossover / pole)
    return Margin(crossover, phase, phase / crossover - rtt_s)


def sensitivity(gain: float) -> float:
    """Relative steady-state error of the queue: 1 / (1 + gain)."""
    return 1 / (1 + gain)


@dataclass(frozen=True)
class Analysis:
    """A profile at its operating point."""

    queue_packets: float
    rtt_s: float
    gain: float
    pole_rad_s: float
    margin: Margin | None

    @property
    def sensitivity(self) -> float:
        """1 / (1 + gain)."""
        return sensitivity(self.gain)


def profile_betas(profile: Profile) -> tuple[float, float]:
    """What senders divide their window by, by incipient and moderate marks: 5 and 2.5 for mecn, else 2."""
    return (BETA_INCIPIENT, BETA_MODERATE) if isinstance(profile, Mecn) else (BETA_ECN, BETA_ECN)


def given_up(profile: Profile, betas: tuple[float, float]) -> Callable[[float], float]:
    """Mean part of the window given up for each packet, as a function of the average: in plain floats."""
    curve = curve_of(profile)
    lefts = [float(s.left) for s in curve.segments]
    rows = [
        (
            float(s.left),
            float(s.right),
            float(s.p_incipient_left),
            float(s.slope_incipient),
            float(s.p_moderate_left),
            float(s.slope_moderate),
        )
        for s in curve.segments
    ]
    severe = math.inf if curve.severe is None else float(curve.severe)
    beta_incipient, beta_moderate = betas

    def part(average: float) -> float:
        if average >= severe:
            return 1 / beta_moderate
        index = bisect.bisect_right(lefts, average) - 1
        if index < 0 or average >= rows[index][1]:
            return 0.0
        left, _, p1, slope1, p2, slope2 = rows[index]
        offset = average - left
        p_moderate = p2 + slope2 * offset
        return (p1 + slope1 * offset) * (1 - p_moderate) / beta_incipient + p_moderate / beta_moderate

    return part


def analyse(
    profile: Profile,
    *,
    capacity_pps: float,
    propagation_s: float,
    flows: float,
    betas: tuple[float, float] | None = None,
) -> Analysis | None:
    """Gain and margins where the fluid model settles: W^2 (Prob1/beta1 + Prob2/beta2) = 1, W = R0 C / N.

    None if that is not below max_th: the marks between the thresholds do not hold the flows there.
    `propagation_s` is the round trip without queueing. `betas`: of incipient and moderate marks; 5 and 2.5
    for mecn, 2 for the single level of the others.
    """
    if not isinstance(profile, (Ramp, Mecn)):
        raise ValueError(f"scheme {profile.scheme} has no ramp to linearise")
    if betas is None:
        betas = profile_betas(profile)
    part = given_up(profile, betas)

    def excess(queue: float) -> float:
        window = (queue + capacity_pps * propagation_s) / flows
        return window**2 * part(queue) - 1

    low, high = profile.min_th, math.nextafter(profile.max_th, 0)
    if excess(high) < 0:
        return None
    while high - low > 1e-9 * max(1.0, high):
        middle = (low + high) / 2
        if excess(middle) < 0:
            low = middle
        else:
            high = middle
    queue = high
    rtt = queue / capacity_pps + propagation_s
    segment = next(s for s in curve_of(profile).segments if s.left <= Fraction(queue) < s.right)
    gain = gain_mecn(
        float(segment.slope_incipient), float(segment.slope_moderate), rtt, capacity_pps, flows, *betas
    )
    pole = filter_pole(capacity_pps, float(profile.ewma_weight))
    return Analysis(queue, rtt, gain, pole, margin(gain, pole, rtt))
