# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 22: web in both directions, different congestion."""

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

BACK = 10


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(scheme=scheme, web=n, back_web=BACK).recipe(parameters)
        for scheme in SCHEMES
        for n in parameters.forward_web
    ]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig22a",
            title="Figure 22 (a): web sessions, forward path",
            axis="web sessions in the forward path",
            label="goodput of a session (kbps)",
            x="web",
            measure=lambda row: goodput("web")(row) / 1e3,
            schemes=SCHEMES,
        ),
        curves(
            data,
            key="fig22b",
            title="Figure 22 (b): 10 web sessions, reverse path",
            axis="web sessions in the forward path",
            label="goodput of a session (kbps)",
            x="web",
            measure=lambda row: goodput("back-web")(row) / 1e3,
            schemes=SCHEMES,
        ),
    ]


FIGURE = Figure(
    "fig22",
    "Figure 22: web sessions in the forward path, 10 in the reverse path",
    '"the results is qualitatively similar to Fig. 20".',
    _recipes,
    _draw,
)
