# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Which profiles are compared, and a run's recipe."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Literal

from ..variant import profile
from .parameters import BOTTLENECK_BPS, HIGH, LOW, PACKET_BYTES, Parameters, Thresholds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mecn_controller.policy.profile import Profile

    from ..declaration import Recipe

Scheme = Literal["ECN", "ECNM", "MECN", "MECN*"]
"""ECN drops at or above max_th, as RED does (`above_max_th`); ECNM marks there, as MECN does."""
SCHEMES: tuple[Scheme, ...] = ("ECN", "ECNM", "MECN", "MECN*")
ONE_LEVEL: tuple[Scheme, ...] = ("ECN", "ECNM")
Family = Literal["section 4", "whole", "section 3", "ablation", "table"]
"""What a run is for: the paper's simulations with the settled queue; the same from the start on; its theory,
in the network; what each part of MECN does; tables 1 and 2."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scheme at certain thresholds."""

    scheme: Scheme
    thresholds: Thresholds

    @property
    def thresholds_text(self) -> str:
        """As the paper writes them: 1/4 for ECN, 1/2/4 for MECN."""
        low, middle, high = self.thresholds
        shown = (low, high) if self.scheme in ONE_LEVEL else (low, middle, high)
        return "/".join(f"{value:g}" for value in shown)

    @property
    def name(self) -> str:
        """ECN 1/4; unique among scenarios."""
        return f"{self.scheme} {self.thresholds_text}"


LOW_PAIR = (Scenario("ECN", LOW), Scenario("MECN", LOW))
HIGH_PAIR = (Scenario("ECN", HIGH), Scenario("MECN", HIGH))
LOW_THREE = (LOW_PAIR[0], Scenario("ECNM", LOW), LOW_PAIR[1])
HIGH_THREE = (HIGH_PAIR[0], Scenario("ECNM", HIGH), HIGH_PAIR[1])
TUNED = Scenario("MECN*", HIGH)
MAIN = (*LOW_THREE, *HIGH_THREE)


@dataclass(frozen=True, slots=True)
class Point:
    """A run without its seed and without what all runs share."""

    family: Family
    scheme: Scheme
    thresholds: Thresholds
    n_sources: int
    max_p: float
    trace: bool = False
    """Keep queue and average over time (seed 1)."""
    case: str = ""
    """Of tables 1 and 2: which line."""
    part: str = ""
    """Of the ablation: what is varied."""

    @property
    def scenario(self) -> Scenario:
        """Scheme and thresholds."""
        return Scenario(self.scheme, self.thresholds)

    def recipe(self, parameters: Parameters) -> Recipe:
        """With what all runs of the family share."""
        shared = parameters.model_dump(mode="json", exclude=NOT_SHARED)
        if self.family == "section 3":
            shared |= {"spacing": parameters.gain_spacing}
        elif self.family == "whole":
            shared |= {"warmup_s": 0.0}
        elif self.family == "table":
            shared = {}
        return {**asdict(self), "thresholds": [float(value) for value in self.thresholds], "shared": shared}


NOT_SHARED = {
    "seeds",
    "sources",
    "max_p",
    "max_p_star",
    "trace_sources",
    "frontier",
    "frontier_sources",
    "gain_sources",
    "gain_thresholds",
    "gain_max_p",
    "low_gain_thresholds",
    "gain_spacing",
    "ablation_frontier",
}
"""Parameters that say which runs there are, or that a point holds."""


def point_of(recipe: Recipe) -> Point:
    """The point that a recipe was made of."""
    values = {key: value for key, value in recipe.items() if key != "shared"}
    low, middle, high = values.pop("thresholds")
    return Point(thresholds=(low, middle, high), **values)


def point(scenario: Scenario, n_sources: int, parameters: Parameters) -> Point:
    """A run of section 4. Runs that a queue figure may draw keep their trace, so that figures share them."""
    return Point(
        "section 4",
        scenario.scheme,
        scenario.thresholds,
        n_sources,
        parameters.max_p_star if scenario.scheme == "MECN*" else parameters.max_p,
        trace=scenario in MAIN or (scenario == TUNED and n_sources == parameters.traced),
    )


def whole_recipes(parameters: Parameters) -> list[Recipe]:
    """The main runs of section 4 from the start on."""
    points = [point(scenario, n, parameters) for scenario in MAIN for n in parameters.sources]
    return [replace(of, family="whole", trace=False).recipe(parameters) for of in points]


def recipes(parameters: Parameters, scenarios: Iterable[Scenario], sources: Iterable[int]) -> list[Recipe]:
    """Runs of section 4: every scenario with every number of sources."""
    return [
        point(scenario, n_sources, parameters).recipe(parameters)
        for scenario in scenarios
        for n_sources in sources
    ]


def theory_recipes(
    parameters: Parameters, scenarios: Iterable[Scenario], sources: Iterable[int], max_p: Iterable[float]
) -> list[Recipe]:
    """Runs that test section 3."""
    return [
        Point("section 3", scenario.scheme, scenario.thresholds, n_sources, p).recipe(parameters)
        for scenario in scenarios
        for n_sources in sources
        for p in max_p
    ]


def profile_of(recipe: Recipe) -> Profile:
    """The profile that the controller pushes; raises :class:`ExperimentError` on impossible thresholds."""
    run, shared = point_of(recipe), recipe["shared"]
    low, middle, high = run.thresholds
    document: dict[str, object] = {
        "name": f"003 {run.scenario.name}",
        "weight": shared["weight"],
        "mark_point": shared["mark_point"],
        "not_ect": shared["not_ect"],
        "spacing": shared["spacing"],
        "min_depth": shared["min_depth"],
        "min_th": float(low),
        "max_th": float(high),
    }
    if shared["idle_correction"]:
        document["mean_service_time_us"] = 8e6 * PACKET_BYTES / BOTTLENECK_BPS
        document["idle_step_us"] = 8e6 * shared["idle_packet_bytes"] / BOTTLENECK_BPS
    if run.scheme in ONE_LEVEL:
        above = shared["above_max_th"] if run.scheme == "ECN" else "mark"
        document |= {"scheme": "ecn", "max_p": run.max_p, "above_max_th": above}
    else:
        moderate = shared.get("max_p_moderate", run.max_p)
        levels = {"max_p_incipient": run.max_p, "max_p_moderate": moderate}
        document |= {"scheme": "mecn", "mid_th": float(middle)}
        document |= {"max_p": run.max_p} if moderate == run.max_p else levels
        document |= {"above_max_th": shared.get("mecn_above_max_th", "mark")}
    return profile(recipe, document)


def check(recipe: Recipe) -> None:
    """Refuses impossible thresholds."""
    if recipe["family"] != "table":
        profile_of(recipe)
