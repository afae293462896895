# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 10: how fair each strategy is in RED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import over_thresholds
from .scenarios import red_points

if TYPE_CHECKING:
    from ..dataset import Dataset
    from ..declaration import Drawing
    from .parameters import Parameters


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return [
        over_thresholds(
            data,
            key=f"fig10{letter}",
            title=f"Figure 10 ({letter}): RED, w = {weight:g}",
            label="unfairness (1 - Jain's index)",
            axis="min_th (packets), max_th = 2 min_th",
            measure=lambda row: float(row["unfairness"]),
            where={"weight": weight},
        )
        for letter, weight in zip("abcdefghijklmnop", parameters.weights, strict=False)
    ]


FIGURE = Figure(
    "fig10",
    "Figure 10: unfairness with RED",
    "In spite of the randomness, in most cases mark-front is fairer than mark-tail.",
    red_points,
    _draw,
)
