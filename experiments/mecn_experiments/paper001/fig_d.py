# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure D: queue; lower thresholds, one node at each gateway."""

from .drawing import figure

FIGURE = figure(
    "D",
    "current buffer usage",
    "low",
    "few",
    "After the initial reduction the queue oscillates at around 3000-4000 bytes, or 5-7 packets.",
)
