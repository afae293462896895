# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 14: eight round trips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import look, scatter
from .measures import pair_ratios
from .scenarios import eight_round_trips

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme


SCHEMES: tuple[Scheme, ...] = ("dt", "r1", "r2", "r3")


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return eight_round_trips(parameters, SCHEMES)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        scatter(
            key=f"fig14{letter}",
            title=f"Figure 14: 8 FTP sessions with different round trips, {scheme}",
            axis="RTT of a flow / least RTT",
            label="goodput at least RTT / its goodput",
            points=[
                (
                    look(scheme),
                    [pair for row in data.select(scheme=scheme) for pair in pair_ratios(row)],
                )
            ],
            guides=[
                ("x", lambda x: x, "-"),
                ("1.5 x", lambda x: 1.5 * x, "--"),
                ("0.5 x", lambda x: 0.5 * x, ":"),
            ],
        )
        for letter, scheme in zip("ab", SCHEMES, strict=False)
    ]


FIGURE = Figure(
    "fig14",
    "Figure 14: 8 FTP sessions with different round trips",
    'With dt the ratios are "centered around line Y = X and are well-bounded by" 1.5X and 0.5X; with RED'
    ' they are "clustered much closer to line Y = X".',
    _recipes,
    _draw,
)
