# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 11: goodput over max_p and max_th at 120 flows."""

from __future__ import annotations

from .grid import grid_figure

FIGURE = grid_figure(
    "fig11",
    "Figure 11: ECN and ECNM goodput with 120 flows",
    "ECN provides better goodput except at small values of max_p; ECNM is quite sensitive to max_th.",
    schemes=("ECN", "ECNM"),
    flows=120,
)
