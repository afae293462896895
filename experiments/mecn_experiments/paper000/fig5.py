# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 5: goodput over max_p and max_th at 120 flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .scenarios import over_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme

FLOWS = 120
SCHEMES: tuple[Scheme, ...] = ("RED", "ECN")


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return over_grid(parameters, SCHEMES, FLOWS)


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig5",
            title="Figure 5: goodput with 120 flows",
            axis="max_p",
            label="goodput (Mbps)",
            x="max_p",
            measure=lambda row: row["goodput_bps"] / 1e6,
            lines=[
                (f"{scheme}, max_th {max_th:g}", scheme, kind % 4, {"max_th": max_th})
                for scheme in SCHEMES
                for kind, max_th in enumerate(parameters.max_th)
            ],
        )
    ]


FIGURE = Figure(
    "fig5",
    "Figure 5: goodput with 120 flows",
    "ECN with max_p = 0.5 and max_th = 30 yields the highest goodput; no max_p works well for RED.",
    _recipes,
    _draw,
)
