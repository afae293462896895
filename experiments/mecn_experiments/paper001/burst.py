# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Not a figure of the paper: the experiment that section 3 proposes, a bursty source beside the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..plots import bars
from .drawing import LOOKS
from .scenarios import BURSTS, SCHEMES, schemes_at, where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [
        recipe
        for burst in BURSTS
        for recipe in schemes_at(parameters, parameters.high, parameters.many, burst)
    ]


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    names = [f"{burst} source" for burst in BURSTS]
    return [
        bars(
            names,
            [
                (
                    LOOKS[scheme],
                    [
                        [
                            100 * row[column]
                            for row in data.select(**where(scheme, parameters.high, parameters.many, burst))
                        ]
                        for burst in BURSTS
                    ],
                )
                for scheme in SCHEMES
            ],
            key=f"burst-{key}",
            title=title,
            label=label,
        )
        for key, title, label, column in (
            ("share", "Share of all goodput that a bursty source gets", "share (%)", "burst_share"),
            ("lost", "Packets that a bursty source loses", "lost (%)", "burst_lost"),
        )
    ]


FIGURE = Figure(
    "burst",
    "A bursty source beside the others (proposed in section 3, without a figure)",
    "DropTail has a bias against bursty traffic, while ECN and RED are fair to all flows.",
    _recipes,
    _draw,
)
