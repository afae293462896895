# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 3: how much buffer each strategy needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import over_thresholds
from .scenarios import SCENARIOS, bound, threshold_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

PANELS = {"a": 1, "b": 4, "c": 6, "d": 7}
"""Scenario of each panel."""


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return threshold_points(parameters, tuple(PANELS.values()))


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        over_thresholds(
            data,
            key=f"fig3{letter}",
            title=f"Figure 3 ({letter}): {SCENARIOS[number].title}",
            label="largest queue (packets)",
            axis="threshold T (packets)",
            measure=lambda row: float(row["queue_max"]),
            where={"scenario": number},
            theory=lambda strategy, threshold, rd=SCENARIOS[number].rd_smallest: bound(
                strategy, threshold, rd
            ),  # type: ignore[misc]
        )
        for letter, number in PANELS.items()
    ]


FIGURE = Figure(
    "fig3",
    "Figure 3: buffer size requirement",
    "For connections with the same RTT the theoretical estimate is accurate; mark-front needs less buffer.",
    _recipes,
    _draw,
)
