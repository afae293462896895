# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 11: two round trips and drop-tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ratios import ratio_figure
from .scenarios import two_round_trips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters
    from .scenarios import Scheme

SCHEMES: tuple[Scheme, ...] = ("dt",)


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return two_round_trips(parameters, SCHEMES)


FIGURE = ratio_figure(
    "fig11",
    "Figure 11: 6 FTP sessions with 2 round trips, drop-tail",
    '"the goodput ratio always satisfies" 0.5 (RTT1/RTT2)^2 <= goodput2/goodput1 <= (RTT1/RTT2)^2.',
    recipes=_recipes,
    schemes=SCHEMES,
    guides=(("x²", lambda x: x * x, "--"), ("0.5 x²", lambda x: x * x / 2, ":")),
)
