# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure C: queue averaged over the time so far; lower thresholds, one node at each gateway."""

from .drawing import figure

FIGURE = figure(
    "C",
    "average buffer usage",
    "low",
    "few",
    "DropTail uses its queue completely, RED keeps it under-utilized; ECN gives the same "
    "benefits in latency.",
)
