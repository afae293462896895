# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 21: web in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .measures import goodput
from .scenarios import SCHEMES, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(scheme=scheme, web=n, back_web=n).recipe(parameters)
        for scheme in SCHEMES
        for n in parameters.forward_web
    ]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig21",
            title="Figure 21: web sessions in both directions, forward path",
            axis="web sessions in each direction",
            label="goodput of a session (kbps)",
            x="web",
            measure=lambda row: goodput("web")(row) / 1e3,
            schemes=SCHEMES,
        ),
    ]


FIGURE = Figure(
    "fig21",
    "Figure 21: web sessions in both directions",
    '"there is very little difference in goodput with different queue management policies".',
    _recipes,
    _draw,
)
