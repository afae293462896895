# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 16: web sessions with two round trips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .ratios import ratio_figure
from .scenarios import PD2_MS, SCHEMES, each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from .parameters import Parameters

SESSIONS = 30


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return each(
        parameters,
        SCHEMES,
        [{"web": SESSIONS, "round_trips_ms": (pd1, PD2_MS)} for pd1 in parameters.web_round_trips_ms],
    )


FIGURE = ratio_figure(
    "fig16",
    "Figure 16: 30 web sessions with 2 round trips",
    '"no matter what queue management scheme is used, Goodput2/Goodput1" is about RTT1/RTT2.',
    recipes=_recipes,
    schemes=SCHEMES,
    guides=(("x", lambda x: x, "--"),),
)
