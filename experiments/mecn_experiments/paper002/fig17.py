# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 17: bulk transfers in both directions."""

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
        Point(scheme=scheme, ftp=n, back_ftp=n).recipe(parameters)
        for scheme in SCHEMES
        for n in parameters.both_ways
    ]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig17",
            title="Figure 17: FTP in both directions",
            axis="FTP sessions in each direction",
            label="forward goodput of a session (kbps)",
            x="ftp",
            measure=lambda row: goodput("ftp")(row) / 1e3,
            schemes=SCHEMES,
        ),
    ]


FIGURE = Figure(
    "fig17",
    "Figure 17: forward FTP sessions with as many in the reverse path",
    '"the average goodput is slightly higher with DT than with RED when the number of competing FTP sessions'
    ' is small"; with many there is little difference.',
    _recipes,
    _draw,
)
