# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What the rules of this paper's claims share: means over thresholds, paired by seed.

Runs with the same seed start their connections at the same instants, so mark-tail and mark-front are compared
seed by seed; estimates are over seeds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..paired import Sample, sample
from .scenarios import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..dataset import Dataset, Row
    from .scenarios import Strategy


def grid(data: Dataset, **where: object) -> dict[int, dict[tuple[str, int], Row]]:
    """By seed, the rows by strategy and threshold."""
    found: dict[int, dict[tuple[str, int], Row]] = {}
    for row in data.select(**where):
        found.setdefault(row["seed"], {})[row["strategy"], row["threshold"]] = row
    return found


def mean_over(
    data: Dataset,
    strategy: Strategy,
    measure: Callable[[Row], float],
    *,
    wanted: Callable[[int], bool] = lambda _: True,
    **where: object,
) -> Sample:
    """A strategy's measure, averaged over the wanted thresholds."""
    return over_seeds(
        grid(data, strategy=strategy, **where),
        lambda rows: mean([measure(row) for (_, t), row in rows.items() if wanted(t)]),
    )


def tail_minus_front(
    data: Dataset,
    measure: Callable[[Row], float],
    *,
    wanted: Callable[[int], bool] = lambda _: True,
    **where: object,
) -> Sample:
    """How much mark-tail's measure exceeds mark-front's, averaged over the wanted thresholds."""
    tail, front = (mean_over(data, s, measure, wanted=wanted, **where) for s in STRATEGIES)
    return tail - front


def over_seeds(
    by_seed: Mapping[int, Mapping[tuple[str, int], Row]],
    measure: Callable[[Mapping[tuple[str, int], Row]], float],
) -> Sample:
    """A number that each seed's rows give."""
    return sample({seed: measure(rows) for seed, rows in by_seed.items()})


def slope(points: Mapping[int, float]) -> float:
    """Slope of the least-squares line through the points."""
    n = len(points)
    x_mean, y_mean = math.fsum(points) / n, math.fsum(points.values()) / n
    square = math.fsum((x - x_mean) ** 2 for x in points)
    return math.fsum((x - x_mean) * (y - y_mean) for x, y in points.items()) / square if square else math.nan


def slopes(data: Dataset, measure: Callable[[Row], float], strategy: Strategy, **where: object) -> Sample:
    """Slope of a strategy's measure over thresholds."""
    return over_seeds(
        grid(data, **where),
        lambda rows: slope({t: measure(r) for (s, t), r in rows.items() if s == strategy}),
    )


def mean(values: list[float]) -> float:
    """Arithmetic mean; nan for none."""
    return math.fsum(values) / len(values) if values else math.nan
