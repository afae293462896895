# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 4: the trade-off between delay margin and sensitivity, computed, with the queue that it predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..figures import BLACK, BLUE, GREEN
from ..plots import Look, curves
from .scenarios import HIGH_PAIR, Scenario, theory_recipes
from .theory import computed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    swept = Scenario("MECN", parameters.gain_thresholds)
    return [
        *theory_recipes(parameters, (swept,), parameters.gain_sources, parameters.gain_max_p),
        *theory_recipes(parameters, HIGH_PAIR, sorted(parameters.sources), (parameters.max_p,)),
    ]


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    swept, n = Scenario("MECN", parameters.gain_thresholds), parameters.gain_sources[0]
    points = [computed(parameters, swept, n, max_p) for max_p in parameters.gain_max_p]
    held = [found for found in points if found is not None]
    where = f"{swept.name}, N = {n}"
    by_p = {
        "model": {
            max_p: [found.queue]
            for max_p, found in zip(parameters.gain_max_p, points, strict=True)
            if found is not None
        },
        "network": {
            max_p: data.values(
                "queue_mean", family="section 3", scenario=swept.name, n_sources=n, max_p=max_p
            )
            for max_p in parameters.gain_max_p
        },
    }
    return [
        curves(
            [
                (Look("equation 8", BLUE, "-", "o"), {f.sensitivity: [f.delay_margin_s] for f in held}),
                (Look("with all poles", BLACK, "--", "s"), {f.sensitivity: [f.full_margin_s] for f in held}),
            ],
            key="figure-04",
            title=f"Figure 4: delay margin against sensitivity, {where}",
            axis="sensitivity 1 / (1 + K)",
            label="delay margin (s)",
        ),
        curves(
            [
                (Look("fluid model", BLACK, "--", "s"), by_p["model"]),
                (Look("network", GREEN, "-", "o"), by_p["network"]),
            ],
            key="figure-04-queue",
            title=f"Where the queue settles, {where}",
            axis="max_p",
            label="mean queue (packets)",
            bottom=0,
        ),
    ]


FIGURE = Figure(
    "fig4",
    "Figure 4: trade-off between delay margin and sensitivity",
    "With less sensitivity there is less delay margin; a high K_MECN is wanted that leaves enough of it.",
    _recipes,
    _draw,
)
