# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 20: web forward, bulk transfers in reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scenarios import SCHEMES, each
from .sessions import Panel, sessions_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters

BACK = 5


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return each(parameters, SCHEMES, [{"web": n, "back_ftp": BACK} for n in parameters.forward_web])


FIGURE = sessions_figure(
    "fig20",
    "Figure 20: web sessions in the forward path, 5 FTP sessions in the reverse path",
    "The schemes make very little difference to the web sessions; FTP in the reverse path stabilizes with"
    " RED and keeps falling with drop-tail.",
    recipes=_recipes,
    x="web",
    axis="web sessions in the forward path",
    panels=(
        Panel("fig20a", "Figure 20 (a): web sessions, forward path", "web", "goodput of a session (kbps)"),
        Panel(
            "fig20b", "Figure 20 (b): 5 FTP sessions, reverse path", "back-ftp", "goodput of a session (kbps)"
        ),
    ),
)
