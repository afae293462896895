# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mecn_controller import Ecnm, Mecn, Threshold, curve_of
from mecn_controller.policy.curve import Curve, Segment
from mecn_controller.runtime.targets.tofino import (
    KEY_MAX,
    PROBABILITY_ONE,
    Step,
    cells_per_packet,
    depth_to_key,
    key_to_depth,
    staircase,
    time_constant_ns,
)

from reference_model import RealEwma

MECN = Mecn(name="m", min_th=20, mid_th=40, max_th=60, max_p=0.1)


class Filter:
    """A first-order low-pass filter in continuous time: what is old fades by exp(-t / T)."""

    def __init__(self, constant_ns: float) -> None:
        self.constant_ns = constant_ns
        self.value = 0.0
        self.last_ns = 0.0

    def sample(self, value: float, now_ns: float) -> float:
        keep = math.exp(-(now_ns - self.last_ns) / self.constant_ns)
        self.value = keep * self.value + (1 - keep) * value
        self.last_ns = now_ns
        return self.value


@pytest.mark.parametrize("size", [(1, 1), (80, 1), (81, 2), (1500, 19)])
def test_cells_of_tofino_1(size: tuple[int, int]) -> None:
    assert cells_per_packet(size[0], 1) == size[1]


def test_cells_of_tofino_2() -> None:
    assert [cells_per_packet(size, 2) for size in (176, 177, 1500)] == [1, 2, 9]
    with pytest.raises(ValueError, match="Tofino 3 is not known"):
        cells_per_packet(1500, 3)
    with pytest.raises(ValueError, match="0 bytes"):
        cells_per_packet(0, 1)


def test_keys() -> None:
    assert depth_to_key(Fraction(20), 19) == 20 * 19 * 8
    assert depth_to_key(Fraction(0), 19) == 0
    with pytest.raises(ValueError, match="not within 0 to 6898"):
        depth_to_key(Fraction(6900), 19)


@pytest.mark.parametrize("weight", [0.5, 0.2, 0.002, 2**-12])
def test_filter_is_the_recurrence_for_packets_back_to_back(weight: float) -> None:
    """And for idle time between them: (1 - w)^m, m service times."""
    service_us = 12.0
    constant = time_constant_ns(Fraction(weight), service_us)
    assert constant is not None
    low_pass, real = Filter(constant), RealEwma(weight)
    draw, now_ns, depth = random.Random(3), 0.0, 0
    for _ in range(20_000):
        idle = draw.choice((0, 0, 0, 0, 0, 0, 0, 0, 0, 5))
        # m idle service times are m samples of an empty queue.
        for _ in range(idle):
            real.update(0)
        depth = 0 if idle else max(0, depth + draw.choice((-2, -1, 1, 2)))
        now_ns += (idle + 1) * service_us * 1000
        assert low_pass.sample(depth, now_ns) == pytest.approx(real.update(depth), rel=1e-6, abs=1e-9)


def test_weights_that_have_no_time_constant() -> None:
    assert time_constant_ns(Fraction(1), None) is None
    with pytest.raises(ValueError, match="mean_service_time_us is needed"):
        time_constant_ns(Fraction(1, 500), None)
    with pytest.raises(ValueError, match="weight 0"):
        time_constant_ns(Fraction(0), 10)


def check(curve: Curve, packet_cells: int, tolerance: float) -> tuple[Step, ...]:
    """Compares the steps with the curve at both ends and in the middle of each."""
    steps = staircase(curve, packet_cells, tolerance, limit=1 << 20)
    for one, other in itertools.pairwise(steps):
        assert one.high < other.low
    by_key = {step.low: step for step in steps}
    assert len(by_key) == len(steps)
    for step in steps:
        assert 0 <= step.low <= step.high <= KEY_MAX
        for key in {step.low, (step.low + step.high) // 2, step.high}:
            depth = key_to_depth(key, packet_cells)
            # What an eighth of a cell can make out, at the steepest.
            slope = max(
                (max(s.slope_incipient, s.slope_moderate) for s in curve.segments), default=Fraction(0)
            )
            slack = slope / (packet_cells * 8) + Fraction(1, PROBABILITY_ONE)
            near = [curve.evaluate(depth)]
            if step.severe:
                assert any(levels.severe for levels in (near[0], curve.evaluate(depth + Fraction(1, 8))))
                continue
            inside = min(max(depth, curve.segments[0].left), curve.segments[-1].right - Fraction(1, 10**9))
            levels = curve.evaluate(inside)
            assert abs(Fraction(step.p_moderate, PROBABILITY_ONE) - levels.p_moderate) <= tolerance + slack
            assert abs(Fraction(step.p_incipient, PROBABILITY_ONE) - levels.p_incipient) <= tolerance + slack
    return steps


@pytest.mark.parametrize("packet_cells", [1, 9, 19])
@pytest.mark.parametrize("tolerance", [0.1, 0.002, 0.0001])
def test_staircase_stays_near_the_curve(packet_cells: int, tolerance: float) -> None:
    for profile in (MECN, Ecnm(name="e", min_th=5, max_th=15, max_p=0.02)):
        steps = check(curve_of(profile), packet_cells, tolerance)
        # Without gaps from min_th on.
        for one, other in itertools.pairwise(steps):
            assert one.high + 1 == other.low
        assert steps[0].low == depth_to_key(Fraction(curve_of(profile).segments[0].left), packet_cells)
        assert steps[-1] == Step(
            depth_to_key(Fraction(int(profile.max_th)), packet_cells), KEY_MAX, severe=True
        )


@settings(deadline=None)
@given(
    st.integers(0, 3000),
    st.integers(1, 500),
    st.fractions(0, 1, max_denominator=1000),
    st.fractions(0, 1, max_denominator=1000),
    st.sampled_from([1, 7, 19]),
    st.sampled_from([0.2, 0.01, 0.003]),
)
def test_any_ramp(
    left: int, length: int, p: Fraction, q: Fraction, packet_cells: int, tolerance: float
) -> None:
    low, high = sorted((p, q))
    segment = Segment(Fraction(left), Fraction(left + length), low, high, Fraction(0), high)
    check(Curve((segment,), Fraction(left + length)), packet_cells, tolerance)


def test_number_of_steps() -> None:
    # From 0 to 0.1 in steps of 2/512.
    curve = curve_of(Ecnm(name="e", min_th=20, max_th=60, max_p=0.1))
    assert len(staircase(curve, 19)) == math.ceil(0.1 * 256) + 1
    with pytest.raises(ValueError, match="the table holds 512: raise the tolerance"):
        staircase(curve, 19, tolerance=0.00001)
    with pytest.raises(ValueError, match="tolerance 0"):
        staircase(curve, 19, tolerance=0)


def test_threshold_is_one_entry() -> None:
    assert staircase(curve_of(Threshold(name="t", threshold=10)), 19) == (
        Step(11 * 19 * 8, KEY_MAX, severe=True),
    )
    assert staircase(curve_of(Threshold(name="t", threshold=60000)), 19) == ()


def spaced_gap(chance: int, distance: int) -> int:
    """Packets from one signal to the next, as p4src/tna/spaced_draw.p4 counts them down."""
    for packet in itertools.count(1):
        if distance < chance:
            return packet
        distance -= chance
    raise AssertionError


def ramped_gaps(p: Fraction, limit: int) -> dict[int, Fraction]:
    """How often which gap comes where the probability rises with the packets since the last signal.

    v1model's spacings: with limit 1 p / (1 - count p), with 2 nothing while count p < 1 and then
    p / (2 - count p), where count includes the packet.
    """
    gaps: dict[int, Fraction] = {}
    left = Fraction(1)
    for packet in itertools.count(1):
        count = packet - 1 if limit == 1 else packet
        if left == 0:
            return gaps
        chance = Fraction(0)
        if limit == 1 or count * p >= 1:
            chance = min(Fraction(1), p / (limit - count * p)) if count * p < limit else Fraction(1)
        if chance:
            gaps[packet] = left * chance
        left *= 1 - chance
    raise AssertionError


@pytest.mark.parametrize("chance", [1 << 10, 1 << 13, 1 << 15, 6554, 20000])
def test_a_distance_spaces_signals_as_the_rising_probability_of_uniform_does(chance: int) -> None:
    gaps = Counter(spaced_gap(chance, number) for number in range(PROBABILITY_ONE))
    p = Fraction(chance, PROBABILITY_ONE)
    assert {gap: Fraction(n, PROBABILITY_ONE) for gap, n in gaps.items()} == ramped_gaps(p, 1)


@pytest.mark.parametrize("chance", [1 << 10, 1 << 13, 1 << 15])
def test_with_one_more_it_is_wait_one_packet_later(chance: int) -> None:
    gaps = Counter(spaced_gap(chance, PROBABILITY_ONE + number) for number in range(PROBABILITY_ONE))
    p = Fraction(chance, PROBABILITY_ONE)
    assert {gap - 1: Fraction(n, PROBABILITY_ONE) for gap, n in gaps.items()} == ramped_gaps(p, 2)
