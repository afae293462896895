# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Rows compared seed by seed: runs with the same seed start their connections at the same instants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .dataset import Row

    Rows = Mapping[int, Row]
    """The rows of a point by seed."""
    Measure = Callable[[Row], float]


def mean_of(rows: Rows, measure: Measure) -> Estimate:
    """A measure over seeds."""
    return estimate([measure(rows[seed]) for seed in sorted(rows)])


def gap(a: Rows, b: Rows, measure: Measure) -> Estimate:
    """a's measure less b's."""
    return estimate([measure(a[seed]) - measure(b[seed]) for seed in sorted(a)])
