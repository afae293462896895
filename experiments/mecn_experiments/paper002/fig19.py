# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 19: different congestion in the two directions."""

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
        Point(scheme=scheme, ftp=n, back_ftp=BACK).recipe(parameters)
        for scheme in SCHEMES
        for n in parameters.forward_ftp
    ]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig19a",
            title="Figure 19 (a): FTP, forward path",
            axis="FTP sessions in the forward path",
            label="goodput of a session (kbps)",
            x="ftp",
            measure=lambda row: goodput("ftp")(row) / 1e3,
            schemes=SCHEMES,
        ),
        curves(
            data,
            key="fig19b",
            title="Figure 19 (b): 10 FTP sessions, reverse path",
            axis="FTP sessions in the forward path",
            label="goodput of a session (kbps)",
            x="ftp",
            measure=lambda row: goodput("back-ftp")(row) / 1e3,
            schemes=SCHEMES,
        ),
    ]


FIGURE = Figure(
    "fig19",
    "Figure 19: FTP sessions in the forward path, 10 in the reverse path",
    'In the forward path the schemes differ little. In the reverse path goodput "with DT ... continuously'
    ' decreases"; with RED it "soon stabilizes at a level much higher".',
    _recipes,
    _draw,
)
