# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of flows with two round trips: the ratio of the groups' goodputs over that of their round trips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import look, scatter
from .measures import group_goodput_ratio, round_trip_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme


def ratio_figure(
    key: str,
    title: str,
    says: str,
    *,
    recipes: Callable[[Parameters], Sequence[Recipe]],
    schemes: Sequence[Scheme],
    guides: Sequence[tuple[str, Callable[[float], float], str]],
) -> Figure:
    """The figure of that key and title; `says` is what the paper reads from it, `guides` are its theory."""

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        points = [
            (
                look(scheme),
                [(round_trip_ratio(row), group_goodput_ratio(row)) for row in data.select(scheme=scheme)],
            )
            for scheme in schemes
        ]
        drawing = scatter(
            key=key,
            title=title,
            axis="RTT1 / RTT2",
            label="goodput2 / goodput1",
            points=points,
            guides=guides,
        )
        return [drawing]

    return Figure(key, title, says, recipes, draw)
