# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 5: drop-tail buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scenarios import TELNETS, each
from .sessions import Panel, sessions_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters

WEB = 10


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    points = [
        {"ftp": 5, "web": WEB, "telnet": TELNETS, "buffer_bdp": buffer} for buffer in parameters.buffers_bdp
    ]
    return each(parameters, ("dt",), points)


FIGURE = sessions_figure(
    "fig5",
    "Figure 5: web sessions with smaller drop-tail buffers",
    'From 1.4 down to 0.2 bandwidth-delay products "the average goodput received by the Web sessions'
    ' experiences a 10-30% increase".',
    recipes=_recipes,
    x="buffer_bdp",
    axis="buffer (bandwidth-delay products)",
    panels=(
        Panel("fig5", "Figure 5: web sessions and the buffer of drop-tail", "web", "web goodput (kbps)"),
    ),
    schemes=("dt",),
)
