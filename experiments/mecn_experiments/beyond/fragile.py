# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What each scheme leaves to paper 000's fragile, average and robust flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..paper000.parameters import GROUPS
from ..plots import bars, looks
from .drawing import slug
from .scenarios import SCENARIOS, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

GROUPED = tuple(scenario for scenario in SCENARIOS if scenario.paper == "000")
SHOWN = ("gentle RED", "ECN", "ECNM", "MECN")


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, SHOWN, GROUPED)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        bars(
            GROUPS,
            [
                (
                    look,
                    [
                        [
                            row["group_bps"][group] / 1e6
                            for row in data.select(scenario=scenario.name, scheme=look.name)
                        ]
                        for group in range(len(GROUPS))
                    ],
                )
                for look in looks(SHOWN)
            ],
            key=f"fragile-{slug(scenario)}",
            title=f"Goodput of each group, paper {scenario.name}",
            label="goodput (Mbps)",
        )
        for scenario in GROUPED
    ]


FIGURE = Figure("fragile", "Fragile, average and robust flows", "", _recipes, _draw)
