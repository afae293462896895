# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure A: throughput averaged over the time so far; lower thresholds, one node at each gateway."""

from .drawing import figure

FIGURE = figure(
    "A",
    "average throughput",
    "low",
    "few",
    "The network is congested after about 3 s. DropTail has the highest throughput; RED's "
    "average drops twice; ECN's is higher than RED's.",
)
