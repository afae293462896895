# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 17: bulk transfers in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scenarios import SCHEMES, each
from .sessions import Panel, sessions_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return each(parameters, SCHEMES, [{"ftp": n, "back_ftp": n} for n in parameters.both_ways])


FIGURE = sessions_figure(
    "fig17",
    "Figure 17: forward FTP sessions with as many in the reverse path",
    '"the average goodput is slightly higher with DT than with RED when the number of competing FTP sessions'
    ' is small"; with many there is little difference.',
    recipes=_recipes,
    x="ftp",
    axis="FTP sessions in each direction",
    panels=(
        Panel("fig17", "Figure 17: FTP in both directions", "ftp", "forward goodput of a session (kbps)"),
    ),
)
