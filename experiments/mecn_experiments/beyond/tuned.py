# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""MECN as the controller's tuner sets it (MECN*) against MECN with the papers' thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import points
from .scenarios import TUNED, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

PAIR = ("MECN", TUNED)


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, PAIR)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return points(data, PAIR, "tuned")


FIGURE = Figure(
    "tuned", "MECN as the controller tunes it, against the papers' thresholds", "", _recipes, _draw
)
