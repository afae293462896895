# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 10: queue with MECN, high thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import queue_trace
from .scenarios import HIGH_PAIR, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, HIGH_PAIR, (parameters.traced,))


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return queue_trace(data, parameters, HIGH_PAIR[1], key="figure-10", number="Figure 10", beside=HIGH_PAIR)


FIGURE = Figure(
    "fig10",
    "Figure 10: queue with MECN, high thresholds",
    "The error in the queue and the jitter are reduced.",
    _recipes,
    _draw,
)
