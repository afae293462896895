# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Thresholds and probabilities that keep a delay margin over a range of flows and round-trip times.

The gain of equations (6) and (7) goes with (R0 C)^3 / N^2. Few flows with long round-trip times therefore
endanger stability, and many with short ones ask for more marks than the curve has. Where a level of marks
begins the gain jumps up. A profile is judged on a grid over the whole range, its ends and those jumps
included; at each point by the loop with all its poles (`linear.Loop`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mecn_controller.errors import ProfileError
from mecn_controller.policy.curve import curve_of
from mecn_controller.policy.profile import Profile, parse_profile
from mecn_controller.theory.analysis import analyse, given_up, profile_betas
from mecn_controller.theory.linear import loop_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mecn_controller.theory.analysis import Analysis, Margin
    from mecn_controller.theory.linear import Loop

SCHEMES = ("mecn", "ecn", "ecnm", "red")
"""Schemes that can be tuned."""
GRID = 5
"""Points on each axis of the range, at equal ratios."""
SIZE_RATIO = 1.25
"""From one tried size of the thresholds to the next."""
PROBABILITIES = tuple(float(f"{p:.3g}") for p in np.geomspace(0.005, 1.0, 25))
"""Values of max_p that are tried."""
SHAPE = (1, 2, 3)
"""min_th to mid_th to max_th, as in section 4.2 of the paper (30, 60, 90)."""
MODEL_WINDOW = 4.0
"""Below so many packets three duplicate ACKs cannot tell of a loss: timeouts, which the model leaves out."""
MAX_QUEUE_S = 2.0
"""Thresholds are tried up to the queue that takes so long to send."""


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What is to be kept."""

    rate_bps: float
    packet_bytes: int
    rtt_s: tuple[float, float]
    """Least and largest round-trip time without queueing."""
    flows: tuple[float, float]
    """Fewest and most flows."""
    delay_margin_s: float
    scheme: str = "mecn"
    """A scheme with one or two ramps: mecn, ecn, ecnm or red."""
    weight: float = 0.002

    def __post_init__(self) -> None:
        for name, (low, high) in (("round-trip times", self.rtt_s), ("flows", self.flows)):
            if not 0 < low <= high < math.inf:
                raise ValueError(f"{name} from {low:g} to {high:g}: give two rising numbers above 0")
        if self.scheme not in SCHEMES:
            raise ValueError(f"scheme {self.scheme} is not tuned here: {', '.join(SCHEMES)} are")
        if not 0 < self.rate_bps < math.inf or self.packet_bytes < 1:
            raise ValueError("rate and packet length must be above 0")
        if not 0 < self.weight < 1:
            raise ValueError(f"weight {self.weight:g} is not within 0 and 1")

    @property
    def capacity_pps(self) -> float:
        """C, packets per second."""
        return self.rate_bps / (8 * self.packet_bytes)

    def points(self) -> Iterator[tuple[float, float]]:
        """Flows and round-trip times of the grid."""
        axes = [
            np.geomspace(low, high, GRID if high > low else 1).tolist()
            for low, high in (self.flows, self.rtt_s)
        ]
        for flows in axes[0]:
            for rtt in axes[1]:
                yield flows, rtt


@dataclass(frozen=True)
class Point:
    """A profile with so many flows of one round-trip time."""

    flows: float
    propagation_s: float
    analysis: Analysis | None
    """None: the marks below max_th do not hold the flows."""
    loop: Loop | None
    margin: Margin | None
    """Of the loop with all poles; None where the gain is at most 1, and no delay upsets it."""

    @property
    def delay_margin_s(self) -> float:
        """Infinite where no delay upsets the loop; minus infinity where the flows are not held."""
        if self.analysis is None:
            return -math.inf
        return math.inf if self.margin is None else self.margin.delay_margin_s

    def __str__(self) -> str:
        return f"{self.flows:g} flows, {self.propagation_s * 1e3:g} ms"


@dataclass(frozen=True)
class Assessment:
    """A profile over the range."""

    profile: Profile
    demand: Demand
    points: tuple[Point, ...]

    @property
    def worst(self) -> Point:
        """The point with the least delay margin."""
        return min(self.points, key=lambda point: point.delay_margin_s)

    @property
    def not_held(self) -> tuple[Point, ...]:
        """Where marks below max_th do not hold the flows: the queue goes there."""
        return tuple(point for point in self.points if point.analysis is None)

    @property
    def small_windows(self) -> tuple[Point, ...]:
        """Where senders have fewer than `MODEL_WINDOW` packets on their way, and the model ends."""
        capacity = self.demand.capacity_pps
        return tuple(
            point
            for point in self.points
            if point.analysis is not None and point.analysis.rtt_s * capacity / point.flows < MODEL_WINDOW
        )

    @property
    def kept(self) -> bool:
        """Whether the wanted margin is kept everywhere."""
        return self.worst.delay_margin_s >= self.demand.delay_margin_s


def assess(profile: Profile, demand: Demand) -> Assessment:
    """Judge a profile over the range."""
    points = []
    for flows, rtt in [*demand.points(), *_jumps(profile, demand)]:
        analysis = analyse(profile, capacity_pps=demand.capacity_pps, propagation_s=rtt, flows=flows)
        loop = None if analysis is None else loop_of(analysis, capacity_pps=demand.capacity_pps, flows=flows)
        points.append(Point(flows, rtt, analysis, loop, None if loop is None else loop.margin()))
    return Assessment(profile, demand, tuple(points))


def _jumps(profile: Profile, demand: Demand) -> Iterator[tuple[float, float]]:
    """Flows of the range with which the queue settles just where a further level begins."""
    part = given_up(profile, profile_betas(profile))
    begins = [float(segment.left) for segment in curve_of(profile).segments[1:]]
    for rtt in sorted({rtt for _, rtt in demand.points()}):
        for queue in begins:
            # From W^2 part(q) = 1 with W = (q + C T_p) / N; a little more, to be above the jump.
            flows = (queue + demand.capacity_pps * rtt) * math.sqrt(part(queue)) * (1 + 1e-6)
            if demand.flows[0] < flows < demand.flows[1]:
                yield flows, rtt


def make_profile(demand: Demand, thresholds: tuple[float, float, float], max_p: float) -> Profile:
    """A profile of the demand's scheme; `mid_th` counts for mecn only. ProfileError if it cannot be."""
    low, middle, high = thresholds
    document: dict[str, object] = {
        "name": f"{demand.scheme}, tuned",
        "scheme": demand.scheme,
        "min_th": float(low),
        "max_th": float(high),
        "max_p": max_p,
        "weight": demand.weight,
        "mean_service_time_us": 1e6 / demand.capacity_pps,
    }
    if demand.scheme == "mecn":
        document["mid_th"] = float(middle)
    return parse_profile(document, "tuned profile")


def _sizes(demand: Demand) -> Iterator[tuple[float, float, float]]:
    size, last = 1.0, 0
    while SHAPE[2] * round(size) <= max(MAX_QUEUE_S * demand.capacity_pps, SHAPE[2]):
        if round(size) != last:
            last = round(size)
            yield SHAPE[0] * last, SHAPE[1] * last, SHAPE[2] * last
        size *= SIZE_RATIO


@dataclass(frozen=True)
class Tuning:
    """What the search came to."""

    demand: Demand
    best: Assessment
    """What was found; where nothing keeps the margin, what comes nearest to it."""
    max_p: tuple[float, float] | None
    """Least and largest max_p that keep the margin with these thresholds; None if none does."""

    @property
    def found(self) -> bool:
        """Whether the margin is kept over the whole range."""
        return self.best.kept


def tune(demand: Demand, thresholds: tuple[float, float, float] | None = None) -> Tuning:
    """The smallest thresholds that keep the margin, and with them the max_p of the least error.

    With `thresholds` only max_p is looked for. Smaller thresholds mean less queueing delay; and of what
    keeps the margin the highest gain follows the load best (section 3 of the paper). ProfileError where
    no profile can be made of the thresholds.
    """
    nearest: Assessment | None = None
    problem: ProfileError | None = None
    for size in [thresholds] if thresholds is not None else _sizes(demand):
        good: list[Assessment] = []
        values: list[float] = []
        for max_p in PROBABILITIES:
            try:
                found = assess(make_profile(demand, size, max_p), demand)
            except ProfileError as error:
                problem = error  # steeper than a ramp can be
                continue
            if found.kept:
                good.append(found)
                values.append(max_p)
            if nearest is None or _distance(found) < _distance(nearest):
                nearest = found
        if good:
            best = good[-1]
            return Tuning(demand, best, (values[0], values[-1]))
    if nearest is None:
        assert problem is not None  # each value either gave an assessment or a problem
        raise problem
    return Tuning(demand, nearest, None)


def _distance(found: Assessment) -> tuple[int, float]:
    """How far an assessment is from a demand: points not held, then what the margin lacks."""
    held = [p.delay_margin_s for p in found.points if p.analysis is not None]
    return len(found.not_held), found.demand.delay_margin_s - min(held, default=-math.inf)


# ---- Marks by the actual queue (Liu and Jain) --------------------------------------------------------------


@dataclass(frozen=True)
class ThresholdRule:
    """Threshold and buffer for marks by the actual queue, packets (Liu and Jain, theorems 2 to 4)."""

    pipe: float
    """rd: packets on their way, round-trip time without queueing times rate."""
    threshold: float
    """T = rd - 1: the least with which one connection keeps the link busy; not below 0."""
    buffer_tail: float
    """2 T + rd - 1: what slow start can fill if packets are marked when they arrive."""
    buffer_front: float
    """T + rd: the same if they are marked when they leave."""


def threshold_rule(rate_pps: float, rtt_s: float) -> ThresholdRule:
    """The rule for a link of `rate_pps` packets per second."""
    if rate_pps <= 0 or rtt_s <= 0:
        raise ValueError("rate and round-trip time must be above 0")
    pipe = rate_pps * rtt_s
    threshold = max(pipe - 1, 0.0)
    return ThresholdRule(pipe, threshold, max(2 * threshold + pipe - 1, 0.0), threshold + pipe)
