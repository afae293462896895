# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math

import control
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mecn_controller import Ecn, Mecn, ProfileError
from mecn_controller.theory.analysis import analyse, margin
from mecn_controller.theory.figures import tradeoff_curves
from mecn_controller.theory.fluid import simulate
from mecn_controller.theory.linear import Loop, loop_of
from mecn_controller.theory.tuning import Demand, assess, threshold_rule, tune

# Figure 5 of Quet et al.: 1.5 Mbps and 1000-byte packets, 92 ms there and back.
CAPACITY = 187.5
PROPAGATION = 0.092

poles = st.floats(0.01, 100)
gains = st.floats(1.05, 50)


@given(gain=gains, pole=poles, rtt=st.floats(0.001, 1))
@settings(max_examples=50, deadline=None)
def test_the_papers_margin_is_that_of_python_control(gain: float, pole: float, rtt: float) -> None:
    found = margin(gain, pole, rtt)
    assert found is not None
    _, phase_deg, _, crossover = control.margin(control.tf([gain], [1 / pole, 1]))
    assert found.crossover_rad_s == pytest.approx(crossover, rel=1e-6)
    assert found.phase_margin_rad == pytest.approx(math.radians(phase_deg), rel=1e-6)


@given(gain=gains, filter_pole=poles, window=poles, queue=poles, rtt=st.floats(0.001, 1))
@settings(max_examples=50, deadline=None)
def test_margins_with_all_poles_are_those_of_python_control(
    gain: float, filter_pole: float, window: float, queue: float, rtt: float
) -> None:
    loop = Loop(gain, filter_pole, window, queue, rtt)
    found = loop.margin()
    assert found is not None
    assert abs(loop.response(found.crossover_rad_s)) == pytest.approx(1, rel=1e-9)
    _, phase_deg, _, crossover = control.margin(loop.without_delay())
    assert found.crossover_rad_s == pytest.approx(crossover, rel=1e-4)
    assert found.phase_margin_rad == pytest.approx(math.radians(phase_deg), abs=1e-3)


@pytest.mark.parametrize("gain", [2.0, 5.0, 20.0])
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_closed_loop_poles_change_sides_at_the_delay_margin(gain: float, share: float) -> None:
    """With the delay as a Pade approximation, which python-control makes."""
    at_rest = Loop(gain, 0.4, 3.0, 8.0, 0.0).margin()
    assert at_rest is not None
    delay = share * at_rest.delay_margin_s
    assert delay > 0
    system = Loop(gain, 0.4, 3.0, 8.0, delay).without_delay() * control.tf(*control.pade(delay, 8))
    assert (max(control.feedback(system, 1).poles().real) < 0) == (share < 1)


def test_a_gain_below_one_has_no_margin() -> None:
    assert Loop(1.0, 1, 1, 1, 1).margin() is None
    assert Loop(0.5, 1, 1, 1, 1).margin() is None


def test_only_the_poles_of_the_average_remain_where_the_others_are_far() -> None:
    full, paper = Loop(3.0, 0.01, 1e4, 1e4, 0.2).margin(), margin(3.0, 0.01, 0.2)
    assert full is not None
    assert paper is not None
    assert full.delay_margin_s == pytest.approx(paper.delay_margin_s, rel=1e-4)


# ---- The nonlinear model -----------------------------------------------------------------------------------


def test_the_fluid_model_settles_where_the_analysis_says() -> None:
    profile = Mecn(name="m", min_th=30, mid_th=60, max_th=90, max_p=0.1)
    found = analyse(profile, capacity_pps=CAPACITY, propagation_s=PROPAGATION, flows=5)
    assert found is not None
    result = simulate(profile, capacity_pps=CAPACITY, propagation_s=PROPAGATION, flows=5, until_s=100)
    assert result.queue[-1] == pytest.approx(found.queue_packets, rel=1e-4)
    assert result.average[-1] == pytest.approx(found.queue_packets, rel=1e-4)
    assert result.window[-1] == pytest.approx(found.rtt_s * CAPACITY / 5, rel=1e-4)


def test_a_smaller_step_changes_little_and_ever_less() -> None:
    profile = Mecn(name="m", min_th=30, mid_th=60, max_th=90, max_p=0.1)
    queues = [
        simulate(
            profile, capacity_pps=CAPACITY, propagation_s=0.1, flows=5, until_s=4, step_s=0.1 / n, queue=40.0
        ).queue[-1]
        for n in (25, 50, 100, 200)
    ]
    changes = np.abs(np.diff(queues))
    assert changes[-1] < 0.01
    assert all(changes[i + 1] < 0.6 * changes[i] for i in range(2))


def grows(profile: Ecn | Mecn, capacity: float, propagation: float, flows: float) -> tuple[bool, float]:
    """Whether the queue swings wider later than earlier, after a push of 1 % from the operating point.

    And the delay margin of the linear loop there, over R0.
    """
    found = analyse(profile, capacity_pps=capacity, propagation_s=propagation, flows=flows)
    assert found is not None
    loop = loop_of(found, capacity_pps=capacity, flows=flows).margin()
    assert loop is not None
    period = 2 * math.pi / loop.crossover_rad_s
    result = simulate(
        profile,
        capacity_pps=capacity,
        propagation_s=propagation,
        flows=flows,
        until_s=6 * period,
        queue=found.queue_packets * 1.01,
        average=found.queue_packets,
        window=found.rtt_s * capacity / flows,
    )
    later, earlier = result.swing(4 * period, 6 * period), result.swing(1 * period, 3 * period)
    return later > earlier, loop.delay_margin_s / found.rtt_s


@pytest.mark.parametrize(
    ("weight", "max_p", "flows", "stable"),
    [(0.002, 1.0, 3, True), (0.02, 0.5, 5, True), (0.02, 1.0, 8, True), (0.02, 1.0, 3, False)],
)
def test_small_swings_of_ecn_grow_where_the_margin_is_negative(
    weight: float, max_p: float, flows: int, stable: bool
) -> None:
    profile = Ecn(name="e", min_th=10, max_th=90, max_p=max_p, weight=weight)
    growing, margin_over_rtt = grows(profile, CAPACITY, PROPAGATION, flows)
    assert abs(margin_over_rtt) > 0.1
    assert (margin_over_rtt > 0) == stable
    assert growing != stable


@pytest.mark.parametrize(
    ("weight", "max_p", "stable"),
    [
        (0.0005, 0.02, True),
        (0.0005, 0.05, False),
        (0.002, 0.02, True),
        (0.002, 0.1, False),
        (0.01, 0.02, True),
        (0.01, 0.1, False),
    ],
)
def test_small_swings_of_mecn_grow_where_the_margin_is_negative(
    weight: float, max_p: float, stable: bool
) -> None:
    profile = Mecn(name="m", min_th=50, mid_th=100, max_th=150, max_p=max_p, weight=weight)
    growing, margin_over_rtt = grows(profile, 1250.0, 0.2, 10)
    assert abs(margin_over_rtt) > 0.1
    assert (margin_over_rtt > 0) == stable
    assert growing != stable


# ---- Search ------------------------------------------------------------------------------------------------


def demand(**changes: object) -> Demand:
    values: dict[str, object] = {
        "rate_bps": 1.5e6,
        "packet_bytes": 1000,
        "rtt_s": (0.1, 0.1),
        "flows": (5, 10),
        "delay_margin_s": 0.05,
    }
    return Demand(**{**values, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", ["mecn", "ecn"])
@pytest.mark.parametrize("weight", [0.002, 0.02])
def test_what_is_found_keeps_the_margin_between_the_grids_points_too(scheme: str, weight: float) -> None:
    wanted = demand(scheme=scheme, weight=weight, rtt_s=(0.05, 0.15))
    found = tune(wanted)
    assert found.found
    rng = np.random.default_rng(1)
    for _ in range(200):
        flows, rtt = rng.uniform(*wanted.flows), rng.uniform(*wanted.rtt_s)
        point = assess(found.best.profile, demand(weight=weight, rtt_s=(rtt, rtt), flows=(flows, flows)))
        assert point.worst.delay_margin_s >= 0.99 * wanted.delay_margin_s


def test_the_largest_max_p_that_is_named_is_the_largest() -> None:
    wanted = demand(weight=0.02, delay_margin_s=0.2)
    found = tune(wanted, (30, 60, 90))
    assert found.max_p is not None
    assert found.best.profile.max_p == found.max_p[1]  # type: ignore[attr-defined]
    beyond = found.best.profile.replace(max_p=found.max_p[1] * 1.3)
    assert not assess(beyond, wanted).kept


def test_none_is_found_where_the_thresholds_cannot() -> None:
    few_and_many = demand(flows=(1, 60), weight=0.02)
    found = tune(few_and_many, (4, 8, 12))
    assert not found.found
    assert found.max_p is None


def test_thresholds_that_no_profile_can_have() -> None:
    with pytest.raises(ProfileError):
        tune(demand(), (30, 30, 90))


def test_the_gain_jumps_where_ce_begins_and_that_point_is_judged() -> None:
    profile = Mecn(name="m", min_th=30, mid_th=60, max_th=90, max_p=0.1)
    found = assess(profile, demand(flows=(2, 20)))
    gains = {p.flows: p.analysis.gain for p in found.points if p.analysis is not None}
    ends = [p for p in found.points if p.analysis is not None and 60 <= p.analysis.queue_packets < 60.01]
    assert len(ends) == 1
    assert ends[0].analysis is not None
    below = max(flows for flows in gains if flows < ends[0].flows)
    assert gains[below] < ends[0].analysis.gain


def test_figure_4_margin_falls_as_the_error_does() -> None:
    profile = Mecn(name="m", min_th=30, mid_th=60, max_th=90, max_p=0.1)
    found = assess(profile, demand(flows=(5, 5)))
    curves = tradeoff_curves(found, found.points[0])
    for curve in curves.values():
        margins = [margin for _, _, margin in curve if not math.isnan(margin)]
        errors = [error for _, error, _ in curve]
        assert len(margins) > 3
        assert margins == sorted(margins, reverse=True)
        assert errors == sorted(errors, reverse=True)
    # Section 3: with both levels at work the error of multi-level ECN is the smaller.
    for ecn, mecn in zip(curves["ecn"], curves["mecn"], strict=True):
        assert mecn[1] < ecn[1]


@pytest.mark.parametrize(
    "wrong",
    [{"rtt_s": (0.2, 0.1)}, {"flows": (0, 1)}, {"weight": 1.0}, {"scheme": "threshold"}, {"rate_bps": 0}],
)
def test_demands_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"weight|scheme|rising|above 0"):
        demand(**wrong)


def test_liu_and_jains_example() -> None:
    # Section 5: 0.059 s and 1.5 Mbps with packets of 1000 bytes are about 11 packets.
    rule = threshold_rule(187.5, 0.059)
    assert rule.pipe == pytest.approx(11.0625)
    assert rule.threshold == pytest.approx(10.0625)
    assert rule.buffer_tail == pytest.approx(2 * 10.0625 + 11.0625 - 1)
    assert rule.buffer_front == pytest.approx(10.0625 + 11.0625)
    assert threshold_rule(1, 0.5).threshold == 0
