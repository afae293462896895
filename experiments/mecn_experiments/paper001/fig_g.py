# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure G: queue averaged over the time so far; higher thresholds, several nodes at each gateway."""

from .drawing import figure

FIGURE = figure(
    "G",
    "average buffer usage",
    "high",
    "many",
    "The shape is Figure K's, but the curve is shifted up, and is more smooth.",
)
