# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures of the loss rates of UDP flows beside TCP, as distributions over flows and seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import distributions
from .measures import of_class
from .scenarios import SCHEMES, with_udp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme, Udp

HIGH_LOSS = 0.1
"""The paper's region of high loss."""


def udp_figure(key: str, title: str, says: str, *, panels: Sequence[tuple[str, str, Udp, bool]]) -> Figure:
    """The figure of that key and title; `says` is what the paper reads from it.

    panels: letter, what is drawn, source of the datagrams, whether TCP has SACK.
    """
    name = title.partition(":")[0]

    def recipes(parameters: Parameters) -> Sequence[Recipe]:
        return [recipe for _, _, udp, sack in panels for recipe in with_udp(parameters, udp, sack=sack)]

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        return [
            distributions(
                key=f"{key}{letter}",
                title=f"{name} ({letter}): {what}",
                axis="loss rate of a UDP flow",
                lines=[(scheme, _losses(data, scheme, udp, sack=sack)) for scheme in SCHEMES],
                level=HIGH_LOSS,
            )
            for letter, what, udp, sack in panels
        ]

    return Figure(key, title, says, recipes, draw)


def _losses(data: Dataset, scheme: Scheme, udp: Udp, *, sack: bool) -> list[float]:
    rows = data.select(scheme=scheme, udp=udp, sack=sack)
    return [loss for row in rows for loss in of_class(row, "flow_loss", "udp")]
