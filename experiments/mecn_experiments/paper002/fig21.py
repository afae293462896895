# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 21: web in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scenarios import SCHEMES, each
from .sessions import Panel, sessions_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return each(parameters, SCHEMES, [{"web": n, "back_web": n} for n in parameters.forward_web])


FIGURE = sessions_figure(
    "fig21",
    "Figure 21: web sessions in both directions",
    '"there is very little difference in goodput with different queue management policies".',
    recipes=_recipes,
    x="web",
    axis="web sessions in each direction",
    panels=(
        Panel(
            "fig21",
            "Figure 21: web sessions in both directions, forward path",
            "web",
            "goodput of a session (kbps)",
        ),
    ),
)
