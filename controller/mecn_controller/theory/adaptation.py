# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Rules that steer max_p by a port's reports: what a report says goes in, new probabilities come out.

No input or output and no clock here: time is an argument, so that the same objects run in virtual and in
real time.

`AdaptiveRed` is the rule of Floyd, Gummadi and Shenker (Adaptive RED, 2001): one max_p for all, moved by
the average. `AdaptiveEcn` is what Kinicki and Zheng ask for in their conclusion: a max_p for each class of
round-trip times, from the number of active flows, and from the average what the model leaves out.
docs/controller.md says why it is stable.
"""

from __future__ import annotations

import bisect
import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from mecn_controller.errors import ProfileError
from mecn_controller.policy.profile import Mecn, Ramp
from mecn_controller.theory.analysis import given_up, profile_betas

if TYPE_CHECKING:
    from mecn_controller.policy.profile import Profile
    from mecn_controller.reports import PortReport

RuleName = Literal["aecn", "adaptive-red"]

Steerable: TypeAlias = Ramp | Mecn

PROBABILITY_STEP = 1e-4
"""Steered probabilities are multiples of this, so that what stands on a switch can be read back as it was
meant."""

TARGET = (0.4, 0.6)
"""Target range of the average, as parts of the way from min_th to max_th (Adaptive RED, section 4)."""

MOST_FLOWS = 7000.0
"""A full map of active flows says only that there are more than about so many."""


def steerable(profile: Profile) -> Steerable:
    """The profile, if it has a max_p to steer. ValueError says why not."""
    if isinstance(profile, Ramp):
        return profile
    if isinstance(profile, Mecn):
        if profile.max_p is None:
            raise ValueError("only a profile with one max_p for both levels can be steered")
        return profile
    raise ValueError(f"scheme {profile.scheme} has no max_p to steer")


def probabilities(profile: Steerable) -> tuple[float, ...]:
    """max_p of the profile's own curve (class 0), then those of its classes."""
    assert profile.max_p is not None
    return (profile.max_p, *profile.rtt_class_max_p)


def with_probabilities(profile: Steerable, values: tuple[float, ...]) -> Steerable:
    """The profile with other probabilities, as `probabilities` gives them."""
    changes: dict[str, object] = {"max_p": values[0]}
    if profile.rtt_class_max_p:
        changes["rtt_class_max_p"] = list(values[1:])
    return profile.replace(**changes)


def target_range(profile: Steerable) -> tuple[float, float]:
    """The average that is aimed at, packets."""
    width = profile.max_th - profile.min_th
    return (profile.min_th + TARGET[0] * width, profile.min_th + TARGET[1] * width)


def _rounded(p: float, bounds: tuple[float, float]) -> float:
    return min(bounds[1], max(bounds[0], round(round(p / PROBABILITY_STEP) * PROBABILITY_STEP, 6)))


class Rule(Protocol):
    """A rule at work on one port."""

    bounds: tuple[float, float]
    """Least and greatest max_p."""

    @property
    def greatest_step(self) -> float:
        """The factor by which a decision changes max_p at most."""

    def on_report(self, report: PortReport, now_s: float) -> tuple[float, ...] | None:
        """New probabilities after a report that came at `now_s`; None where they stay as they are."""

    def adopt(self, values: tuple[float, ...]) -> None:
        """Go on from these probabilities, which stand on the switch."""


@dataclass
class _Pace:
    """At most one decision in each interval, whatever the clock does.

    A clock that jumps forward costs nothing: one decision, not those that were missed. One that jumps back is
    taken as it is.
    """

    interval_s: float
    _last_s: float = -math.inf

    def due(self, now_s: float) -> bool:
        """Whether it is time; if so, the next interval begins."""
        # Reports come once a period, by whichever packet ends it: a little early is not too early.
        if 0 <= now_s - self._last_s < 0.9 * self.interval_s:
            return False
        self._last_s = now_s
        return True


@dataclass
class AdaptiveRed:
    """Additive increase, multiplicative decrease of max_p (Floyd, Gummadi and Shenker 2001, figure 1).

    Every interval: above the target range max_p grows by min(increase, max_p / 4), below it max_p falls by
    the factor `decrease`. All classes get the same.
    """

    profile: Steerable
    interval_s: float = 0.5
    bounds: tuple[float, float] = (0.01, 0.5)
    increase: float = 0.01
    decrease: float = 0.9
    _pace: _Pace = field(init=False)
    _values: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._pace = _Pace(self.interval_s)
        self._values = probabilities(self.profile)

    @property
    def greatest_step(self) -> float:
        """See `Rule.greatest_step`: a quarter more, or `decrease`."""
        return max(1.25, 1 / self.decrease)

    def adopt(self, values: tuple[float, ...]) -> None:
        """Go on from these."""
        self._values = values

    def on_report(self, report: PortReport, now_s: float) -> tuple[float, ...] | None:
        """See `Rule.on_report`."""
        if not self._pace.due(now_s):
            return None
        low, high = target_range(self.profile)
        p = self._values[0]
        if report.average > high and p < self.bounds[1]:
            p += min(self.increase, p / 4)
        elif report.average < low and p > self.bounds[0]:
            p *= self.decrease
        p = _rounded(p, self.bounds)
        values = (p,) * len(self._values)
        if values == self._values:
            return None
        self._values = values
        return values


@dataclass
class AdaptiveEcn:
    """A max_p for each class, from the number of active flows, trimmed by the average.

    N flows that share C packets per second alike have windows of W = R C / N, R the class's round-trip time
    with the target queue in it. The window rests where each packet costs 1 / W^2 of it (Quet et al.,
    equation 4 at rest). So the law: the max_p with which the curve costs so much at the target queue. For
    one ramp that is beta (N / (R C))^2 (max_th - min_th) / (q - min_th).

    What the model leaves out (timeouts, window limits, flows that are not seen) is left to one factor for
    all classes, which goes up and down by `trim_step` where the average is outside of the target range.
    Hysteresis: values are written only if one of them has changed by more than the part `dead_band`.
    """

    profile: Steerable
    capacity_pps: float
    """C: packets of mean size per second."""
    rtt_s: tuple[float, ...]
    """Round-trip time of each class without queueing, class 1 first."""
    interval_s: float = 0.5
    bounds: tuple[float, float] = (0.01, 1.0)
    trim_step: float = 1.1
    trim_bounds: tuple[float, float] = (1 / 16, 16.0)
    dead_band: float = 0.1
    smoothing: float = 0.25
    """Weight of a report in the estimate of active flows."""
    trim: float = 1.0
    flows: tuple[float, ...] = ()
    """Estimate of active flows, class 0 first; empty before the first report."""
    _pace: _Pace = field(init=False)
    _values: tuple[float, ...] = field(init=False)
    _law: Law = field(init=False)
    _last_end_us: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        classes = len(self.profile.rtt_class_max_p)
        if not classes:
            raise ValueError("aecn needs classes of round-trip times: rtt_class_max_p")
        if len(self.rtt_s) != classes:
            raise ValueError(f"{len(self.rtt_s)} round-trip times for {classes} classes")
        self._pace = _Pace(self.interval_s)
        self._values = probabilities(self.profile)
        self._law = Law(self.profile, self.bounds)

    @property
    def greatest_step(self) -> float:
        """See `Rule.greatest_step`; the number of flows is followed besides."""
        return self.trim_step

    def adopt(self, values: tuple[float, ...]) -> None:
        """Go on from these."""
        self._values = values

    def on_report(self, report: PortReport, now_s: float) -> tuple[float, ...] | None:
        """See `Rule.on_report`."""
        self._count(report)
        if not self._pace.due(now_s):
            return None
        low, high = target_range(self.profile)
        # Where all values are at a bound the trim would only wind up.
        if report.average > high and min(self._values) < self.bounds[1]:
            self.trim = min(self.trim_bounds[1], self.trim * self.trim_step)
        elif report.average < low and max(self._values) > self.bounds[0]:
            self.trim = max(self.trim_bounds[0], self.trim / self.trim_step)
        values = self.values()
        if not any(self._moved(a, b) for a, b in zip(self._values, values, strict=True)):
            return None
        self._values = values
        return values

    def _count(self, report: PortReport) -> None:
        seen = tuple(min(flows, MOST_FLOWS) for flows in report.active)[: 1 + len(self.rtt_s)]
        # A switch that was started anew counts its time from 0, and what was known of its flows is stale.
        if not self.flows or report.end_us < self._last_end_us:
            self.flows = seen
        else:
            pairs = zip(self.flows, seen, strict=True)
            self.flows = tuple(old + self.smoothing * (new - old) for old, new in pairs)
        self._last_end_us = report.end_us

    def _moved(self, old: float, new: float) -> bool:
        if new in self.bounds and old != new:
            return True
        return abs(math.log(new / old)) > math.log1p(self.dead_band)

    def values(self) -> tuple[float, ...]:
        """The probabilities for the present estimate and trim."""
        total = max(1.0, sum(self.flows))
        queue_s = sum(target_range(self.profile)) / 2 / self.capacity_pps
        # Class 0, of which nothing is known, is taken for the flows' mean.
        known = self.flows[1:]
        weights = known if sum(known) > 0 else (1.0,) * len(self.rtt_s)
        mean = sum(w * r for w, r in zip(weights, self.rtt_s, strict=True)) / sum(weights)
        found = []
        for rtt in (mean, *self.rtt_s):
            window = (rtt + queue_s) * self.capacity_pps / total
            found.append(_rounded(self.trim * self._law.max_p(1 / window**2), self.bounds))
        return tuple(found)


class Law:
    """Which max_p makes the curve cost so much of the window, for each packet, at the target queue."""

    def __init__(self, profile: Steerable, bounds: tuple[float, float]) -> None:
        if not 0 < bounds[0] < bounds[1] <= 1:
            raise ValueError(
                f"bounds {bounds[0]:g} and {bounds[1]:g} of max_p: give two rising numbers up to 1"
            )
        depth = sum(target_range(profile)) / 2
        ratio = bounds[1] / bounds[0]
        self._p: list[float] = [bounds[0] * ratio ** (n / 63.0) for n in range(64)]
        self._p[-1] = bounds[1]
        try:
            curves = [profile.of_class(p) for p in self._p]
        except ProfileError as error:
            raise ValueError(f"max_p up to {bounds[1]:g}: {error.problems[0].message}") from None
        betas = profile_betas(profile)
        self._cost = [given_up(curve, betas)(depth) for curve in curves]

    def max_p(self, cost: float) -> float:
        """Between the tabulated values by proportion, beyond them in proportion to the nearest."""
        index = bisect.bisect_left(self._cost, cost)
        if index == 0:
            return self._p[0] * cost / self._cost[0]
        if index == len(self._p):
            return self._p[-1] * cost / self._cost[-1]
        low, high = self._cost[index - 1], self._cost[index]
        part = (cost - low) / (high - low)
        return self._p[index - 1] + part * (self._p[index] - self._p[index - 1])


def class_rtts(bounds_ms: tuple[float, ...]) -> tuple[float, ...]:
    """Round-trip times that stand for the classes where none are given, seconds.

    Half of the first bound, the geometric means of neighbouring bounds, one and a half times the last.
    """
    if not bounds_ms:
        raise ValueError("a single class has no bounds to tell its round-trip time by: give rtt_ms")
    inner = [math.sqrt(a * b) for a, b in itertools.pairwise(bounds_ms)]
    return tuple(ms / 1e3 for ms in (bounds_ms[0] / 2, *inner, 1.5 * bounds_ms[-1]))
