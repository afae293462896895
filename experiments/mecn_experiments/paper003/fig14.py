# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 14: throughput against delay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..plots import frontier
from .drawing import look, values
from .scenarios import SCHEMES, Scenario, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    points = [Scenario(scheme, thresholds) for scheme in SCHEMES for thresholds in parameters.frontier]
    return recipes(parameters, points, (parameters.frontier_sources,))


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    n = parameters.frontier_sources
    lines = []
    for scheme in SCHEMES:
        max_p = parameters.max_p_star if scheme == "MECN*" else parameters.max_p
        points = []
        for thresholds in parameters.frontier:
            at = Scenario(scheme, thresholds)
            delays = values(data, parameters, at, n, "delay_mean_s")
            efficiency = values(data, parameters, at, n, "link_efficiency")
            points.append(([1000 * delay for delay in delays], [100 * share for share in efficiency]))
        lines.append((look(scheme, f"{scheme}, max_p {max_p:g}"), points))
    return [
        frontier(
            lines,
            key="figure-14",
            title=f"Figure 14: throughput against delay, N = {n}",
            axis="mean one-way delay (ms)",
            label="link efficiency (%)",
        )
    ]


FIGURE = Figure(
    "fig14",
    "Figure 14: throughput against delay",
    "MECN gives the same throughput as ECN with less delay; MECN*, with a larger K_MECN, is better still.",
    _recipes,
    _draw,
)
