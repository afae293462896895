# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 10: throughput by group, 120 flows, max_p = 0.8, max_th = 30."""

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

FLOWS, MAX_P = 120, 0.8
TITLE = "Figure 10: throughput distribution, 120 flows, max_p = 0.8"


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return groups_at(parameters, FLOWS, MAX_P)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [bars(data, key="fig10", title=TITLE, column="group_throughput_bps", label="throughput (Mbps)")]


FIGURE = Figure(
    "fig10",
    TITLE,
    "The difference is completely hidden: RED's throughput is only slightly lower than ECN's.",
    _recipes,
    _draw,
)
