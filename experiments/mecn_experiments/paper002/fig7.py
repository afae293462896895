# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 7: loss of UDP flows at a constant rate."""

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
    from .scenarios import Udp


PANELS: tuple[tuple[str, str, Udp, bool], ...] = (
    ("a", "CBR with fixed spacing, FTP with Reno", "cbr-fixed", False),
    ("b", "CBR with random spacing, FTP with Reno", "cbr-random", False),
    ("c", "CBR with random spacing, FTP with SACK", "cbr-random", True),
)
"""Letter, what is drawn, source of the datagrams, SACK."""
HIGH_LOSS = 0.1
"""The paper's region of high loss."""


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return [recipe for _, _, udp, sack in PANELS for recipe in with_udp(parameters, udp, sack=sack)]


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    drawings = []
    for letter, what, udp, sack in PANELS:
        lines = []
        for scheme in SCHEMES:
            rows = data.select(scheme=scheme, udp=udp, sack=sack)
            lines.append((scheme, [loss for row in rows for loss in of_class(row, "flow_loss", "udp")]))
        drawings.append(
            distributions(
                key=f"fig7{letter}",
                title=f"Figure 7 ({letter}): {what}",
                axis="loss rate of a UDP flow",
                lines=lines,
                level=HIGH_LOSS,
            )
        )
    return drawings


FIGURE = Figure(
    "fig7",
    "Figure 7: loss rate of CBR UDP flows",
    'SACK or ECN "can significantly increase the loss rate for UDP traffic"; with fixed spacing drop-tail'
    " has a much bigger tail at the high loss rates.",
    _recipes,
    _draw,
)
