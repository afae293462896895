# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 5: goodput over max_p and max_th at 120 flows."""

from __future__ import annotations

from .grid import grid_figure

FIGURE = grid_figure(
    "fig5",
    "Figure 5: goodput with 120 flows",
    "ECN with max_p = 0.5 and max_th = 30 yields the highest goodput; no max_p works well for RED.",
    schemes=("RED", "ECN"),
    flows=120,
)
