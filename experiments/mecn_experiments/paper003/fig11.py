# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 11: queue with MECN, low K_MECN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import queue_trace
from .scenarios import HIGH_PAIR, TUNED, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

PAIR = (HIGH_PAIR[1], TUNED)
"""Figures 11 and 12: the thresholds of Figure 10, max_p and with it K_MECN low and high."""


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, PAIR, (parameters.traced,))


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return queue_trace(data, parameters, HIGH_PAIR[1], key="figure-11", number="Figure 11", beside=PAIR)


FIGURE = Figure(
    "fig11",
    "Figure 11: queue with MECN, low K_MECN",
    "Effect of parameter tuning on MECN: low K_MECN.",
    _recipes,
    _draw,
)
