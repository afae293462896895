# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 6: the same with SACK."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scenarios import web_and_ftp
from .sessions import Panel, sessions_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return web_and_ftp(parameters, sack=True)


FIGURE = sessions_figure(
    "fig6",
    "Figure 6: web sessions, TCP/Sack1",
    '"with dt, the Web sessions receive 10% lower goodput when all flows use TCP/Sack1 instead of TCP/Reno";'
    " with the others SACK makes little difference.",
    recipes=_recipes,
    x="web",
    axis="web sessions",
    panels=(Panel("fig6", "Figure 6: web sessions, all flows with SACK", "web", "web goodput (kbps)"),),
)
