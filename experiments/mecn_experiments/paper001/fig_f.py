# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure F: data sent so far; higher thresholds, several nodes at each gateway."""

from .drawing import figure

FIGURE = figure(
    "F",
    "additive throughput",
    "high",
    "many",
    "As Figure E.",
)
