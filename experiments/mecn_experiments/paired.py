# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Rows compared seed by seed: runs with the same seed start their connections at the same instants."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from .errors import ExperimentError
from .statistics import Estimate, estimate

if TYPE_CHECKING:
    from .dataset import Dataset, Row

Rows: TypeAlias = "Mapping[int, Row]"
"""The rows of a point by seed."""
Measure: TypeAlias = "Callable[[Row], float]"


@dataclass(frozen=True, slots=True)
class Sample(Estimate):
    """A number for each seed, and their mean; arithmetic with another sample is done seed by seed."""

    by_seed: Mapping[int, float]

    @property
    def numbers(self) -> list[float]:
        """The numbers, by seed."""
        return [self.by_seed[seed] for seed in sorted(self.by_seed)]

    def __add__(self, other: Sample | float) -> Sample:
        return self._with(other, operator.add)

    def __sub__(self, other: Sample | float) -> Sample:
        return self._with(other, operator.sub)

    def __mul__(self, other: Sample | float) -> Sample:
        return self._with(other, operator.mul)

    def __truediv__(self, other: Sample | float) -> Sample:
        return self._with(other, operator.truediv)

    def _with(self, other: Sample | float, operation: Callable[[float, float], float]) -> Sample:
        if not isinstance(other, Sample):
            return sample({seed: operation(value, other) for seed, value in self.by_seed.items()})
        return sample({seed: operation(value, other.by_seed[seed]) for seed, value in self.by_seed.items()})


def sample(by_seed: Mapping[int, float]) -> Sample:
    """A sample of these numbers."""
    values = estimate([by_seed[seed] for seed in sorted(by_seed)])
    return Sample(values.mean, values.half_width, values.n, by_seed)


def at(data: Dataset, **where: object) -> Rows:
    """The rows with these values, one for each seed."""
    rows = data.select(**where)
    found = {row["seed"]: row for row in rows}
    if len(found) != len(rows) or not rows:
        wanted = ", ".join(f"{key} = {value}" for key, value in where.items())
        raise ExperimentError(f"the data file has {len(rows)} runs with {wanted}, and {len(found)} seeds")
    return found


def of(rows: Rows, measure: Measure | str) -> Sample:
    """A measure, or a column, of a point."""
    if isinstance(measure, str):
        return sample({seed: float(row[measure]) for seed, row in rows.items()})
    return sample({seed: measure(row) for seed, row in rows.items()})


def over_seeds(points: Sequence[Rows], measure: Callable[[Sequence[Row]], float]) -> Sample:
    """A number that the points' rows of one seed give."""
    return sample({seed: measure([rows[seed] for rows in points]) for seed in points[0]})


def spread(samples: Sequence[Sample]) -> Sample:
    """The largest less the smallest, with each seed."""
    return _each(samples, max) - _each(samples, min)


def mean(samples: Sequence[Sample]) -> Sample:
    """Their mean, with each seed."""
    return _each(samples, lambda values: math.fsum(values) / len(values))


def largest(samples: Sequence[Sample]) -> Sample:
    """The largest, with each seed."""
    return _each(samples, max)


def _each(samples: Sequence[Sample], choose: Callable[[Sequence[float]], float]) -> Sample:
    return sample({seed: choose([each.by_seed[seed] for each in samples]) for seed in samples[0].by_seed})
