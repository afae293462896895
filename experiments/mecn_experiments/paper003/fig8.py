# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 8: link efficiency by number of sources, low thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import over_sources
from .scenarios import LOW_PAIR, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, LOW_PAIR, parameters.sources)


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    return over_sources(
        data,
        parameters,
        LOW_PAIR,
        key="figure-08",
        title="Figure 8: link efficiency, low thresholds",
        column="link_efficiency",
        label="link efficiency (%)",
        scale=100,
    )


FIGURE = Figure(
    "fig8",
    "Figure 8: link efficiency, low thresholds",
    "MECN has the better link efficiency.",
    _recipes,
    _draw,
)
