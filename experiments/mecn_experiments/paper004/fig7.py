# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 7: how much buffer each strategy needs in RED."""

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
            key=f"fig7{letter}",
            title=f"Figure 7 ({letter}): RED, w = {weight:g}",
            label="largest queue (packets)",
            axis="min_th (packets), max_th = 2 min_th",
            measure=lambda row: float(row["queue_max"]),
            where={"weight": weight},
        )
        for letter, weight in zip("abcdefghijklmnop", parameters.weights, strict=False)
    ]


FIGURE = Figure(
    "fig7",
    "Figure 7: buffer size requirement with RED",
    "In all cases mark-front requires the smaller buffer. A smaller queue weight requires a larger buffer;"
    " the actual queue (w = 1) the least.",
    red_points,
    _draw,
)
