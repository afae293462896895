# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The statistics that the experiments need: Jain's index, means with confidence intervals, comparisons.

Student's quantile is computed here: the usual library for it is larger than everything else together and
would be needed for this one number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

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


def estimate(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """Mean with Student's confidence interval; the values are independent runs."""
    n = len(values)
    if n == 0:
        return Estimate(math.nan, math.nan, 0)
    mean = math.fsum(values) / n
    if n == 1:
        return Estimate(mean, math.nan, 1)
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    return Estimate(mean, student_t_quantile((1 + confidence) / 2, n - 1) * math.sqrt(variance / n), n)


def difference(a: Sequence[float], b: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
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
    width = student_t_quantile((1 + confidence) / 2, freedom) * math.sqrt(total)
    return Estimate(mean, width, min(len(a), len(b)))


def student_t_quantile(probability: float, freedom: float) -> float:
    """The t that Student's distribution with so many degrees of freedom stays below with this probability,
    0.5 to 1."""
    if not 0.5 <= probability < 1 or freedom <= 0:
        raise ValueError(f"no quantile for probability {probability} and {freedom} degrees of freedom")
    high = 1.0
    while student_t_cdf(high, freedom) < probability:
        high *= 2
    low = 0.0
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if student_t_cdf(middle, freedom) < probability:
            low = middle
        else:
            high = middle


def student_t_cdf(t: float, freedom: float) -> float:
    """P(T <= t) for t >= 0 (Abramowitz and Stegun, 26.7.1)."""
    if t * t < freedom:
        return 0.5 + 0.5 * regularised_incomplete_beta(0.5, freedom / 2, t * t / (freedom + t * t))
    return 1 - 0.5 * regularised_incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def regularised_incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b), by the continued fraction of Abramowitz and Stegun, 26.5.8, evaluated by Lentz's method."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - regularised_incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or tiny)
    fraction = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + numerator * d or tiny)
            c = 1 + numerator / c or tiny
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * fraction / a
