# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 9: queue with ECN, high thresholds."""

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
    return queue_trace(data, parameters, HIGH_PAIR[0], key="figure-09", number="Figure 9", beside=HIGH_PAIR)


FIGURE = Figure(
    "fig9",
    "Figure 9: queue with ECN, high thresholds",
    "Beyond a certain max_th the throughput cannot increase.",
    _recipes,
    _draw,
)
