# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 13, whose caption we do not have: here the effect of K_MECN from low to high (section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..plots import curves
from .drawing import look
from .scenarios import Scenario, theory_recipes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    swept = Scenario("MECN", parameters.gain_thresholds)
    return theory_recipes(parameters, (swept,), parameters.gain_sources, parameters.gain_max_p)


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    swept = Scenario("MECN", parameters.gain_thresholds)
    measures: list[tuple[str, str, Callable[[Row], float]]] = [
        ("link efficiency", "link efficiency (%)", lambda row: 100 * row["link_efficiency"]),
        ("oscillation", "std. deviation / mean of queue", lambda row: row["queue_std"] / row["queue_mean"]),
    ]
    drawings = []
    for name, label, measure in measures:
        lines = []
        schemes: tuple[Scheme, ...] = ("MECN", "MECN*")
        for scheme, n in zip(schemes, parameters.gain_sources, strict=True):
            rows = data.select(family="section 3", scenario=swept.name, n_sources=n)
            points = {
                max_p: [measure(row) for row in rows if row["max_p"] == max_p]
                for max_p in parameters.gain_max_p
            }
            lines.append((look(scheme, f"N = {n}"), points))
        drawings.append(
            curves(
                lines,
                key=f"figure-13-{name.replace(' ', '-')}",
                title=f"Figure 13: {name} of {swept.name} from low to high K_MECN",
                axis="max_p, to which K_MECN is proportional",
                label=label,
            )
        )
    return drawings


FIGURE = Figure(
    "fig13",
    "Figure 13: effect of parameter tuning on MECN, from low to high K_MECN",
    "Not a very high K_MECN: the queue may oscillate more, resulting in packet drops and less throughput."
    " (What"
    " this figure shows in the paper is not known to us; the text is section 3's.)",
    _recipes,
    _draw,
)
