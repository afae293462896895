# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 8: loss of UDP flows that go on and off."""

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
    ("a", "ON/OFF UDP, FTP with Reno", "on-off", False),
    ("b", "ON/OFF UDP, FTP with SACK", "on-off", True),
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
                key=f"fig8{letter}",
                title=f"Figure 8 ({letter}): {what}",
                axis="loss rate of a UDP flow",
                lines=lines,
                level=HIGH_LOSS,
            )
        )
    return drawings


FIGURE = Figure(
    "fig8",
    "Figure 8: loss rate of ON/OFF UDP flows",
    'RED with ECN or SACK raises the loss rate; "the use of RED without ECN actually reduces the loss rate'
    ' for UDP traffic".',
    _recipes,
    _draw,
)
