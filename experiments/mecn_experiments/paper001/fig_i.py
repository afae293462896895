# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure I: throughput averaged over the time so far; higher thresholds, one node at each gateway."""

from .drawing import figure

FIGURE = figure(
    "I",
    "average throughput",
    "high",
    "few",
    "The throughput of RED and ECN is nearly identical to DropTail's.",
)
