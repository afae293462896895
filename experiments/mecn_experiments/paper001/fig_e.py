# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure E: throughput averaged over the time so far; higher thresholds, several nodes at each gateway."""

from .drawing import figure

FIGURE = figure(
    "E",
    "average throughput",
    "high",
    "many",
    "The more nodes there are, the less noticeable is the difference between ECN, RED and DropTail.",
)
