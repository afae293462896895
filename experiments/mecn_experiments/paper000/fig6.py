# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 6: fairness by number of flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .scenarios import over_flows

if TYPE_CHECKING:
    from ..dataset import Dataset
    from ..declaration import Drawing
    from .parameters import Parameters


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="fig6",
            title="Figure 6: RED and ECN fairness, max_th = 30",
            axis="flows",
            label="Jain's index",
            x="flows",
            measure=lambda row: float(row["jain_index"]),
            lines=[
                (f"{scheme}, max_p {max_p:g}", scheme, kind, {"max_p": max_p})
                for scheme in ("RED", "ECN")
                for kind, max_p in enumerate((0.1, 0.5))
            ],
            logarithmic=True,
        )
    ]


FIGURE = Figure(
    "fig6",
    "Figure 6: RED and ECN fairness, max_th = 30",
    "ECN is fairer than RED in almost all situations; above 120 flows none of the choices prevents"
    " unfairness.",
    over_flows,
    _draw,
)
