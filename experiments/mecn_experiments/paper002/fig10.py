# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 10: ECN-capable web sessions beside others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .measures import ecn_gain
from .scenarios import ECN, each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters


def _recipes(parameters: Parameters) -> Sequence[Recipe]:
    return each(parameters, ECN, [{"web": 2 * n, "mixed": True} for n in parameters.ecn_web_pairs])


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig10",
            title="Figure 10: n ECN-capable web sessions beside n others",
            axis="n",
            label="goodput ratio",
            x=lambda row: row["web"] / 2,
            measure=ecn_gain,
            schemes=ECN,
            level=1.0,
        ),
    ]


FIGURE = Figure(
    "fig10",
    "Figure 10: n ECN-capable and n other web sessions",
    '"the shape of the curve is very similar to Fig. 9 (a), except that the peak goodput ratio is much'
    ' smaller".',
    _recipes,
    _draw,
)
