# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 3: web sessions beside bulk transfers."""

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
    return web_and_ftp(parameters, sack=False)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig3a",
            title="Figure 3 (a): web sessions beside 5 FTP sessions",
            axis="web sessions",
            label="web goodput (kbps)",
            x="web",
            measure=lambda row: goodput("web")(row) / 1e3,
            schemes=SCHEMES,
        ),
        curves(
            data,
            key="fig3b",
            title="Figure 3 (b): the FTP sessions",
            axis="web sessions",
            label="FTP goodput (kbps)",
            x="web",
            measure=lambda row: goodput("ftp")(row) / 1e3,
            schemes=SCHEMES,
        ),
    ]


FIGURE = Figure(
    "fig3",
    "Figure 3: effect of RED on short-lived and long-lived TCP",
    '"the Web sessions receive 10-30% higher average goodput with RED than with DT, regardless of the RED'
    ' parameters used"; the FTP sessions receive slightly lower goodput.',
    _recipes,
    _draw,
)
