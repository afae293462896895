# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Not a figure of the paper: what Figures 6 and 7 show for one run, for every number of sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import over_sources
from .scenarios import LOW_PAIR, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, LOW_PAIR, parameters.sources)


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return over_sources(
        data,
        parameters,
        LOW_PAIR,
        key="empty-queue",
        title="Share of the time with an empty queue, low thresholds",
        column="fraction_empty",
        label="time with empty queue (%)",
        scale=100,
        bottom=0,
    )


FIGURE = Figure(
    "empty",
    "Time with an empty queue, low thresholds (not in the paper)",
    "With ECN the queue goes to zero often.",
    _recipes,
    _draw,
)
