# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A run's recipe, and the profile that it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..variant import KEY, profile
from .parameters import Parameters, Thresholds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mecn_controller.policy.profile import Profile

    from ..declaration import Recipe

Scheme = Literal["DropTail", "RED", "ECN"]
SCHEMES: tuple[Scheme, ...] = ("DropTail", "RED", "ECN")
Burst = Literal["none", "TCP", "UDP"]
BURSTS: tuple[Burst, ...] = ("TCP", "UDP")


@dataclass(frozen=True, slots=True)
class Point:
    """A run without its seed and without what all runs share."""

    scheme: Scheme
    min_th: float
    max_th: float
    """Both 0 for drop-tail, which has none: its run serves both sets of thresholds."""
    senders: int
    burst: Burst = "none"
    """The bursty source that is added."""

    def recipe(self, parameters: Parameters) -> Recipe:
        """With what all runs share."""
        unshared = {"seeds", "low", "high", "few", "many", "more"}
        if self.burst == "none":
            unshared |= {name for name in Parameters.model_fields if name.startswith("burst_")}
        return {
            "scheme": self.scheme,
            "min_th": self.min_th,
            "max_th": self.max_th,
            "senders": self.senders,
            "burst": self.burst,
            "shared": parameters.model_dump(mode="json", exclude=unshared),
        }


def point(scheme: Scheme, thresholds: Thresholds, senders: int, burst: Burst = "none") -> Point:
    """A point; drop-tail leaves the thresholds out."""
    low, high = (0.0, 0.0) if scheme == "DropTail" else thresholds
    return Point(scheme, float(low), float(high), senders, burst)


def point_of(recipe: Recipe) -> Point:
    """The point that a recipe was made of."""
    return Point(**{key: value for key, value in recipe.items() if key not in ("shared", KEY)})


def where(scheme: Scheme, thresholds: Thresholds, senders: int, burst: Burst = "none") -> dict[str, object]:
    """Columns that select a point's rows."""
    chosen = point(scheme, thresholds, senders, burst)
    return {
        "scheme": chosen.scheme,
        "min_th": chosen.min_th,
        "max_th": chosen.max_th,
        "senders": senders,
        "burst": burst,
    }


def schemes_at(
    parameters: Parameters, thresholds: Thresholds, senders: int, burst: Burst = "none"
) -> Sequence[Recipe]:
    """The three schemes at one point."""
    return [point(scheme, thresholds, senders, burst).recipe(parameters) for scheme in SCHEMES]


def profile_of(recipe: Recipe) -> Profile:
    """What the controller pushes; raises :class:`ExperimentError` on an impossible combination."""
    run, shared = point_of(recipe), recipe["shared"]
    document: dict[str, object] = {"name": f"001 {run.scheme}", "weight": shared["weight"]}
    if run.scheme == "DropTail":
        document["scheme"] = "drop-tail"
    else:
        document |= {
            "scheme": "red" if run.scheme == "RED" else "ecn",
            "mark_point": "tail",
            "min_th": run.min_th,
            "max_th": run.max_th,
            "max_p": shared["max_p"],
            "spacing": shared["spacing"],
        }
        if run.scheme == "ECN":
            document |= {"above_max_th": shared["above_max_th"], "not_ect": shared["not_ect"]}
    if shared["idle_correction"]:
        document["mean_service_time_us"] = 8e6 * shared["packet_bytes"] / shared["bottleneck_bps"]
    return profile(recipe, document)


def check(recipe: Recipe) -> None:
    """Refuses what cannot be run."""
    profile_of(recipe)
