# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""MECN among the other schemes, with the same thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import points
from .scenarios import SCHEMES, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, list(SCHEMES))


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return points(data, list(SCHEMES), "schemes")


FIGURE = Figure(
    "schemes",
    "MECN against ECN, ECNM, gentle RED and drop-tail in the scenarios of papers 000, 001, 002 and 004",
    "",
    _recipes,
    _draw,
)
