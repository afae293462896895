# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 5: drop-tail buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .measures import goodput
from .scenarios import TELNETS, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


WEB = 10


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(scheme="dt", ftp=5, web=WEB, telnet=TELNETS, buffer_bdp=buffer).recipe(parameters)
        for buffer in parameters.buffers_bdp
    ]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig5",
            title="Figure 5: web sessions and the buffer of drop-tail",
            axis="buffer (bandwidth-delay products)",
            label="web goodput (kbps)",
            x="buffer_bdp",
            measure=lambda row: goodput("web")(row) / 1e3,
            schemes=("dt",),
        ),
    ]


FIGURE = Figure(
    "fig5",
    "Figure 5: web sessions with smaller drop-tail buffers",
    'From 1.4 down to 0.2 bandwidth-delay products "the average goodput received by the Web sessions'
    ' experiences a 10-30% increase".',
    _recipes,
    _draw,
)
