# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of the goodput of sessions over how many there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .measures import goodput
from .scenarios import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme


@dataclass(frozen=True, slots=True)
class Panel:
    """One drawing: the mean goodput of a class of flows."""

    key: str
    title: str
    kind: str
    label: str


def sessions_figure(
    key: str,
    title: str,
    says: str,
    *,
    recipes: Callable[[Parameters], Sequence[Recipe]],
    x: str,
    axis: str,
    panels: Sequence[Panel],
    schemes: Sequence[Scheme] = SCHEMES,
) -> Figure:
    """The figure of that key and title; `says` is what the paper reads from it, `x` the column of the panels'
    axis."""

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        return [
            curves(
                data,
                key=panel.key,
                title=panel.title,
                axis=axis,
                label=panel.label,
                x=x,
                measure=lambda row, kind=panel.kind: goodput(kind)(row) / 1e3,  # type: ignore[misc]
                schemes=schemes,
            )
            for panel in panels
        ]

    return Figure(key, title, says, recipes, draw)
