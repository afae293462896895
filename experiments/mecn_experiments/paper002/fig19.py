# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 19: different congestion in the two directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scenarios import SCHEMES, each
from .sessions import Panel, sessions_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters

BACK = 10


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return each(parameters, SCHEMES, [{"ftp": n, "back_ftp": BACK} for n in parameters.forward_ftp])


FIGURE = sessions_figure(
    "fig19",
    "Figure 19: FTP sessions in the forward path, 10 in the reverse path",
    'In the forward path the schemes differ little. In the reverse path goodput "with DT ... continuously'
    ' decreases"; with RED it "soon stabilizes at a level much higher".',
    recipes=_recipes,
    x="ftp",
    axis="FTP sessions in the forward path",
    panels=(
        Panel("fig19a", "Figure 19 (a): FTP, forward path", "ftp", "goodput of a session (kbps)"),
        Panel(
            "fig19b",
            "Figure 19 (b): 10 FTP sessions, reverse path",
            "back-ftp",
            "goodput of a session (kbps)",
        ),
    ),
)
