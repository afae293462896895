# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 6: how fair each strategy is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import over_thresholds
from .scenarios import SCENARIOS, threshold_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

PANELS = {"a": 2, "b": 3, "c": 4, "d": 6, "e": 8, "f": 7}
"""Scenario of each panel."""


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return threshold_points(parameters, tuple(PANELS.values()))


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        over_thresholds(
            data,
            key=f"fig6{letter}",
            title=f"Figure 6 ({letter}): {SCENARIOS[number].title}",
            label="unfairness (1 - Jain's index)",
            axis="threshold T (packets)",
            measure=lambda row: float(row["unfairness"]),
            where={"scenario": number},
        )
        for letter, number in PANELS.items()
    ]


FIGURE = Figure(
    "fig6",
    "Figure 6: unfairness",
    "In general mark-front has the smaller unfairness index; for overlapping connections mark-tail grows"
    " less fair with the threshold.",
    _recipes,
    _draw,
)
