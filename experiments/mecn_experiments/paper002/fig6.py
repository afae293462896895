# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 6: the same with SACK."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .measures import goodput
from .scenarios import SCHEMES, web_and_ftp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return web_and_ftp(parameters, sack=True)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig6",
            title="Figure 6: web sessions, all flows with SACK",
            axis="web sessions",
            label="web goodput (kbps)",
            x="web",
            measure=lambda row: goodput("web")(row) / 1e3,
            schemes=SCHEMES,
        ),
    ]


FIGURE = Figure(
    "fig6",
    "Figure 6: web sessions, TCP/Sack1",
    '"with dt, the Web sessions receive 10% lower goodput when all flows use TCP/Sack1 instead of TCP/Reno";'
    " with the others SACK makes little difference.",
    _recipes,
    _draw,
)
