# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 3: delay by number of flows and group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .parameters import GROUPS
from .scenarios import PLOT_TH, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme

SCHEMES: tuple[Scheme, ...] = ("RED", "ECN")
MAX_P = 0.5


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(scheme, flows, MAX_P, PLOT_TH).recipe(parameters)
        for flows in parameters.flows
        for scheme in SCHEMES
    ]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key=f"fig3-{group}",
            title=f"Figure 3: one-way delay of {group} flows, max_p = 0.5, max_th = 30",
            axis="flows",
            label="one-way delay (ms)",
            x="flows",
            measure=lambda row, number=number: 1000 * row["group_delay_s"][number],  # type: ignore[misc]
            lines=[(scheme, scheme, kind, {}) for kind, scheme in enumerate(SCHEMES)],
            logarithmic=True,
        )
        for number, group in enumerate(GROUPS)
    ]


FIGURE = Figure(
    "fig3",
    "Figure 3: RED and ECN delay, max_p = 0.5, max_th = 30",
    "Robust flows have a clear advantage; ECN's gain in goodput costs a small increase in one-way delay.",
    _recipes,
    _draw,
)
