# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 13: two round trips and RED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import look, scatter
from .measures import group_goodput_ratio, round_trip_ratio
from .scenarios import RED, two_round_trips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

SCHEMES = RED


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return two_round_trips(parameters, SCHEMES)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        scatter(
            key="fig13",
            title="Figure 13: 6 FTP sessions with 2 round trips, RED",
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
            guides=[
                ("x", lambda x: x, "--"),
            ],
        )
    ]


FIGURE = Figure(
    "fig13",
    "Figure 13: 6 FTP sessions with 2 round trips, RED",
    "Goodput2/Goodput1 is about RTT1/RTT2, because with RED all flows see about the same loss rate.",
    _recipes,
    _draw,
)
