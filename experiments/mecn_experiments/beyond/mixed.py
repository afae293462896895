# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""MECN beside UDP, and with data in both directions: much of what is queued cannot be marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..plots import bars, looks
from .drawing import points, values
from .scenarios import MIXED, MIXED_SCHEMES, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters

BESIDE_UDP = tuple(scenario for scenario in MIXED if scenario.udp != "none")
BOTH_WAYS = tuple(scenario for scenario in MIXED if scenario.back)
PANELS = (
    ("udp-loss", "Loss rate of a UDP flow", "loss (%)", "udp_loss", 100, BESIDE_UDP),
    (
        "udp-tcp",
        "Goodput of each of 10 FTP sessions beside UDP",
        "goodput (kbps)",
        "ftp_bps",
        1e-3,
        BESIDE_UDP,
    ),
    ("forward", "Goodput of each forward FTP session", "goodput (kbps)", "ftp_bps", 1e-3, BOTH_WAYS),
    ("reverse", "Goodput of each reverse FTP session", "goodput (kbps)", "back_ftp_bps", 1e-3, BOTH_WAYS),
)
"""Key, title, axis, column, scale, scenarios."""


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return recipes(parameters, MIXED_SCHEMES, MIXED)


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    charts = [
        bars(
            [scenario.name.removeprefix("002, ") for scenario in scenarios],
            [
                (
                    look,
                    [
                        [scale * value for value in values(data, scenario, look.name, column)]
                        for scenario in scenarios
                    ],
                )
                for look in looks(MIXED_SCHEMES)
            ],
            key=f"mixed-{key}",
            title=title,
            label=label,
        )
        for key, title, label, column, scale, scenarios in PANELS
    ]
    return [*charts, *points(data, MIXED_SCHEMES, "mixed", MIXED)]


FIGURE = Figure("mixed", "MECN beside UDP and with data in both directions (paper 002)", "", _recipes, _draw)
