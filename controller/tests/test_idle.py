# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Idle correction: the decay's format, the polynomial, and the fixed-point average against the real one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mecn_controller.errors import ProfileError
from mecn_controller.fixed_point import (
    IDLE_DECAY_MAX,
    PROBABILITY_ONE,
    average_to_depth,
    idle_decay_to_fixed,
    weight_to_fixed,
)
from mecn_controller.policy.entries import policy_of
from mecn_controller.policy.profile import parse_profile

from reference_model import FixedEwma, RealEwma, exp2_negative


def test_decay_halves_in_the_time_that_the_weight_says() -> None:
    # w = 1/2: one service time halves the average.
    assert idle_decay_to_fixed(Fraction(1, 2), 1024) == 1 << 30
    assert idle_decay_to_fixed(Fraction(1), 1024) == 0
    assert idle_decay_to_fixed(Fraction(1, 2), None) == 0
    assert idle_decay_to_fixed(Fraction(1, 2), 1) == IDLE_DECAY_MAX


def test_profile_carries_the_service_time() -> None:
    profile = parse_profile("name: a\nscheme: drop-tail\nweight: 0.5\nmean_service_time_us: 1024.3\n")
    policy = policy_of(profile, 1)
    assert policy.service_time == 1024
    assert policy.idle_decay == round((1 << 40) / 1024.3)


def test_a_step_of_its_own_changes_the_decay_and_not_when_idle_time_begins() -> None:
    text = "name: a\nscheme: drop-tail\nweight: 0.5\nmean_service_time_us: 1024\nidle_step_us: 512\n"
    policy = policy_of(parse_profile(text), 1)
    assert policy.service_time == 1024
    assert policy.idle_decay == 1 << 31
    with pytest.raises(ProfileError, match="idle_step_us needs mean_service_time_us"):
        parse_profile("name: a\nscheme: drop-tail\nidle_step_us: 512\n")


@given(st.integers(0, PROBABILITY_ONE - 1))
def test_polynomial_is_the_power(f: int) -> None:
    assert exp2_negative(f) / PROBABILITY_ONE == pytest.approx(2 ** -(f / PROBABILITY_ONE), abs=3e-7)


def test_polynomial_is_exact_without_idle_time() -> None:
    assert exp2_negative(0) == PROBABILITY_ONE


@given(
    st.sampled_from([2**-12, 0.002, 0.02, 0.5]),
    st.sampled_from([5333.0, 800.0, 120.5]),
    st.lists(
        st.tuples(st.integers(0, 300), st.one_of(st.just(0), st.integers(0, 10**7))), min_size=1, max_size=300
    ),
)
def test_average_with_idle_times_stays_with_the_real_one(
    weight: float, service_time: float, samples: list[tuple[int, int]]
) -> None:
    exact = Fraction(repr(weight))
    fixed = FixedEwma(weight_to_fixed(exact), idle_decay=idle_decay_to_fixed(exact, service_time))
    real = RealEwma(weight, service_time_us=service_time)
    for depth, idle in samples:
        average = float(average_to_depth(fixed.update(depth, idle)))
        assert average == pytest.approx(real.update(depth, idle), abs=0.01)
