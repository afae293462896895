# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Other schemes in a paper's scenarios: its own recipe, with a router and hosts that it did not try."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from mecn_controller.errors import ProfileError
from mecn_controller.policy.profile import Profile, parse_profile

from .errors import ExperimentError

if TYPE_CHECKING:
    from .declaration import Recipe

Scheme = Literal["DropTail", "RED gentle", "ECN", "ECNM", "MECN"]
Ecn = Literal["off", "classic", "multilevel"]
"""What hosts speak."""
KEY = "variant"
_MARKING = ("mark_point", "above_max_th", "not_ect")
_RAMP = ("min_th", "max_th", "max_p", "spacing", "min_depth")


@dataclass(frozen=True, slots=True)
class Variant:
    """A scheme in the place of the paper's, with the paper's thresholds and max_p unless it has its own."""

    scheme: Scheme
    mark_point: Literal["tail", "front"] = "tail"
    thresholds: tuple[float, float, float] | None = None
    """min_th, mid_th, max_th; None: the paper's, with mid_th half way."""
    max_p: float | None = None
    not_ect: Literal["drop", "pass"] = "pass"
    """What ECN, ECNM and MECN do with packets that they cannot mark."""

    @property
    def ecn(self) -> Ecn:
        """What the hosts speak."""
        if self.scheme in ("DropTail", "RED gentle"):
            return "off"
        return "multilevel" if self.scheme == "MECN" else "classic"

    def of(self, recipe: Recipe) -> Recipe:
        """The paper's recipe with this scheme."""
        return {**recipe, KEY: asdict(self)}

    def document(self, paper: dict[str, object]) -> dict[str, object]:
        """The profile, from the paper's for RED or ECN."""
        document = {**paper, "name": f"{paper['name']} as {self.scheme}"}
        if self.scheme == "DropTail":
            for key in (*_MARKING, *_RAMP):
                document.pop(key, None)
            return {**document, "scheme": "drop-tail"}
        if self.scheme == "RED gentle":
            for key in _MARKING:
                document.pop(key, None)
            return {**document, "scheme": "red-gentle"}
        document |= {
            "scheme": self.scheme.lower(),
            "mark_point": self.mark_point,
            "above_max_th": "drop" if self.scheme == "ECN" else "mark",
            "not_ect": self.not_ect,
        }
        if self.max_p is not None:
            document["max_p"] = self.max_p
        if self.thresholds is not None:
            document["min_th"], _, document["max_th"] = self.thresholds
        if self.scheme == "MECN":
            low, high = float(str(document["min_th"])), float(str(document["max_th"]))
            document["mid_th"] = self.thresholds[1] if self.thresholds else (low + high) / 2
        return document


def variant_of(recipe: Recipe) -> Variant | None:
    """The variant that a recipe asks for."""
    found = recipe.get(KEY)
    if found is None:
        return None
    values = {**found, "thresholds": tuple(found["thresholds"]) if found["thresholds"] else None}
    return Variant(**values)


def ecn(recipe: Recipe, paper: Ecn) -> Ecn:
    """What the hosts speak: what they do in the paper, or the recipe's variant."""
    other = variant_of(recipe)
    return other.ecn if other else paper


def profile(recipe: Recipe, paper: dict[str, object]) -> Profile:
    """What the controller pushes: the paper's profile, or that of the recipe's variant. Raises
    :class:`ExperimentError` on an impossible combination."""
    other = variant_of(recipe)
    document = other.document(paper) if other else paper
    try:
        return parse_profile(document, f"profile {document['name']}")
    except ProfileError as error:
        raise ExperimentError(str(error).splitlines()[0]) from None
