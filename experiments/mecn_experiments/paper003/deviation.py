# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Not a figure of the paper: the error in the queue of Figures 9 and 10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import over_sources
from .scenarios import HIGH_PAIR, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, HIGH_PAIR, parameters.sources)


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return over_sources(
        data,
        parameters,
        HIGH_PAIR,
        key="queue-deviation",
        title="Standard deviation of the queue, high thresholds",
        column="queue_std",
        label="std. deviation of queue (packets)",
        scale=1,
        bottom=0,
    )


FIGURE = Figure(
    "deviation",
    "Standard deviation of the queue, high thresholds (not in the paper)",
    "With MECN the error in the queue is reduced.",
    _recipes,
    _draw,
)
