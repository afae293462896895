# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Section 6.1: the eight scenarios, and a run's recipe."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from ..execute import SHARED_TCP
from ..variant import KEY, profile
from .parameters import BASE_RTT_MS, BOTTLENECK_BPS, PACKET_BYTES, PACKETS_PER_S, RD, Parameters

if TYPE_CHECKING:
    from mecn_controller.policy.profile import Profile

    from ..declaration import Recipe

Strategy = Literal["tail", "front"]
STRATEGIES: tuple[Strategy, ...] = ("tail", "front")
Family = Literal["threshold", "red", "trace", "window", "steady", "lossless", "long"]
"""What a run is for: Figures 3 to 6; 7, 8, 10; 9; Theorem 1; 4; buffers of the bounds' sizes; section 6.2."""

BASE_SOURCE_DELAY_S = 0.002
"""Gives the basic configuration its round trip of 59 ms: 2, 20, 4 ms each way, 7.2 ms of transmission."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Who sends when over which round trip."""

    number: int
    title: str
    rtts_ms: tuple[int, ...]
    """Fixed round trip of each connection, milliseconds."""
    limited: bool = False
    """Whether the buffer is limited."""
    overlapping: bool = False
    """The first connection stops a second before the end, the second one starts a second after the
    beginning."""

    @property
    def source_delays_s(self) -> tuple[float, ...]:
        """Propagation delay of each source's link."""
        return tuple(BASE_SOURCE_DELAY_S + (rtt - BASE_RTT_MS) / 2000 for rtt in self.rtts_ms)

    @property
    def rd_smallest(self) -> float:
        """The paper's rd for the smallest round trip, packets."""
        return RD + (min(self.rtts_ms) - BASE_RTT_MS) / 1000 * PACKETS_PER_S

    @property
    def rd_largest(self) -> float:
        """The paper's rd for the largest round trip, packets."""
        return RD + (max(self.rtts_ms) - BASE_RTT_MS) / 1000 * PACKETS_PER_S


SCENARIOS = {
    scenario.number: scenario
    for scenario in (
        Scenario(1, "one connection", (59,)),
        Scenario(2, "two connections, same RTT", (59, 59)),
        Scenario(3, "two overlapping connections", (59, 59), overlapping=True),
        Scenario(4, "two connections, RTT 59 and 157 ms", (59, 157)),
        Scenario(5, "two connections, limited buffer", (59, 59), limited=True),
        Scenario(6, "five connections, same RTT", (59,) * 5),
        Scenario(7, "five connections, RTT 59 to 257 ms", (59, 67, 137, 157, 257)),
        Scenario(8, "five connections, limited buffer", (59,) * 5, limited=True),
    )
}


def bound(strategy: Strategy, threshold: int, rd: float = RD) -> float:
    """Largest queue by Theorem 2 (mark-tail) or 3 (mark-front), packets."""
    return 2 * threshold + rd - 1 if strategy == "tail" else threshold + rd


OF_THRESHOLDS = ("own_packet",)
OF_RED = ("max_p", "above_max_th", "spacing", "idle_correction", "idle_packet_bytes")
"""Parameters that runs of one kind share, besides those of TCP."""


@dataclass(frozen=True, slots=True)
class Point:
    """A run without its seed and without what all runs share."""

    family: Family
    scenario: int
    strategy: Strategy
    threshold: int
    """T, or RED's min_th."""
    duration_s: float
    buffer: int
    weight: float | None = None
    """RED's, None: the actual queue is compared with T."""
    warmup_s: float = 0.0
    trace: bool = False
    """Keep queue and average over time (seed 1)."""
    window: bool = False
    """Compare the queue with the sender's window (Theorem 1)."""

    def recipe(self, parameters: Parameters) -> Recipe:
        """With what all runs share."""
        of_family = OF_THRESHOLDS if self.weight is None else OF_RED
        shared = parameters.model_dump(mode="json", include={"start_jitter_s", *SHARED_TCP, *of_family})
        return {**asdict(self), "shared": shared}


def point_of(recipe: Recipe) -> Point:
    """The point that a recipe was made of."""
    return Point(**{key: value for key, value in recipe.items() if key not in ("shared", KEY)})


def profile_of(recipe: Recipe) -> Profile:
    """What the controller pushes; raises :class:`ExperimentError` on an impossible combination."""
    point, shared = point_of(recipe), recipe["shared"]
    document: dict[str, object] = {
        "name": f"004 mark-{point.strategy} {point.threshold}",
        "mark_point": point.strategy,
        "not_ect": "pass",
    }
    if point.weight is None:
        # The data plane compares the other packets' number: what an arriving packet found, and what a
        # departing one leaves behind.
        document |= {"scheme": "threshold", "threshold": float(point.threshold - shared["own_packet"])}
    else:
        document |= {
            "scheme": "ecnm",
            "above_max_th": shared["above_max_th"],
            "weight": point.weight,
            "min_th": float(point.threshold),
            "max_th": 2.0 * point.threshold,
            "max_p": shared["max_p"],
            "spacing": shared["spacing"],
        }
        if shared["idle_correction"] and point.weight < 1:
            document["mean_service_time_us"] = 8e6 * PACKET_BYTES / BOTTLENECK_BPS
            document["idle_step_us"] = 8e6 * shared["idle_packet_bytes"] / BOTTLENECK_BPS
    return profile(recipe, document)


def check(recipe: Recipe) -> None:
    """Refuses what cannot be run."""
    profile_of(recipe)


def threshold_points(parameters: Parameters, scenarios: tuple[int, ...]) -> list[Recipe]:
    """Both strategies at every threshold (Figures 3 to 6)."""
    return [
        Point(
            "threshold",
            number,
            strategy,
            threshold,
            parameters.duration_s,
            parameters.limited_buffer if SCENARIOS[number].limited else parameters.buffer,
        ).recipe(parameters)
        for number in scenarios
        for strategy in STRATEGIES
        for threshold in parameters.thresholds
    ]


def red_points(parameters: Parameters) -> list[Recipe]:
    """Both strategies in RED, scenario 3, at every weight and min_th (Figures 7, 8, 10)."""
    return [
        Point("red", 3, strategy, min_th, parameters.duration_s, parameters.buffer, weight=weight).recipe(
            parameters
        )
        for weight in parameters.weights
        for strategy in STRATEGIES
        for min_th in parameters.red_min_th
    ]
