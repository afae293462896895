# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 7: queue with MECN, low thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import queue_trace
from .scenarios import LOW_PAIR, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, LOW_PAIR, (parameters.traced,))


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return queue_trace(data, parameters, LOW_PAIR[1], key="figure-07", number="Figure 7", beside=LOW_PAIR)


FIGURE = Figure(
    "fig7",
    "Figure 7: queue with MECN, low thresholds",
    "The oscillations are reduced, and the throughput is higher.",
    _recipes,
    _draw,
)
