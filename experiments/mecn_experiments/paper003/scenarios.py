# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Which profiles are compared, and the list of runs that a set of parameters asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mecn_controller.errors import ProfileError
from mecn_controller.profile import Profile, parse_profile

from ..errors import ExperimentError
from .parameters import BOTTLENECK_BPS, HIGH, LOW, PACKET_BYTES, Parameters, Thresholds

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..declaration import Recipe

Scheme = Literal["ECN", "MECN", "MECN*"]
SCHEMES: tuple[Scheme, ...] = ("ECN", "MECN", "MECN*")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scheme at certain thresholds."""

    scheme: Scheme
    thresholds: Thresholds

    @property
    def thresholds_text(self) -> str:
        """As the paper writes them: 1/4 for ECN, 1/2/4 for MECN."""
        low, middle, high = self.thresholds
        shown = (low, high) if self.scheme == "ECN" else (low, middle, high)
        return "/".join(f"{value:g}" for value in shown)

    @property
    def name(self) -> str:
        """ECN 1/4; unique among scenarios."""
        return f"{self.scheme} {self.thresholds_text}"

    def profile(self, parameters: Parameters) -> Profile:
        """The profile that the controller pushes; raises :class:`ExperimentError` on impossible
        thresholds."""
        low, middle, high = self.thresholds
        document: dict[str, object] = {
            "name": f"003 {self.name}",
            "weight": parameters.weight,
            "mark_point": parameters.mark_point,
            "not_ect": parameters.not_ect,
            "spacing": parameters.spacing,
            "min_depth": parameters.min_depth,
            "min_th": float(low),
            "max_th": float(high),
        }
        if parameters.idle_correction:
            document["mean_service_time_us"] = 8e6 * PACKET_BYTES / BOTTLENECK_BPS
        if self.scheme == "ECN":
            document |= {"scheme": "ecn", "max_p": parameters.max_p, "above_max_th": parameters.above_max_th}
        else:
            max_p = parameters.max_p if self.scheme == "MECN" else parameters.max_p_star
            document |= {"scheme": "mecn", "mid_th": float(middle), "max_p": max_p}
        try:
            return parse_profile(document, f"profile {self.name}")
        except ProfileError as error:
            raise ExperimentError(str(error).splitlines()[0]) from None


LOW_PAIR = (Scenario("ECN", LOW), Scenario("MECN", LOW))
HIGH_PAIR = (Scenario("ECN", HIGH), Scenario("MECN", HIGH))
MAIN = (*LOW_PAIR, *HIGH_PAIR)


@dataclass(frozen=True, slots=True)
class Run:
    """One simulation."""

    scenario: Scenario
    n_sources: int
    seed: int
    trace: bool
    """Whether the queue trace is kept; one seed's is enough for a figure."""


def plan(parameters: Parameters) -> list[Run]:
    """All runs in their fixed order; a point that two figures share is run once."""
    wanted: dict[tuple[Scenario, int], bool] = {}
    for scenario in MAIN:
        for n_sources in parameters.sources:
            wanted[scenario, n_sources] = True
    for scheme in SCHEMES:
        for thresholds in parameters.frontier:
            wanted.setdefault((Scenario(scheme, thresholds), parameters.frontier_sources), False)
    return [
        Run(scenario, n_sources, seed, trace=traced and seed == 1)
        for (scenario, n_sources), traced in wanted.items()
        for seed in range(1, parameters.seeds + 1)
    ]


DECIDES_NO_RUN = {"seeds", "sources", "trace_sources", "frontier", "frontier_sources"}
"""Parameters that say which runs there are, and nothing about any of them."""


def recipe_of(run: Run, parameters: Parameters, *, traced: bool) -> Recipe:
    """All that decides the run but its seed. traced: the run with seed 1 keeps its trace."""
    return {
        "scheme": run.scenario.scheme,
        "thresholds": [float(value) for value in run.scenario.thresholds],
        "n_sources": run.n_sources,
        "trace": traced,
        "parameters": parameters.model_dump(mode="json", exclude=DECIDES_NO_RUN),
    }


def run_of(recipe: Recipe, seed: int) -> tuple[Run, Parameters]:
    """The run that a recipe describes."""
    low, middle, high = recipe["thresholds"]
    scenario = Scenario(recipe["scheme"], (low, middle, high))
    return (
        Run(scenario, recipe["n_sources"], seed, trace=recipe["trace"] and seed == 1),
        Parameters.model_validate(recipe["parameters"]),
    )


def recipes(parameters: Parameters, wanted: Callable[[Scenario, int], bool]) -> list[Recipe]:
    """Those of the wanted scenarios and numbers of sources."""
    return [
        recipe_of(run, parameters, traced=run.trace)
        for run in plan(parameters)
        if run.seed == 1 and wanted(run.scenario, run.n_sources)
    ]


def check(recipe: Recipe) -> None:
    """Refuses impossible thresholds."""
    run, parameters = run_of(recipe, 1)
    run.scenario.profile(parameters)
