# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Reference models of the data plane's arithmetic: real-valued, and bit for bit.

Written from the equations and from the formats in p4src/shared/types.p4, not from the P4 code, so that
tests which compare the two can fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller.entries import Entry, Exact, Range
from mecn_controller.fixed_point import AVERAGE_FRACTION_BITS, PROBABILITY_ONE
from mecn_controller.names import Signal

if TYPE_CHECKING:
    from collections.abc import Iterable


class RealEwma:
    """avg <- avg + w (q - avg), in binary64."""

    def __init__(self, weight: float, average: float = 0.0) -> None:
        self.weight = weight
        self.average = average

    def update(self, depth: int) -> float:
        """Take one sample, packets; the new average, packets."""
        self.average += self.weight * (depth - self.average)
        return self.average


class FixedEwma:
    """The same in unsigned Q16.48: differences cut towards zero to Q16.16, the weight in units of 2^-32."""

    def __init__(self, weight: int, average: int = 0) -> None:
        self.weight = weight
        self.average = average

    def update(self, depth: int) -> int:
        """Take one sample, packets; the new average, Q16.48."""
        sample = depth << AVERAGE_FRACTION_BITS
        if self.weight == PROBABILITY_ONE:
            self.average = sample
        else:
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
