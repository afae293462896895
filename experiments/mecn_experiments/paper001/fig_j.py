# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure J: data sent so far; higher thresholds, one node at each gateway."""

from .drawing import figure

FIGURE = figure(
    "J",
    "additive throughput",
    "high",
    "few",
    "As Figure I.",
)
