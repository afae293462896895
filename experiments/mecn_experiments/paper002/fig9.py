# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 9: ECN-capable bulk transfers beside others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .measures import ecn_gain, outstanding
from .scenarios import ECN, each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return each(parameters, ECN, [{"ftp": 2 * n, "mixed": True} for n in parameters.ecn_pairs])


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig9a",
            title="Figure 9 (a): n ECN-capable FTP sessions beside n others",
            axis="n",
            label="goodput ratio",
            x=lambda row: row["ftp"] / 2,
            measure=ecn_gain,
            schemes=ECN,
            level=1.0,
        ),
        curves(
            data,
            key="fig9b",
            title="Figure 9 (b): outstanding packets of a flow",
            axis="n",
            label="packets outstanding",
            x=lambda row: row["ftp"] / 2,
            measure=outstanding,
            schemes=ECN,
        ),
    ]


FIGURE = Figure(
    "fig9",
    "Figure 9: n ECN-capable and n other FTP sessions",
    '"ECN-capable sources consistently out-performs non-ECN-capable sources by 5-30%"; the ratio rises and'
    " later falls, with its peak at 3 to 4 outstanding packets.",
    _recipes,
    _draw,
)
