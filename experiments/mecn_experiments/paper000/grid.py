# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of goodput over max_p, a curve for each scheme and max_th, at one number of flows (4, 5, 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import STYLES, curves
from .scenarios import over_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme


def grid_figure(key: str, title: str, says: str, *, schemes: tuple[Scheme, ...], flows: int) -> Figure:
    """The figure of that key and title; `says` is what the paper reads from it."""

    def recipes(parameters: Parameters) -> Sequence[Recipe]:
        return over_grid(parameters, schemes, flows)

    def draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
        drawing = curves(
            data,
            key=key,
            title=title,
            axis="max_p",
            label="goodput (Mbps)",
            x="max_p",
            measure=lambda row: row["goodput_bps"] / 1e6,
            lines=[
                (f"{scheme}, max_th {max_th:g}", scheme, kind % len(STYLES), {"max_th": max_th})
                for scheme in schemes
                for kind, max_th in enumerate(parameters.max_th)
            ],
        )
        return [drawing]

    return Figure(key, title, says, recipes, draw)
