# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 20: web forward, bulk transfers in reverse."""

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

BACK = 5


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(scheme=scheme, web=n, back_ftp=BACK).recipe(parameters)
        for scheme in SCHEMES
        for n in parameters.forward_web
    ]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig20a",
            title="Figure 20 (a): web sessions, forward path",
            axis="web sessions in the forward path",
            label="goodput of a session (kbps)",
            x="web",
            measure=lambda row: goodput("web")(row) / 1e3,
            schemes=SCHEMES,
        ),
        curves(
            data,
            key="fig20b",
            title="Figure 20 (b): 5 FTP sessions, reverse path",
            axis="web sessions in the forward path",
            label="goodput of a session (kbps)",
            x="web",
            measure=lambda row: goodput("back-ftp")(row) / 1e3,
            schemes=SCHEMES,
        ),
    ]


FIGURE = Figure(
    "fig20",
    "Figure 20: web sessions in the forward path, 5 FTP sessions in the reverse path",
    "The schemes make very little difference to the web sessions; FTP in the reverse path stabilizes with"
    " RED and keeps falling with drop-tail.",
    _recipes,
    _draw,
)
