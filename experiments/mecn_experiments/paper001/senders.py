# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Not a figure of the paper, but what its text says: the schemes by number of nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from ..plots import curves
from .drawing import LOOKS
from .scenarios import SCHEMES, schemes_at, where

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [recipe for n in parameters.senders for recipe in schemes_at(parameters, parameters.high, n)]


def _draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
    measures: list[tuple[str, str, str, Callable[[Row], float]]] = [
        ("goodput", "Goodput", "goodput (kbps)", lambda row: row["goodput_bps"] / 1e3),
        ("queue", "Settled queue", "mean queue (packets)", lambda row: row["settled_mean"]),
    ]
    low, high = parameters.high
    return [
        curves(
            [
                (
                    LOOKS[scheme],
                    {
                        n: [measure(row) for row in data.select(**where(scheme, parameters.high, n))]
                        for n in parameters.senders
                    },
                )
                for scheme in SCHEMES
            ],
            key=f"senders-{key}",
            title=f"{title} by number of nodes, {low:g}/{high:g}",
            axis="nodes at each gateway",
            label=label,
            ticks=True,
        )
        for key, title, label, measure in measures
    ]


FIGURE = Figure(
    "senders",
    "Goodput and queue by number of nodes (not in the paper)",
    "The more nodes are in the network, the less noticeable is the difference between ECN, RED and DropTail.",
    _recipes,
    _draw,
)
