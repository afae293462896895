# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 13: two round trips and RED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ratios import ratio_figure
from .scenarios import RED, two_round_trips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return two_round_trips(parameters, RED)


FIGURE = ratio_figure(
    "fig13",
    "Figure 13: 6 FTP sessions with 2 round trips, RED",
    "Goodput2/Goodput1 is about RTT1/RTT2, because with RED all flows see about the same loss rate.",
    recipes=_recipes,
    schemes=RED,
    guides=(("x", lambda x: x, "--"),),
)
