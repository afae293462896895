# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure B: data sent so far; lower thresholds, one node at each gateway."""

from .drawing import figure

FIGURE = figure(
    "B",
    "additive throughput",
    "low",
    "few",
    "As Figure A.",
)
