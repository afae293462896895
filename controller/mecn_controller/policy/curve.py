# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Marking curves: average queue depth -> probability of each level, as exact piecewise-linear functions.

This is the real-valued meaning of a profile, in rational arithmetic. Table entries are made from it
(entries.py), plots are drawn from it, and what the switch does is tested against it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from mecn_controller.policy.profile import (
    DropTail,
    EcnGentle,
    GentleRamp,
    Mecn,
    Profile,
    Ramp,
    Threshold,
    exact,
)


@dataclass(frozen=True)
class Levels:
    """What the curve asks for at one average depth.

    `p_moderate` is drawn first, and a packet that did not get it is drawn with `p_incipient`. With `severe`
    the moderate level is certain.
    """

    p_incipient: Fraction
    p_moderate: Fraction
    severe: bool = False

    @property
    def fraction_incipient(self) -> Fraction:
        """Fraction of packets that are signalled incipient congestion: p1 (1 - p2)."""
        return self.p_incipient * (1 - self.p_moderate)

    @property
    def fraction_moderate(self) -> Fraction:
        """Fraction of packets that are signalled moderate (or severe) congestion: p2."""
        return self.p_moderate


@dataclass(frozen=True)
class Segment:
    """Both levels' probabilities from average depth `left` (included) to `right` (excluded), packets.

    Linear in between.
    """

    left: Fraction
    right: Fraction
    p_incipient_left: Fraction
    p_incipient_right: Fraction
    p_moderate_left: Fraction
    p_moderate_right: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.left < self.right:
            raise ValueError(f"segment from {float(self.left)} to {float(self.right)} packets is empty")
        for low, high in (
            (self.p_incipient_left, self.p_incipient_right),
            (self.p_moderate_left, self.p_moderate_right),
        ):
            if not 0 <= low <= high <= 1:
                raise ValueError(f"probabilities {float(low)} to {float(high)} do not rise within 0 and 1")

    @property
    def slope_incipient(self) -> Fraction:
        """Probability per packet."""
        return (self.p_incipient_right - self.p_incipient_left) / (self.right - self.left)

    @property
    def slope_moderate(self) -> Fraction:
        """Probability per packet."""
        return (self.p_moderate_right - self.p_moderate_left) / (self.right - self.left)

    def at(self, average: Fraction) -> Levels:
        """The probabilities at a depth within the segment."""
        offset = average - self.left
        return Levels(
            self.p_incipient_left + self.slope_incipient * offset,
            self.p_moderate_left + self.slope_moderate * offset,
        )


@dataclass(frozen=True)
class Curve:
    """Segments in order, without overlap; no signal outside of them; `severe` from that depth on (None.

    Nowhere).
    """

    segments: tuple[Segment, ...]
    severe: Fraction | None

    def __post_init__(self) -> None:
        edge = Fraction(0)
        for segment in self.segments:
            if segment.left < edge:
                raise ValueError(f"segments overlap at {float(segment.left)} packets")
            edge = segment.right
        if self.severe is not None and self.severe < edge:
            raise ValueError(f"the severe region begins at {float(self.severe)} packets, within a segment")

    def evaluate(self, average: float | Fraction) -> Levels:
        """What the curve asks for at an average depth in packets (>= 0)."""
        depth = Fraction(average)
        if self.severe is not None and depth >= self.severe:
            return Levels(Fraction(0), Fraction(1), severe=True)
        for segment in self.segments:
            if segment.left <= depth < segment.right:
                return segment.at(depth)
        return Levels(Fraction(0), Fraction(0))

    def p_incipient(self, average: float | Fraction) -> float:
        """p1 at an average depth, for plots."""
        return float(self.evaluate(average).p_incipient)

    def p_moderate(self, average: float | Fraction) -> float:
        """p2 at an average depth, for plots."""
        return float(self.evaluate(average).p_moderate)


def _ramp(profile: Ramp) -> Curve:
    low, high, zero = exact(profile.min_th), exact(profile.max_th), Fraction(0)
    return Curve((Segment(low, high, zero, zero, zero, exact(profile.max_p)),), severe=high)


def _gentle(profile: GentleRamp) -> Curve:
    steep = _ramp(profile).segments[0]
    end, zero = 2 * steep.right, Fraction(0)
    if isinstance(profile, EcnGentle) and profile.gentle_signal == "drop":
        # The levels stand for what is done: incipient marks, moderate drops.
        steep = Segment(steep.left, steep.right, zero, steep.p_moderate_right, zero, zero)
        return Curve(
            (steep, Segment(steep.right, end, zero, zero, steep.p_incipient_right, Fraction(1))), end
        )
    gentle = Segment(steep.right, end, zero, zero, steep.p_moderate_right, Fraction(1))
    return Curve((steep, gentle), severe=end)


def _mecn(profile: Mecn) -> Curve:
    low, mid, high, zero = exact(profile.min_th), exact(profile.mid_th), exact(profile.max_th), Fraction(0)
    p1, p2 = exact(profile.p_incipient), exact(profile.p_moderate)
    p1_mid = p1 * (mid - low) / (high - low)
    incipient = Segment(low, mid, zero, p1_mid, zero, zero)
    both = Segment(mid, high, p1_mid, p1, zero, p2)
    return Curve((incipient, both), severe=high)


def _threshold(profile: Threshold) -> Curve:
    # The actual depth is a whole number of packets, so "above T" begins at the next whole number.
    return Curve((), severe=Fraction(int(profile.threshold) + 1))


def curve_of(profile: Profile) -> Curve:
    """The marking curve of a profile."""
    match profile:
        case DropTail():
            return Curve((), severe=None)
        case Threshold():
            return _threshold(profile)
        case GentleRamp():
            return _gentle(profile)
        case Ramp():
            return _ramp(profile)
        case Mecn():
            return _mecn(profile)
        case _:
            raise TypeError(f"no curve is known for {type(profile).__name__}")
