# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 11: goodput over max_p and max_th at 120 flows."""

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
SCHEMES: tuple[Scheme, ...] = ("ECN", "ECNM")


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return over_grid(parameters, SCHEMES, FLOWS)


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig11",
            title="Figure 11: ECN and ECNM goodput with 120 flows",
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
    "fig11",
    "Figure 11: ECN and ECNM goodput with 120 flows",
    "ECN provides better goodput except at small values of max_p; ECNM is quite sensitive to max_th.",
    _recipes,
    _draw,
)
