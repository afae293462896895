# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 22: web in both directions, different congestion."""

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
    return each(parameters, SCHEMES, [{"web": n, "back_web": BACK} for n in parameters.forward_web])


FIGURE = sessions_figure(
    "fig22",
    "Figure 22: web sessions in the forward path, 10 in the reverse path",
    '"the results is qualitatively similar to Fig. 20".',
    recipes=_recipes,
    x="web",
    axis="web sessions in the forward path",
    panels=(
        Panel("fig22a", "Figure 22 (a): web sessions, forward path", "web", "goodput of a session (kbps)"),
        Panel(
            "fig22b",
            "Figure 22 (b): 10 web sessions, reverse path",
            "back-web",
            "goodput of a session (kbps)",
        ),
    ),
)
