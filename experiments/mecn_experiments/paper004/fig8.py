# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 8: how well each strategy uses the link in RED."""

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
            key=f"fig8{letter}",
            title=f"Figure 8 ({letter}): RED, w = {weight:g}",
            label="link efficiency (%)",
            axis="min_th (packets), max_th = 2 min_th",
            measure=lambda row: 100 * row["efficiency"],
            where={"weight": weight},
            bottom=None,
            top=101,
        )
        for letter, weight in zip("abcdefghijklmnop", parameters.weights, strict=False)
    ]


FIGURE = Figure(
    "fig8",
    "Figure 8: link efficiency with RED",
    "For almost all values of the threshold mark-front is more efficient; the actual queue (w = 1) is no"
    " worse than the average.",
    red_points,
    _draw,
)
