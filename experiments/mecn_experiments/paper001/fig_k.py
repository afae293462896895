# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure K: queue averaged over the time so far; higher thresholds, one node at each gateway."""

from .drawing import figure

FIGURE = figure(
    "K",
    "average buffer usage",
    "high",
    "few",
    "Buffer usage of RED and ECN is much higher than with the lower thresholds; the average "
    "is near the minimum threshold, 40 packets.",
)
