# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Runs for what the paper proves or says beside its figures: Theorems 1 and 4, the bounds as buffer sizes,
and that 10 seconds are enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import over_thresholds
from .parameters import RD
from .scenarios import STRATEGIES, Point, bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

WINDOW_THRESHOLD = 20
"""T of the run whose queue is compared with the window: the link then stays busy."""
STEADY_THRESHOLDS = (2, 4, 5, 6, 8, 9, 10, 11, 12, 15, 20, 25, 30)
LOSSLESS_SCENARIOS = (1, 6)
LOSSLESS_THRESHOLDS = (5, 8, 11, 16, 20, 25, 32)
LONG_SCENARIOS = (1, 3, 4, 6, 7)
LONG_THRESHOLDS = (4, 11, 20, 40)


def _window(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(
            "window", 1, "tail", WINDOW_THRESHOLD, parameters.duration_s, parameters.buffer, window=True
        ).recipe(parameters)
    ]


def _steady(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(
            "steady",
            1,
            strategy,
            threshold,
            parameters.steady_s,
            parameters.buffer,
            warmup_s=parameters.steady_warmup_s,
        ).recipe(parameters)
        for strategy in STRATEGIES
        for threshold in STEADY_THRESHOLDS
    ]


def _lossless(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(
            "lossless", number, strategy, threshold, parameters.duration_s, int(bound(strategy, threshold))
        ).recipe(parameters)
        for number in LOSSLESS_SCENARIOS
        for strategy in STRATEGIES
        for threshold in LOSSLESS_THRESHOLDS
    ]


def _long(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point("long", number, strategy, threshold, duration_s, parameters.buffer).recipe(parameters)
        for duration_s in (parameters.long_s, parameters.duration_s)
        for number in LONG_SCENARIOS
        for strategy in STRATEGIES
        for threshold in LONG_THRESHOLDS
    ]


def _draw_nothing(_data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return []


def _draw_steady(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        over_thresholds(
            data,
            key="theorem4-utilisation",
            title=f"Congestion avoidance of one connection, rd = {RD}: utilisation",
            label="utilisation (%)",
            axis="threshold T (packets)",
            measure=lambda row: 100 * row["utilisation"],
            where={"family": "steady"},
            bottom=None,
        ),
        over_thresholds(
            data,
            key="theorem4-delay",
            title=f"Congestion avoidance of one connection, rd = {RD}: delay",
            label="one-way delay (ms)",
            axis="threshold T (packets)",
            measure=lambda row: 1000 * row["delay_mean_s"],
            where={"family": "steady"},
        ),
    ]


def _draw_long(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return [
        over_thresholds(
            data,
            key=f"long-{name}",
            title=f"Five connections, RTT 59 to 257 ms: link efficiency in {duration_s:g} s",
            label="link efficiency (%)",
            axis="threshold T (packets)",
            measure=lambda row: 100 * row["efficiency"],
            where={"scenario": 7, "duration_s": duration_s},
            bottom=None,
        )
        for name, duration_s in (("10", parameters.duration_s), ("100", parameters.long_s))
    ]


WINDOW = Figure(
    "theorem1",
    "Theorem 1: the queue from the sender's window",
    "Once the link has been busy for a round trip, an arriving packet sees Q(t) = w(t - t_p) - rd.",
    _window,
    _draw_nothing,
)
STEADY = Figure(
    "theorem4",
    "Theorem 4: the best threshold",
    "T = rd - 1 gives full utilisation with the least delay.",
    _steady,
    _draw_steady,
)
LOSSLESS = Figure(
    "lossless",
    "Theorems 2 and 3: buffers of the bounds' sizes",
    "A buffer of this size makes ECN lose nothing.",
    _lossless,
    _draw_nothing,
)
LONG = Figure(
    "long",
    "Section 6.2: runs of 10 and of 100 seconds",
    "The results for 10 seconds show the essential features, without much difference from those for 100"
    " seconds.",
    _long,
    _draw_long,
)
