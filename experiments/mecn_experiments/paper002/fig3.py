# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 3: web sessions beside bulk transfers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scenarios import web_and_ftp
from .sessions import Panel, sessions_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return web_and_ftp(parameters, sack=False)


FIGURE = sessions_figure(
    "fig3",
    "Figure 3: effect of RED on short-lived and long-lived TCP",
    '"the Web sessions receive 10-30% higher average goodput with RED than with DT, regardless of the RED'
    ' parameters used"; the FTP sessions receive slightly lower goodput.',
    recipes=_recipes,
    x="web",
    axis="web sessions",
    panels=(
        Panel("fig3a", "Figure 3 (a): web sessions beside 5 FTP sessions", "web", "web goodput (kbps)"),
        Panel("fig3b", "Figure 3 (b): the FTP sessions", "ftp", "FTP goodput (kbps)"),
    ),
)
