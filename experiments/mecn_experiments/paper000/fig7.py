# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 7: goodput by group, 30 flows, max_p = 0.2, max_th = 30."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import bars
from .scenarios import groups_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

FLOWS, MAX_P = 30, 0.2
TITLE = "Figure 7: goodput distribution, 30 flows, max_p = 0.2"


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return groups_at(parameters, FLOWS, MAX_P)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [bars(data, key="fig7", title=TITLE, column="group_goodput_bps", label="goodput (Mbps)")]


FIGURE = Figure(
    "fig7",
    TITLE,
    "ECN provides better overall goodput than RED.",
    _recipes,
    _draw,
)
