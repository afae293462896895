# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mecn_controller import Ecn, Mecn, Red
from mecn_controller.policy.profile import Threshold
from mecn_controller.reports import PortReport
from mecn_controller.theory.adaptation import AdaptiveEcn, AdaptiveRed, Steerable, class_rtts, steerable
from mecn_controller.theory.adaptation_margins import PAPER_000, Check, check, gain_at_target, margins
from mecn_controller.theory.analysis import analyse, given_up, profile_betas
from mecn_controller.theory.fluid import simulate
from mecn_controller.theory.linear import loop_of

CLASSES = {"rtt_class_bounds_ms": (80.0, 220.0), "rtt_class_max_p": (0.1, 0.1, 0.1)}
AECN = Ecn(name="a", min_th=5, max_th=30, max_p=0.1, **CLASSES)  # type: ignore[arg-type]
RTTS = (0.02, 0.1, 0.3)
C = 1250.0


def bits(flows: float) -> int:
    return round(1024 * (1 - math.exp(-flows / 1024)))


def report(average: float, flows: tuple[float, ...] = (0, 0, 0, 0), end_us: int = 1_000_000) -> PortReport:
    return PortReport(1, end_us - 500_000, end_us, average, 0, 50, 500, 0, 10, 0, tuple(map(bits, flows)))


def test_adaptive_red_is_the_rule_of_the_paper() -> None:
    """Figure 1: increment min(0.01, max_p / 4), factor 0.9, target 0.4 to 0.6 of the way, max_p in [0.01,
    0.5]."""
    red = Red(name="r", min_th=5, max_th=15, max_p=0.1)
    rule = AdaptiveRed(red)
    assert rule.on_report(report(9.0), 0) is None  # the ends of the range belong to it
    assert rule.on_report(report(11.0), 1) is None
    assert rule.on_report(report(11.1), 2) == (0.11,)
    assert rule.on_report(report(8.9), 3) == (0.099,)
    assert AdaptiveRed(red.replace(max_p=0.02)).on_report(report(12), 0) == (0.025,)
    rule.adopt((0.495,))
    assert rule.on_report(report(12), 4) == (0.5,)
    assert rule.on_report(report(12), 5) is None
    rule.adopt((0.0105,))
    assert rule.on_report(report(1), 6) == (0.01,)
    assert rule.on_report(report(1), 7) is None


def test_a_decision_for_each_interval_whatever_the_clock_does() -> None:
    rule = AdaptiveRed(Red(name="r", min_th=5, max_th=15, max_p=0.1))
    times = [
        (0.0, True),
        (0.1, False),
        (0.5, True),
        (3600.0, True),
        (3600.2, False),
        (10.0, True),
        (10.4, False),
    ]
    for now, due in times:
        assert (rule.on_report(report(12), now) is not None) == due, now


def test_the_law_holds_the_flows_at_the_target() -> None:
    """W^2 times what a packet costs is 1 at the target queue, for both kinds of curve."""
    mecn = Mecn(name="m", min_th=5, mid_th=15, max_th=30, max_p=0.1, **CLASSES)  # type: ignore[arg-type]
    for profile in (AECN, mecn):
        rule = AdaptiveEcn(profile, C, RTTS, bounds=(0.0005, 1.0))
        values = rule.on_report(report(17.5, (0, 10, 10, 10)), 0)
        assert values is not None
        flows = sum(rule.flows)
        for p, rtt in zip(values[1:], RTTS, strict=True):
            cost = given_up(profile.of_class(p), profile_betas(profile))(17.5)
            window = (rtt + 17.5 / C) * C / flows
            if p < 1:
                assert window**2 * cost == pytest.approx(1, rel=0.1)
    # 30 flows on 10 Mbit/s: worked by hand, 2 (N / (R C))^2 (30 - 5) / (17.5 - 5) with R of 314 ms.
    values = AdaptiveEcn(AECN, C, RTTS).on_report(report(17.5, (0, 10, 10, 10)), 0)
    assert values is not None
    assert values[3] == pytest.approx(4 * (30 / (0.314 * C)) ** 2, rel=0.02)


def test_short_round_trips_are_marked_more_and_more_flows_as_well() -> None:
    few = AdaptiveEcn(AECN, C, RTTS).on_report(report(17.5, (0, 5, 5, 5)), 0)
    many = AdaptiveEcn(AECN, C, RTTS).on_report(report(17.5, (0, 20, 20, 20)), 0)
    assert few is not None
    assert many is not None
    assert few[1] > few[2] > few[3]
    assert all(b > a for a, b in zip(few, many, strict=True) if a < 1)


def test_small_changes_are_not_written() -> None:
    rule = AdaptiveEcn(AECN, C, RTTS)
    assert rule.on_report(report(17.5, (0, 10, 10, 10)), 0) is not None
    assert rule.on_report(report(17.5, (0, 10, 10, 11)), 1) is None
    assert rule.on_report(report(17.5, (0, 30, 30, 30)), 2) is not None


def test_the_trim_does_not_wind_up() -> None:
    rule = AdaptiveEcn(AECN, C, RTTS)
    for step in range(200):
        rule.on_report(report(40, (0, 200, 200, 200)), step)
    assert set(rule.values()) == {1.0}
    assert rule.trim < 2
    for step in range(200, 400):
        rule.on_report(report(0, (0, 1, 1, 1)), step)
    assert set(rule.values()) == {0.01}
    assert rule.trim >= 1 / 16


def test_a_restarted_switch_is_counted_anew() -> None:
    rule = AdaptiveEcn(AECN, C, RTTS)
    rule.on_report(report(17.5, (0, 100, 100, 100), 60_000_000), 0)
    rule.on_report(report(17.5, (0, 10, 10, 10), 500_000), 1)
    assert sum(rule.flows) == pytest.approx(30, abs=1)


REPORTS = st.builds(
    report,
    st.floats(0, 65535),
    st.tuples(*[st.integers(0, 1024)] * 4).map(lambda n: tuple(float(x) for x in n)),
    st.integers(500_000, 1 << 48),
)


@given(st.lists(st.tuples(REPORTS, st.floats(-1e9, 1e9)), max_size=30), st.booleans())
def test_any_report_at_any_time_gives_probabilities_within_bounds(
    events: list[tuple[PortReport, float]], full: bool
) -> None:
    aecn, red = AdaptiveEcn(AECN, C, RTTS), AdaptiveRed(AECN)
    for each, now in events:
        sent = replace(each, active_bits=(1024,) * 4) if full else each
        for rule, (low, high) in ((aecn, aecn.bounds), (red, red.bounds)):
            values = rule.on_report(sent, now)
            assert values is None or (len(values) == 4 and all(low <= p <= high for p in values))


def test_what_cannot_be_steered() -> None:
    for profile, why in (
        (Threshold(name="t", threshold=3), "no max_p to steer"),
        (Mecn(name="m", min_th=1, mid_th=2, max_th=3, max_p_incipient=0.1, max_p_moderate=0.2), "one max_p"),
    ):
        with pytest.raises(ValueError, match=why):
            steerable(profile)
    with pytest.raises(ValueError, match="needs classes"):
        AdaptiveEcn(Ecn(name="e", min_th=5, max_th=30, max_p=0.1), C, ())
    with pytest.raises(ValueError, match="2 round-trip times for 3 classes"):
        AdaptiveEcn(AECN, C, (0.1, 0.2))
    with pytest.raises(ValueError, match="rising"):
        AdaptiveEcn(AECN, C, RTTS, bounds=(0.5, 0.1))
    with pytest.raises(ValueError, match="max_p up to 1"):
        AdaptiveEcn(AECN.replace(min_th=5, max_th=5.25), C, RTTS)
    assert class_rtts((80, 220)) == pytest.approx((0.04, math.sqrt(80 * 220) / 1e3, 0.33))


def test_under_the_law_the_gain_does_not_depend_on_the_number_of_flows() -> None:
    """The stability argument of docs/controller.md: gain = R C / (max_th - min_th) where no bound is met."""
    rows = [row for row in margins() if row.max_p < 1 and row.max_p > 0.01]
    assert len({row.flows for row in rows}) > 2
    for row in rows:
        assert row.gain == pytest.approx(row.rtt_s * C / 25, rel=0.03)
        # Against max_p 0.5 it is the smaller one as long as the law asks for less.
        fixed = gain_at_target(PAPER_000, row.flows, row.propagation_s)
        assert (row.gain < 1.02 * fixed) == (row.max_p < 0.5)


def checked(profile: Steerable, rtt_s: float) -> Check:
    return check(profile, capacity_pps=C, rtts_s=[rtt_s], bounds=(0.01, 1.0), step=1.1)


def swings(profile: Steerable, rtt_s: float, flows: float) -> float:
    """How wide the queue swings some periods after a push from where the law holds it, in parts of the push.

    By the nonlinear model.
    """
    (row,) = margins(profile, rtts_s=[rtt_s], flows=[flows])
    steered = profile.of_class(row.max_p)
    found = analyse(steered, capacity_pps=C, propagation_s=rtt_s, flows=flows)
    assert found is not None
    loop = loop_of(found, capacity_pps=C, flows=flows).margin()
    assert loop is not None
    period = 2 * math.pi / loop.crossover_rad_s
    result = simulate(
        steered,
        capacity_pps=C,
        propagation_s=rtt_s,
        flows=flows,
        until_s=6 * period,
        queue=1.01 * found.queue_packets,
        average=found.queue_packets,
        window=found.rtt_s * C / flows,
    )
    return result.swing(4 * period, 6 * period) / (0.01 * found.queue_packets)


@pytest.mark.parametrize("scheme", ["ecn", "mecn"])
def test_what_is_proposed_for_long_paths_is_stable_in_the_nonlinear_model(scheme: str) -> None:
    plain: Steerable = PAPER_000
    if scheme == "mecn":
        plain = Mecn(name="m", min_th=5, mid_th=15, max_th=30, max_p=0.1)
    found = checked(plain, 0.3)
    assert found.worst is not None
    assert (found.stable, found.worst.propagation_s) == (False, 0.3)
    assert found.worst.delay_margin_s is not None
    assert found.worst.delay_margin_s < -0.2
    assert found.weight is not None
    flows = found.worst.flows
    assert swings(plain, 0.3, flows) > 3
    assert swings(plain.replace(weight=found.weight), 0.3, flows) < 1
    if scheme == "ecn":
        assert found.thresholds is not None
        wide = plain.replace(**dict(zip(("min_th", "max_th"), found.thresholds, strict=True)))
        worst = checked(wide, 0.3).worst
        assert worst is not None
        assert swings(wide, 0.3, worst.flows) < 1
    else:
        # At the same weight there are none up to 64 times as deep: at mid_th the gain jumps up.
        assert found.thresholds is None
    # A tenth more, 4.25 times, is from one end of the target range to the other: 0.6 / 0.4.
    assert found.interval_s == pytest.approx((1 / (found.weight * C) + 0.3) / 4.25, rel=0.01)


def test_short_paths_need_nothing() -> None:
    found = checked(PAPER_000, 0.02)
    assert found.stable
    assert (found.weight, found.thresholds, found.warning()) == (None, None, "")
