# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A run's recipe, and the profile that it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..variant import profile
from .parameters import BOTTLENECK_BPS, GROUPS, PACKET_BYTES, Parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mecn_controller.policy.profile import Profile

    from ..declaration import Recipe

Scheme = Literal["RED", "ECN", "ECNM", "AECN", "ARED"]
"""AECN is ECN whose max_p is steered by class and number of flows, ARED ECN under Adaptive RED's rule."""
ADAPTIVE: tuple[Scheme, ...] = ("AECN", "ARED")
ADAPTIVE_START_P = 0.1
"""max_p that the adaptive schemes begin with."""
REPORT_MS = 500.0
"""Adaptive RED's interval (Floyd, Gummadi and Shenker 2001)."""
CLASS_BOUNDS_MS = (80.0, 220.0)
"""Between the round-trip times of the groups: 20, 100 and 300 ms, and what queues add."""
PLOT_TH = 30.0
"""max_th of Figures 2, 3, 6 to 10 (given)."""
PLOT_P = (0.1, 0.5)
"""max_p of Figures 2 and 6 (given)."""


@dataclass(frozen=True, slots=True)
class Point:
    """A run without its seed and without what all runs share."""

    scheme: Scheme
    flows: int
    max_p: float
    max_th: float

    def recipe(self, parameters: Parameters) -> Recipe:
        """With what all runs share."""
        return {
            "scheme": self.scheme,
            "flows": self.flows,
            "max_p": float(self.max_p),
            "max_th": float(self.max_th),
            "shared": parameters.model_dump(mode="json", exclude={"seeds", "flows", "max_p", "max_th"}),
        }


def point_of(recipe: Recipe) -> Point:
    """The point that a recipe was made of."""
    return Point(recipe["scheme"], recipe["flows"], recipe["max_p"], recipe["max_th"])


def profile_of(recipe: Recipe) -> Profile:
    """What the controller pushes; raises :class:`ExperimentError` on an impossible combination."""
    point, shared = point_of(recipe), recipe["shared"]
    document: dict[str, object] = {
        "name": f"000 {point.scheme}",
        "scheme": {"RED": "red", "ECNM": "ecnm"}.get(point.scheme, "ecn"),
        "weight": shared["weight"],
        "min_th": shared["min_th"],
        "max_th": point.max_th,
        "max_p": point.max_p,
        "spacing": shared["spacing"],
        "min_depth": shared["min_depth"],
    }
    if point.scheme != "RED":
        document["above_max_th"] = "mark" if point.scheme == "ECNM" else "drop"
        document["not_ect"] = shared["not_ect"]
        document["mark_point"] = "tail"
    if point.scheme in ADAPTIVE:
        document["report_period_ms"] = REPORT_MS
    if point.scheme == "AECN":
        document["rtt_class_bounds_ms"] = list(CLASS_BOUNDS_MS)
        document["rtt_class_max_p"] = [point.max_p] * len(GROUPS)
    if shared["idle_correction"]:
        document["mean_service_time_us"] = 8e6 * PACKET_BYTES / BOTTLENECK_BPS
        document["idle_step_us"] = 8e6 * shared["idle_packet_bytes"] / BOTTLENECK_BPS
    return profile(recipe, document)


def check(recipe: Recipe) -> None:
    """Refuses what cannot be run."""
    profile_of(recipe)


def over_flows(parameters: Parameters) -> Sequence[Recipe]:
    """RED and ECN at both max_p for every number of flows (Figures 2, 3, 6)."""
    schemes: tuple[Scheme, ...] = ("RED", "ECN")
    return [
        Point(scheme, flows, max_p, PLOT_TH).recipe(parameters)
        for flows in parameters.flows
        for scheme in schemes
        for max_p in PLOT_P
    ]


def over_grid(parameters: Parameters, schemes: Sequence[Scheme], flows: int) -> Sequence[Recipe]:
    """Every max_p and max_th at one number of flows (Figures 4, 5, 11)."""
    return [
        Point(scheme, flows, max_p, max_th).recipe(parameters)
        for scheme in schemes
        for max_th in parameters.max_th
        for max_p in parameters.max_p
    ]


def groups_at(parameters: Parameters, flows: int, max_p: float) -> Sequence[Recipe]:
    """RED and ECN at one point (Figures 7 to 10)."""
    schemes: tuple[Scheme, ...] = ("RED", "ECN")
    return [Point(scheme, flows, max_p, PLOT_TH).recipe(parameters) for scheme in schemes]


BEST_FLOWS = (30, 60, 120, 240)


def best_max_p(parameters: Parameters) -> Sequence[Recipe]:
    """ECN at every max_p for several numbers of flows (claim 19)."""
    return [
        Point("ECN", flows, max_p, PLOT_TH).recipe(parameters)
        for flows in BEST_FLOWS
        for max_p in parameters.max_p
    ]


def adaptive(parameters: Parameters) -> Sequence[Recipe]:
    """Both adaptive schemes, and ECN at every fixed max_p, for every number of flows (claim 20)."""
    return [
        point.recipe(parameters)
        for flows in parameters.flows
        for point in (
            *(Point(scheme, flows, ADAPTIVE_START_P, PLOT_TH) for scheme in ADAPTIVE),
            *(Point("ECN", flows, max_p, PLOT_TH) for max_p in parameters.max_p),
        )
    ]
