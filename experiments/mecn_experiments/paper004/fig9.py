# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 9: the queue over time in RED, scenario 3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import NAMES, queue_trace
from .scenarios import STRATEGIES, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

AFTER_START_S = 3.0
"""The link's idle time is counted from here on, seconds: slow start's peak is over."""


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(
            "trace",
            3,
            strategy,
            parameters.trace_min_th,
            parameters.trace_s,
            parameters.buffer,
            weight=parameters.trace_weight,
            warmup_s=AFTER_START_S,
            trace=True,
        ).recipe(parameters)
        for strategy in STRATEGIES
    ]


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    low = parameters.trace_min_th
    rows = {row["strategy"]: row for row in data.select(seed=1)}
    top = 1.08 * max(2 * low, *(max(row["trace_qdepth"]) for row in rows.values()))
    return [
        queue_trace(
            rows[strategy],
            key=f"fig9{letter}",
            title=f"Figure 9 ({letter}): {NAMES[strategy]}, w = {parameters.trace_weight:g}",
            limits=(("min", low), ("max", 2 * low)),
            top=top,
        )
        for letter, strategy in zip("ab", STRATEGIES, strict=True)
    ]


FIGURE = Figure(
    "fig9",
    "Figure 9: queue size at the congested router, RED",
    "With mark-tail the queue stops increasing at 1.98 s, with mark-front at 1.64 s. Out-dated marks make the"
    " link idle around the 6th and the 12th second with mark-tail; mark-front avoids it.",
    _recipes,
    _draw,
)
