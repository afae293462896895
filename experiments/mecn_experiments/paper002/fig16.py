# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 16: web sessions with two round trips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import look, scatter
from .measures import group_goodput_ratio, round_trip_ratio
from .scenarios import PD2_MS, SCHEMES, Point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


SESSIONS = 30


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [
        Point(scheme=scheme, web=SESSIONS, round_trips_ms=(pd1, PD2_MS)).recipe(parameters)
        for scheme in SCHEMES
        for pd1 in parameters.web_round_trips_ms
    ]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        scatter(
            key="fig16",
            title="Figure 16: 30 web sessions with 2 round trips",
            axis="RTT1 / RTT2",
            label="goodput2 / goodput1",
            points=[
                (
                    scheme,
                    look(scheme),
                    [(round_trip_ratio(row), group_goodput_ratio(row)) for row in data.select(scheme=scheme)],
                )
                for scheme in SCHEMES
            ],
            guides=[("x", lambda x: x, "--")],
        )
    ]


FIGURE = Figure(
    "fig16",
    "Figure 16: 30 web sessions with 2 round trips",
    '"no matter what queue management scheme is used, Goodput2/Goodput1" is about RTT1/RTT2.',
    _recipes,
    _draw,
)
