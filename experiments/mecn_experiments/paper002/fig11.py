# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 11: two round trips and drop-tail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import look, scatter
from .measures import group_goodput_ratio, round_trip_ratio
from .scenarios import two_round_trips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme

SCHEMES: tuple[Scheme, ...] = ("dt",)


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return two_round_trips(parameters, SCHEMES)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        scatter(
            key="fig11",
            title="Figure 11: 6 FTP sessions with 2 round trips, drop-tail",
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
                ("x²", lambda x: x * x, "--"),
                ("0.5 x²", lambda x: x * x / 2, ":"),
            ],
        )
    ]


FIGURE = Figure(
    "fig11",
    "Figure 11: 6 FTP sessions with 2 round trips, drop-tail",
    '"the goodput ratio always satisfies" 0.5 (RTT1/RTT2)^2 <= goodput2/goodput1 <= (RTT1/RTT2)^2.',
    _recipes,
    _draw,
)
