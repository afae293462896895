# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Byte mode: probability times packet length / mean packet size (Floyd and Jacobson 1993, section 4)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mecn_controller import parse_profile
from mecn_controller.fixed_point import PROBABILITY_ONE, byte_scale_to_fixed
from mecn_controller.policy.entries import profile_entries
from mecn_native import CompiledProgram, Switch

from engine import install, routed
from reference_model import scaled, size_ratio
from target import CE, EARLY_DROP_STATS, IN_PORT, SLOW_PORT, ecn_of, frame, unlikely

ALPHA = 1e-9 / 20  # chance that a right switch fails one of the comparisons below
TRIALS = 2000
MEAN = 500
P = 0.25  # of the curve, at the depth of the probes


@pytest.fixture(scope="module")
def base(program: CompiledProgram) -> Switch:
    return routed(program)


def share_signalled(base: Switch, scheme: str, length: int, mean: int | None) -> int:
    """Of `TRIALS` packets of some length that meet 10 packets, how many are marked, or dropped by RED."""
    profile = parse_profile(
        {
            "name": "bytes",
            "scheme": scheme,
            "min_th": 0,
            "max_th": 40,
            "max_p": 4 * P,
            "weight": 1,
            "mean_packet_bytes": mean,
        }
        | ({} if scheme == "red" else {"mark_point": "tail"})
    )
    probe = frame(payload=length - 54)
    assert len(probe) == length
    switch = base.fork(length)
    switch.configure_port(SLOW_PORT, rate_pps=1000)
    # The queue is filled before there is a policy, and then kept: nothing leaves.
    for _ in range(10):
        switch.receive(IN_PORT, frame(), 0)
    assert switch.port_stats(SLOW_PORT).depth_packets == 10
    install(switch, profile_entries(profile, 1, SLOW_PORT).all)
    signalled = 0
    # The ten that fill the queue leave before the first probe does.
    for number in range(TRIALS if scheme == "red" else TRIALS + 10):
        # One in, one out: each meets the same 10.
        switch.register_write("arrival_qdepth", SLOW_PORT * 8, 10)
        switch.receive(IN_PORT, probe, number)
        due = switch.next_departure()
        if switch.port_stats(SLOW_PORT).depth_packets > 10:
            assert due is not None
            departure = switch.depart(due)
            assert departure is not None
            signalled += departure.enq_qdepth == 10 and ecn_of(departure.frame) == CE
    if scheme == "red":
        return switch.counter_read(EARLY_DROP_STATS, SLOW_PORT)[0]
    return signalled


@pytest.mark.parametrize("scheme", ["red", "ecnm"])
@pytest.mark.parametrize(
    ("length", "p"),
    [
        (60, P * 60 / MEAN),
        (250, P / 2),
        (500, P),
        (1000, 2 * P),
        (1514, P * 1514 / MEAN),
        (2500, 1.0),
        (4000, 1.0),
    ],
)
def test_probability_grows_with_length(base: Switch, scheme: str, length: int, p: float) -> None:
    assert unlikely(share_signalled(base, scheme, length, MEAN), TRIALS, p) > ALPHA


@pytest.mark.parametrize("length", [60, 1514])
def test_without_a_mean_size_length_plays_no_part(base: Switch, length: int) -> None:
    assert unlikely(share_signalled(base, "ecnm", length, None), TRIALS, P) > ALPHA


@given(st.integers(0, PROBABILITY_ONE), st.integers(1, 70_000), st.integers(1, 65535))
def test_the_fixed_point_is_near_the_product(p: int, length: int, mean: int) -> None:
    """By no more than its roundings; ratios of 128 and more are cut."""
    ratio = min(Fraction(min(length, 65535), mean), Fraction((1 << 31) - 1, 1 << 24))
    exact = min(Fraction(1), Fraction(p, PROBABILITY_ONE) * ratio)
    got = Fraction(scaled(p, size_ratio(length, byte_scale_to_fixed(mean))), PROBABILITY_ONE)
    # The scale is off by half a unit of 2^-32, the ratio is cut to 2^-24, the product to 2^-32.
    bound = Fraction(p, PROBABILITY_ONE) * (Fraction(65535, 1 << 33) + Fraction(1, 1 << 24)) + Fraction(
        1, 1 << 32
    )
    assert abs(got - exact) <= bound


def test_a_packet_of_the_mean_size_has_the_curves_probability() -> None:
    for mean in (1, 500, 1000, 1500, 9000):
        assert size_ratio(mean, byte_scale_to_fixed(mean)) == pytest.approx(1 << 24, rel=2e-6)
