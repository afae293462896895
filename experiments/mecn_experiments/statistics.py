# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The statistics that the experiments need: Jain's index, means with confidence intervals, their tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.special import stdtr, stdtrit

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95


def jain_index(shares: Sequence[float]) -> float:
    """Jain's fairness index (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has all; nan for no
    traffic."""
    squares = math.fsum(share * share for share in shares)
    if squares == 0:
        return math.nan
    return math.fsum(shares) ** 2 / (len(shares) * squares)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over runs and the half width of its confidence interval; the width is nan for a single run."""

    mean: float
    half_width: float
    n: int

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.mean + self.half_width

    def chance_above(self, bound: float, n: int | None = None) -> float:
        """How often runs whose true mean is `bound` give a mean that is higher by as much: the p-value of the
        one-sided t test for "above the bound".

        n: as if so many runs had the same mean and spread. A single run tests nothing (p is 1).
        """
        if math.isnan(self.mean) or math.isnan(self.half_width):
            return 1.0
        gap = self.mean - bound
        if self.half_width == 0:
            return 0.0 if gap > 0 else 1.0
        count = n or self.n
        error = self.half_width / student_t_quantile((1 + CONFIDENCE) / 2, self.n - 1)
        return float(stdtr(count - 1, -gap / (error * math.sqrt(self.n / count))))


def estimate(values: Sequence[float]) -> Estimate:
    """Mean with Student's confidence interval; the values are independent runs."""
    n = len(values)
    if n == 0:
        return Estimate(math.nan, math.nan, 0)
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(mean, math.nan, 1)
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    return Estimate(mean, student_t_quantile((1 + CONFIDENCE) / 2, n - 1) * math.sqrt(variance / n), n)


def difference(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """Mean of b minus mean of a, with Welch's confidence interval."""
    mean = math.fsum(b) / len(b) - math.fsum(a) / len(a) if a and b else math.nan
    if len(a) < 2 or len(b) < 2:
        return Estimate(mean, math.nan, min(len(a), len(b)))
    parts = []
    for values in (a, b):
        centre = math.fsum(values) / len(values)
        parts.append(math.fsum((v - centre) ** 2 for v in values) / (len(values) - 1) / len(values))
    total = sum(parts)
    if total == 0:
        return Estimate(mean, 0.0, min(len(a), len(b)))
    freedom = total**2 / sum(part**2 / (len(values) - 1) for part, values in zip(parts, (a, b), strict=True))
    width = student_t_quantile((1 + CONFIDENCE) / 2, freedom) * math.sqrt(total)
    return Estimate(mean, width, min(len(a), len(b)))


def student_t_quantile(probability: float, freedom: float) -> float:
    """The t that Student's distribution with so many degrees of freedom stays below with this probability."""
    if not 0 < probability < 1 or freedom <= 0:
        raise ValueError(f"no quantile for probability {probability} and {freedom} degrees of freedom")
    return float(stdtrit(freedom, probability))


def holm(chances: Sequence[float], level: float) -> list[bool]:
    """Which of these p-values are significant when all of them were tried (Holm 1979): the chance that any is
    so by accident stays within the level."""
    significant = [False] * len(chances)
    for done, i in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        if chances[i] * (len(chances) - done) > level:
            break
        significant[i] = True
    return significant
