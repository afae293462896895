# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Statistics against values worked by hand and from printed tables."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mecn_experiments.statistics import (
    Estimate,
    difference,
    estimate,
    holm,
    jain_index,
    student_t_quantile,
)


def test_jain_index_by_hand() -> None:
    assert jain_index([3, 3, 3]) == 1
    assert jain_index([1, 0, 0, 0]) == 0.25
    assert jain_index([1, 2, 3]) == pytest.approx(36 / 42)
    assert math.isnan(jain_index([0, 0]))


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50).filter(any))
def test_jain_index_stays_in_its_range(shares: list[float]) -> None:
    if math.fsum(share * share for share in shares) > 0:
        assert 1 / len(shares) - 1e-9 <= jain_index(shares) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("probability", "freedom", "quantile"),
    [
        (0.975, 1, 12.706),
        (0.975, 2, 4.303),
        (0.975, 3, 3.182),
        (0.975, 9, 2.262),
        (0.975, 29, 2.045),
        (0.95, 4, 2.132),
        (0.995, 10, 3.169),
        (0.975, 1e7, 1.960),
        (0.5, 5, 0.0),
    ],
)
def test_student_quantiles_from_the_table(probability: float, freedom: float, quantile: float) -> None:
    assert student_t_quantile(probability, freedom) == pytest.approx(quantile, abs=6e-4)


def test_chances_by_hand() -> None:
    """1, 2, 3 against 0: t = 2 sqrt(3) with two degrees of freedom, whose distribution is elementary."""
    t = 2 * math.sqrt(3)
    by_hand = 0.5 - t / (2 * math.sqrt(2 + t * t))
    assert estimate([1, 2, 3]).chance_above(0) == pytest.approx(by_hand, abs=1e-12)
    assert estimate([-1, -2, -3]).chance_above(0) == pytest.approx(1 - by_hand, abs=1e-12)
    assert estimate([5]).chance_above(0) == 1
    assert (estimate([5, 5]).chance_above(4), estimate([5, 5]).chance_above(5)) == (0, 1)


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=9), st.floats(-10, 10))
def test_a_chance_below_the_level_is_an_interval_beyond_the_bound(values: list[float], bound: float) -> None:
    value = estimate(values)
    if abs(value.low - bound) > 1e-9:
        assert (value.chance_above(bound) < 0.025) == (value.low > bound)


def test_more_runs_of_the_same_spread_make_surer() -> None:
    few = Estimate(1, 2, 5)
    spread = math.sqrt(5) * 2 / student_t_quantile(0.975, 4)
    many = Estimate(1, student_t_quantile(0.975, 39) * spread / math.sqrt(40), 40)
    assert few.chance_above(0, 40) == pytest.approx(many.chance_above(0))


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]
    assert holm([0.02, 0.03], 0.05) == [True, True]
    assert holm([0.03, 0.03], 0.05) == [False, False]
    assert holm([], 0.05) == []


def test_estimate_by_hand() -> None:
    """1, 2, 3: mean 2, standard deviation 1, t(2) = 4.303: 4.303 / sqrt(3) = 2.484."""
    result = estimate([1, 2, 3])
    assert (result.mean, result.n) == (2, 3)
    assert result.half_width == pytest.approx(2.484, abs=1e-3)
    assert result.low == pytest.approx(-0.484, abs=1e-3)
    assert math.isnan(estimate([5]).half_width)
    assert math.isnan(estimate([]).mean)


def test_difference_by_hand() -> None:
    """Equal sizes and variances: 2 (n - 1) = 4 degrees of freedom, t = 2.776, standard error sqrt(2 / 3)."""
    result = difference([1, 2, 3], [11, 12, 13])
    assert result.mean == 10
    assert result.half_width == pytest.approx(2.776 * math.sqrt(2 / 3), abs=1e-3)
    assert difference([1, 1], [4, 4]).half_width == 0
    assert math.isnan(difference([1], [2]).half_width)


def test_quantile_refuses_what_it_cannot_do() -> None:
    with pytest.raises(ValueError, match="no quantile"):
        student_t_quantile(1, 3)
    with pytest.raises(ValueError, match="no quantile"):
        student_t_quantile(0.9, 0)
