# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure H: queue; higher thresholds, several nodes at each gateway."""

from .drawing import figure

FIGURE = figure(
    "H",
    "current buffer usage",
    "high",
    "many",
    "The shape is Figure L's, but the curve is shifted up, and is more smooth.",
)
