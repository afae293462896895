# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 4: how well each strategy uses the link."""

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

PANELS = {"a": 1, "b": 3, "c": 5, "d": 6, "e": 7, "f": 8}
"""Scenario of each panel."""


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return threshold_points(parameters, tuple(PANELS.values()))


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        over_thresholds(
            data,
            key=f"fig4{letter}",
            title=f"Figure 4 ({letter}): {SCENARIOS[number].title}",
            label="link efficiency (%)",
            axis="threshold T (packets)",
            measure=lambda row: 100 * row["efficiency"],
            where={"scenario": number},
            bottom=None,
            top=101,
        )
        for letter, number in PANELS.items()
    ]


FIGURE = Figure(
    "fig4",
    "Figure 4: link efficiency",
    "The efficiency increases with the threshold until it is about rd, where the link is almost fully used;"
    " with a limited buffer mark-front has much better efficiency.",
    _recipes,
    _draw,
)
