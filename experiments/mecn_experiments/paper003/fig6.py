# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 6: queue with ECN, low thresholds."""

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
    return queue_trace(data, parameters, LOW_PAIR[0], key="figure-06", number="Figure 6", beside=LOW_PAIR)


FIGURE = Figure(
    "fig6",
    "Figure 6: queue with ECN, low thresholds",
    "The oscillations in the queue are very high, and it goes to zero often.",
    _recipes,
    _draw,
)
