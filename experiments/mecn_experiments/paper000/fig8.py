# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 8: goodput by group, 30 flows, max_p = 0.8, max_th = 30."""

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

FLOWS, MAX_P = 30, 0.8
TITLE = "Figure 8: goodput distribution, 30 flows, max_p = 0.8"


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return groups_at(parameters, FLOWS, MAX_P)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [bars(data, key="fig8", title=TITLE, column="group_goodput_bps", label="goodput (Mbps)")]


FIGURE = Figure(
    "fig8",
    TITLE,
    "The more aggressive marking gives robust flows better goodput with ECN than with RED, but does not"
    " reduce the gap between robust and fragile flows.",
    _recipes,
    _draw,
)
