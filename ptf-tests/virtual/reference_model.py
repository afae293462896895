# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Reference models of the data plane's arithmetic: real-valued, and bit for bit.

Written from the equations and from the formats in p4src (types.p4), not from the P4 code, so that
tests which compare the two can fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller.fixed_point import (
    AVERAGE_FRACTION_BITS,
    IDLE_DECAY_FRACTION_BITS,
    IDLE_TIME_MAX,
    LENGTH_MAX,
    PROBABILITY_ONE,
    SIZE_RATIO_FRACTION_BITS,
    SIZE_RATIO_MAX,
)
from mecn_controller.names import Signal, Spacing
from mecn_controller.policy.entries import Entry, Exact, Range

if TYPE_CHECKING:
    from collections.abc import Iterable


class RealEwma:
    """avg <- (1 - w)^m avg; avg <- avg + w (q - avg), in binary64. `service_time_us` gives m = idle / it."""

    def __init__(self, weight: float, average: float = 0.0, service_time_us: float | None = None) -> None:
        self.weight = weight
        self.average = average
        self.service_time_us = service_time_us

    def update(self, depth: int, idle_us: int = 0) -> float:
        """Take one sample, packets, after so much idle time; the new average, packets."""
        if self.service_time_us is not None:
            self.average *= (1 - self.weight) ** (idle_us / self.service_time_us)
        self.average += self.weight * (depth - self.average)
        return self.average


EXP2_COEFFICIENTS = (2977043459, 1031714237, 237977951, 40133167, 4310560)
"""C1 to C5 of 2^-f = 1 - f (C1 - f (C2 - f (C3 - f (C4 - f C5)))) within 3e-7, times 2^32."""


def exp2_negative(f: int) -> int:
    """2^-f for f in units of 2^-32, 0 <= f < 1; each product is cut to units of 2^-32."""
    value = 0
    for coefficient in (*reversed(EXP2_COEFFICIENTS), PROBABILITY_ONE):
        value = coefficient - (f * value >> 32)
    return value


class FixedEwma:
    """The same in unsigned Q16.48.

    Differences are cut towards zero to Q16.16, the weight is in units of 2^-32, the decay in halvings per
    microsecond times 2^40, and the remaining part of a halving is `exp2_negative`.
    """

    def __init__(self, weight: int, average: int = 0, idle_decay: int = 0) -> None:
        self.weight = weight
        self.average = average
        self.idle_decay = idle_decay

    def update(self, depth: int, idle_us: int = 0) -> int:
        """Take one sample, packets, after so much idle time; the new average, Q16.48."""
        sample = depth << AVERAGE_FRACTION_BITS
        if self.weight == PROBABILITY_ONE:
            self.average = sample
            return self.average
        exponent = min(idle_us, IDLE_TIME_MAX) * self.idle_decay
        if exponent:
            power = exp2_negative(exponent >> 8 & 0xFFFF_FFFF)
            shifted = self.average >> (exponent >> IDLE_DECAY_FRACTION_BITS)
            self.average = (shifted >> 32) * power + ((shifted & 0xFFFF_FFFF) * power >> 32)
        difference = sample - self.average
        cut = abs(difference) >> 32
        self.average += self.weight * cut if difference >= 0 else -self.weight * cut
        return self.average


@dataclass(frozen=True)
class FixedLevels:
    """Probabilities that the draws are compared with, in units of 2^-32; `severe` needs no draw."""

    p_incipient: int
    p_moderate: int
    severe: bool = False

    def signal(self, draw_moderate: int, draw_incipient: int) -> Signal:
        """The signal for two 32-bit draws."""
        if self.severe:
            return Signal.SEVERE
        if draw_moderate < self.p_moderate:
            return Signal.MODERATE
        if draw_incipient < self.p_incipient:
            return Signal.INCIPIENT
        return Signal.NONE


def ramp(left: int, p_left: int, slope: int, average: int) -> int:
    """p_left + slope * (average - left).

    Left Q16.16, average Q16.48 cut to Q16.16, the product cut to units of 2^-32.
    """
    offset = (average >> 32) - left
    return p_left + (slope * offset >> 16)


def size_ratio(length: int, byte_scale: int) -> int:
    """Packet length / mean packet size, Q7.24, from the length in bytes and 2^32 / mean size."""
    return min(SIZE_RATIO_MAX, min(length, LENGTH_MAX) * byte_scale >> 32 - SIZE_RATIO_FRACTION_BITS)


def scaled(p: int, ratio: int) -> int:
    """A probability times a size ratio, at most 1."""
    return min(PROBABILITY_ONE, p * ratio >> SIZE_RATIO_FRACTION_BITS)


class SpacedDraw:
    """One level's draws in units of 2^-32, by `spacing`.

    The gap between two signals is geometric (independent), uniform on 1 to 1/p packets (uniform: Floyd and
    Jacobson 1993, section 7) or uniform on 1/p to 2/p packets (wait: ns-2's RED, `wait_ true`).
    """

    def __init__(self, spacing: Spacing) -> None:
        self.spacing = spacing
        self.count = 0

    def fires(self, p: int, draw: int) -> bool:
        """Whether this packet gets the signal, for the curve's probability and a 32-bit draw."""
        if self.spacing is Spacing.INDEPENDENT:
            return draw < p
        if p == 0:
            self.count = 0
            return False
        if self.spacing is Spacing.WAIT:
            left = 2 * PROBABILITY_ONE - (self.count + 1) * p
            possible = left <= PROBABILITY_ONE
        else:
            left, possible = PROBABILITY_ONE - self.count * p, True
        fires = possible and (p >= left or draw * left < p << 32)
        self.count = 0 if fires else min(self.count + 1, 0xFFFF)
        return fires


def lookup(entries: Iterable[Entry], profile_id: int, average: int) -> FixedLevels:
    """What the entries of one aqm_curve table say at an average (Q16.48)."""
    key = average >> 40
    for entry in entries:
        keys = entry.field("avg_qdepth") or Range(0, (1 << 24) - 1)
        assert isinstance(keys, Range)
        if entry.field("profile_id") != Exact(profile_id) or not keys.low <= key <= keys.high:
            continue
        if entry.action.endswith(".severe"):
            return FixedLevels(0, 0, severe=True)
        p = dict(entry.params)
        return FixedLevels(
            ramp(p["left"], p["p_incipient_left"], p["slope_incipient"], average),
            ramp(p["left"], p["p_moderate_left"], p["slope_moderate"], average),
        )
    return FixedLevels(0, 0)
