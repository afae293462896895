# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 4: goodput over max_p and max_th at 30 flows."""

from __future__ import annotations

from .grid import grid_figure

FIGURE = grid_figure(
    "fig4",
    "Figure 4: goodput with 30 flows",
    "max_th has little effect on goodput above max_p = 0.2.",
    schemes=("RED", "ECN"),
    flows=30,
)
