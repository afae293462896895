# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Not a figure of the paper: which max_p serves which number of flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Figure
from .drawing import curves
from .scenarios import BEST_FLOWS, best_max_p

if TYPE_CHECKING:
    from ..dataset import Dataset
    from ..declaration import Drawing
    from .parameters import Parameters


def _draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    return [
        curves(
            data,
            key="best",
            title="Goodput of ECN over max_p, max_th = 30",
            axis="max_p",
            label="goodput (Mbps)",
            x="max_p",
            measure=lambda row: row["goodput_bps"] / 1e6,
            lines=[
                (f"{flows} flows", "ECN", kind, {"flows": flows}) for kind, flows in enumerate(BEST_FLOWS)
            ],
        )
    ]


FIGURE = Figure(
    "best",
    "ECN's max_p by number of flows (not in the paper)",
    "The marking probability must be increased aggressively to serve many flows.",
    best_max_p,
    _draw,
)
