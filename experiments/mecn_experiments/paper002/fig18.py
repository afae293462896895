# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 18: distribution of goodput in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import distributions
from .measures import of_class
from .scenarios import SCHEMES, each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


SESSIONS = (4, 16)


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return each(parameters, SCHEMES, [{"ftp": n, "back_ftp": n} for n in SESSIONS])


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    drawings = []
    for letter, n in zip("ab", SESSIONS, strict=True):
        lines = []
        for scheme in SCHEMES:
            rows = data.select(scheme=scheme, ftp=n)
            values = [rate / 1e3 for row in rows for rate in of_class(row, "flow_goodput_bps", "ftp")]
            lines.append((scheme, values))
        drawings.append(
            distributions(
                key=f"fig18{letter}",
                title=f"Figure 18: goodput of each forward FTP session, {n} in each direction",
                axis="goodput of a session (kbps)",
                lines=lines,
            )
        )
    return drawings


FIGURE = Figure(
    "fig18",
    "Figure 18: distribution of the goodput of FTP sessions, 4 and 16 in each direction",
    'With few flows dt gives more than RED plus ECN and about as much as RED; "when the congestion level is'
    ' high, DT gives worse performance than RED".',
    _recipes,
    _draw,
)
