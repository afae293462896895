# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 2: goodput by number of flows."""

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
            key="fig2",
            title="Figure 2: RED and ECN goodput, max_th = 30",
            axis="flows",
            label="goodput (Mbps)",
            x="flows",
            measure=lambda row: row["goodput_bps"] / 1e6,
            lines=[
                (f"{scheme}, max_p {max_p:g}", scheme, kind, {"max_p": max_p})
                for scheme in ("RED", "ECN")
                for kind, max_p in enumerate((0.1, 0.5))
            ],
            logarithmic=True,
        )
    ]


FIGURE = Figure(
    "fig2",
    "Figure 2: RED and ECN goodput, max_th = 30",
    "ECN with max_p = 0.5 gives the best goodput in all cases but 15 flows; in the other three there is a"
    " marked drop beginning at 64 flows.",
    over_flows,
    _draw,
)
