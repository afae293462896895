# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 15: normalised fairness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..figures import GREY, new_figure, style
from ..plots import widths
from ..statistics import estimate
from .drawing import COLOURS, finished
from .measures import normalised_fairness
from .scenarios import ECN, SCHEMES, eight_round_trips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return eight_round_trips(parameters, SCHEMES)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    with style():
        figure, axes = new_figure()
        results = [
            estimate([normalised_fairness(row) for row in data.select(scheme=scheme)]) for scheme in SCHEMES
        ]
        axes.bar(
            SCHEMES,
            [result.mean for result in results],
            0.7,
            yerr=widths(results),
            color=[COLOURS[scheme.removesuffix("e")] for scheme in SCHEMES],
            hatch=["//" if scheme in ECN else "" for scheme in SCHEMES],
            edgecolor="white",
            ecolor=GREY,
            capsize=3,
        )
        axes.set_ylim(min(0.8, min(result.mean for result in results) - 0.05), 1)
        axes.set_xlabel("scheme")
        axes.set_ylabel("normalised fairness")
        words = [f"{scheme} {result.mean:.3f}." for scheme, result in zip(SCHEMES, results, strict=True)]
        return [finished(figure, axes, "fig15", "Figure 15: normalised fairness", words)]


FIGURE = Figure(
    "fig15",
    "Figure 15: normalised fairness of 8 FTP sessions with different round trips",
    '"DT is significantly less fair compared to RED".',
    _recipes,
    _draw,
)
