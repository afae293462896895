# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure L: queue; higher thresholds, one node at each gateway."""

from .drawing import figure

FIGURE = figure(
    "L",
    "current buffer usage",
    "high",
    "few",
    "After the initial peak the queue oscillates between about 55 packets and 0 (RED) or 9 packets (ECN).",
)
