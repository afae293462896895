# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""MECN with mark-front against MECN with mark-tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import points
from .scenarios import FRONT, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

PAIR = ("MECN", FRONT)


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, PAIR)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return points(data, PAIR, "front")


FIGURE = Figure("front", "MECN with mark-front against mark-tail", "", _recipes, _draw)
