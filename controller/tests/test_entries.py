# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mecn_controller import (
    Ecn,
    EcnGentle,
    Ecnm,
    Mecn,
    Profile,
    Red,
    RedGentle,
    Route,
    Threshold,
    curve_of,
    names,
    parse_profile,
)
from mecn_controller.fixed_point import KEY_MAX, PROBABILITY_ONE, SLOPE_MAX, weight_to_fixed
from mecn_controller.names import MARKING_CURVE, Signal
from mecn_controller.policy.entries import (
    Behaviour,
    Entry,
    Exact,
    Lpm,
    Policy,
    Range,
    Ternary,
    behaviour_of,
    classes_of,
    curve_entries,
    policy_of,
    profile_entries,
    scheme_entries,
)
from mecn_controller.policy.profile import SCHEMES, DropTail
from mecn_controller.policy.routes import LocalRoute, NoRoute

from reference_model import FixedEwma, RealEwma, lookup

TOLERANCE = Fraction(1, 10**6)

depths = st.one_of(
    st.integers(0, 65535), st.integers(0, 200), st.integers(0, 65535 * 256).map(lambda n: n / 256)
)
probabilities = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.1, 0.002, 2.0**-32, 1 - 2.0**-33]))


@st.composite
def mecn_profiles(draw: st.DrawFn) -> Mecn:
    low, mid, high = sorted(draw(st.lists(depths, min_size=3, max_size=3, unique_by=float)))
    p1, p2 = draw(probabilities), draw(probabilities)
    if high - mid <= 0.5:
        p1, p2 = min(p1, 2.0**-8), min(p2, 2.0**-8)
    return Mecn(name="m", min_th=low, mid_th=mid, max_th=high, max_p_incipient=p1, max_p_moderate=p2)


@st.composite
def ecn_profiles(draw: st.DrawFn) -> Ecn | Ecnm:
    low, high = sorted(draw(st.lists(depths, min_size=2, max_size=2, unique_by=float)))
    p = draw(probabilities)
    if high - low <= 0.5:
        p = min(p, 2.0**-8)
    scheme = Ecn if draw(st.booleans()) else Ecnm
    return scheme(name="e", min_th=low, max_th=high, max_p=p)


profiles = st.one_of(mecn_profiles(), ecn_profiles())


@st.composite
def averages(draw: st.DrawFn, profile: Profile) -> int:
    """A value of the average register; often at, or one step beside, an edge of the curve."""
    curve = curve_of(profile)
    edges = [edge for segment in curve.segments for edge in (segment.left, segment.right)]
    edge = int(draw(st.sampled_from(edges)) * (1 << 48))
    near = st.sampled_from([edge - 1, edge, edge + 1, edge - (1 << 32), edge + (1 << 32)])
    low, high = int(curve.segments[0].left * (1 << 48)), int(curve.segments[-1].right * (1 << 48))
    value: int = draw(st.one_of(near, st.integers(low, high), st.integers(0, 65535 << 48)))
    return max(0, min(value, (1 << 64) - 1))


@given(st.data())
def test_entries_follow_the_curve(data: st.DataObject) -> None:
    profile = data.draw(profiles)
    average = data.draw(averages(profile))
    wanted = curve_of(profile).evaluate(Fraction(average, 1 << 48))
    entries = curve_entries(curve_of(profile), 9, MARKING_CURVE)
    got = lookup(entries, 9, average)
    assert got.severe == wanted.severe
    if not got.severe:
        for fixed, exact in ((got.p_incipient, wanted.p_incipient), (got.p_moderate, wanted.p_moderate)):
            assert 0 <= fixed <= PROBABILITY_ONE
            # The average itself is cut to Q16.16, which moves a steep ramp by up to 2 * 2^-16.
            cut = Fraction(average >> 32, 1 << 16)
            seen = curve_of(profile).evaluate(cut)
            assert seen.severe == wanted.severe
            ideal = seen.p_incipient if exact is wanted.p_incipient else seen.p_moderate
            assert ideal - TOLERANCE <= Fraction(fixed, PROBABILITY_ONE) <= ideal
    assert lookup(entries, 8, average).p_moderate == 0


@given(profiles)
def test_no_entry_leaves_the_formats_or_overlaps(profile: Profile) -> None:
    edge = -1
    for entry in curve_entries(curve_of(profile), 9, MARKING_CURVE):
        keys = entry.field("avg_qdepth") or Range(0, KEY_MAX)
        assert isinstance(keys, Range)
        assert edge < keys.low <= keys.high <= KEY_MAX
        edge = keys.high
        params = dict(entry.params)
        if params:
            assert 0 <= params["left"] < 1 << 32
            assert params["left"] == keys.low << 8
            for level in ("incipient", "moderate"):
                p, slope = params[f"p_{level}_left"], params[f"slope_{level}"]
                assert 0 <= p <= PROBABILITY_ONE
                assert 0 <= slope <= SLOPE_MAX
                # The whole segment, to the last value of the average that still has its key.
                widest = ((keys.high + 1) << 8) - 1 - params["left"]
                assert slope * widest < 1 << 64
                assert p + (slope * widest >> 16) <= PROBABILITY_ONE
    assert edge == KEY_MAX


def test_mecn_curve_by_hand() -> None:
    profile = Mecn(name="m", min_th=1, mid_th=2, max_th=4, max_p_incipient=0.75, max_p_moderate=0.5)
    table, action = "MecnEgress.marking.curve.aqm_curve", "MecnEgress.marking.curve.ramp"
    one = PROBABILITY_ONE

    def entry(low: int, high: int, left: int, p1: int, s1: int, p2: int, s2: int) -> Entry:
        params = (("left", left), ("p_incipient_left", p1), ("slope_incipient", s1), ("p_moderate_left", p2))
        match = (("profile_id", Exact(7)), ("avg_qdepth", Range(low, high)))
        return Entry(table, match, action, (*params, ("slope_moderate", s2)), 1)

    assert curve_entries(curve_of(profile), 7, MARKING_CURVE) == [
        entry(256, 511, 1 << 16, 0, one // 4, 0, 0),
        entry(512, 1023, 2 << 16, one // 4, one // 4, 0, one // 4),
        Entry(
            table,
            (("profile_id", Exact(7)), ("avg_qdepth", Range(1024, KEY_MAX))),
            "MecnEgress.marking.curve.severe",
            (),
            1,
        ),
    ]


@pytest.mark.parametrize(("threshold", "first"), [(0, 1), (10, 11), (10.5, 11), (65534, 65535)])
def test_threshold_marks_above_the_actual_depth(threshold: float, first: int) -> None:
    profile = Threshold(name="t", threshold=threshold)
    entries = curve_entries(curve_of(profile), 1, MARKING_CURVE)
    assert policy_of(profile, 1).ewma_weight == PROBABILITY_ONE
    assert not lookup(entries, 1, (first - 1) << 48).severe
    assert lookup(entries, 1, first << 48).severe


def test_threshold_that_no_queue_passes_has_no_entry() -> None:
    assert curve_entries(curve_of(Threshold(name="t", threshold=65535)), 1, MARKING_CURVE) == []


def test_range_that_matches_everything_is_left_out() -> None:
    profile = Ecn(name="e", min_th=0, max_th=1, max_p=1)
    assert curve_entries(curve_of(profile), 1, MARKING_CURVE)[0].field("avg_qdepth") == Range(0, 255)


def test_drop_tail_has_a_policy_and_no_rows() -> None:
    entries = profile_entries(DropTail(name="d"), 3, port=2)
    assert entries.curve == entries.scheme == ()
    assert [entry.param("profile_id") for entry in entries.ports] == [3]


def rows(behaviour: Behaviour) -> set[tuple[str, int, int, str]]:
    found = set()
    for entry in scheme_entries(behaviour):
        assert entry.field("scheme") == Exact(behaviour.scheme_id)
        signal, ecn = entry.field("signal"), entry.field("ecn")
        assert isinstance(signal, Exact)
        assert isinstance(ecn, Exact)
        kind = {names.ADMISSION_TABLE: "admission", names.VERDICT_TABLE: "verdict"}[entry.table]
        found.add((kind, signal.value, ecn.value, entry.action.rsplit(".", 1)[1]))
    return found


NOT_ECT, ECT1, ECT0, CE = 0, 1, 2, 3


def test_rows_of_mecn() -> None:
    marks = {
        ("verdict", Signal.INCIPIENT, ECT0, "mark_incipient"),
        ("verdict", Signal.MODERATE, ECT0, "mark_ce"),
        ("verdict", Signal.MODERATE, ECT1, "mark_ce"),
        ("verdict", Signal.SEVERE, ECT0, "mark_ce"),
        ("verdict", Signal.SEVERE, ECT1, "mark_ce"),
    }
    assert rows(Behaviour("mecn")) == marks
    drops = {("admission", signal, NOT_ECT, "early_drop") for signal in (1, 2, 3)}
    assert rows(Behaviour("mecn", drop_not_ect=True)) == marks | drops


def test_rows_of_ecn() -> None:
    marks = {("verdict", signal, ecn, "mark_ce") for signal in (2, 3) for ecn in (ECT1, ECT0)}
    severe = {("admission", 3, ecn, "early_drop") for ecn in (NOT_ECT, ECT1, ECT0, CE)}
    not_ect = {("admission", signal, NOT_ECT, "early_drop") for signal in (2, 3)}
    assert rows(behaviour_of(Ecn(name="e", min_th=1, max_th=4, max_p=0.1))) == marks | severe | not_ect
    assert rows(behaviour_of(Ecn(name="e", min_th=1, max_th=4, max_p=0.1, not_ect="pass"))) == marks | severe
    assert rows(behaviour_of(Ecnm(name="e", min_th=1, max_th=4, max_p=0.1))) == marks | not_ect


@given(
    st.sampled_from(sorted(SCHEMES)),
    st.booleans(),
    st.booleans(),
)
def test_rules_that_no_scheme_breaks(scheme: str, drop_severe: bool, drop_not_ect: bool) -> None:
    behaviour = Behaviour(scheme, drop_severe, drop_not_ect)
    for kind, _signal, ecn, action in rows(behaviour):
        if kind == "verdict":
            assert ecn not in (NOT_ECT, CE)
            assert action != "mark_incipient" or ecn == ECT0


def test_rows_of_red() -> None:
    """Every signal drops, whatever the codepoint, and nothing is marked."""
    every = (NOT_ECT, ECT1, ECT0, CE)
    for scheme in (Red, RedGentle):
        drops = {("admission", signal, ecn, "early_drop") for signal in (2, 3) for ecn in every}
        assert rows(behaviour_of(scheme(name="r", min_th=1, max_th=4, max_p=0.1))) == drops


def test_rows_of_gentle_ecn_are_those_of_ecn() -> None:
    ecn, gentle = (c(name="e", min_th=1, max_th=4, max_p=0.1) for c in (Ecn, EcnGentle))
    assert rows(behaviour_of(gentle)) == rows(behaviour_of(ecn))
    assert behaviour_of(gentle).scheme_id != behaviour_of(ecn).scheme_id


def test_gentle_ecn_that_drops_from_max_th_on() -> None:
    """Marks CE with 0 to 1/4 over [4, 8), drops with 1/4 to 1 over [8, 16), drops all from 16 on."""
    profile = EcnGentle(name="g", min_th=4, max_th=8, max_p=0.25, gentle_signal="drop")
    curve = curve_of(profile)
    marks = {4: 0, 6: 0.125, 7.5: 0.21875, 8: 0, 12: 0}
    drops = {4: 0, 6: 0, 7.5: 0, 8: 0.25, 12: 0.625, 14: 0.8125}
    assert {depth: curve.p_incipient(depth) for depth in marks} == marks
    assert {depth: curve.p_moderate(depth) for depth in drops} == drops
    assert curve.evaluate(16).severe
    every = (NOT_ECT, ECT1, ECT0, CE)
    assert rows(behaviour_of(profile)) == {
        *(("verdict", signal, ecn, "mark_ce") for signal in (1, 3) for ecn in (ECT1, ECT0)),
        *(("admission", signal, ecn, "early_drop") for signal in (2, 3) for ecn in every),
        ("admission", 1, NOT_ECT, "early_drop"),
    }
    usual = EcnGentle(name="g", min_th=4, max_th=8, max_p=0.25)
    assert behaviour_of(profile).scheme_id != behaviour_of(usual).scheme_id
    assert Behaviour.from_id(behaviour_of(profile).scheme_id) == behaviour_of(profile)


@pytest.mark.parametrize("scheme", [RedGentle, EcnGentle])
def test_gentle_curve_by_hand(scheme: type[RedGentle | EcnGentle]) -> None:
    """0 to 1/4 over [4, 8), 1/4 to 1 over [8, 16), certain from 16 on."""
    curve = curve_of(scheme(name="g", min_th=4, max_th=8, max_p=0.25))
    wanted = {0: 0, 4: 0, 6: 0.125, 7.5: 0.21875, 8: 0.25, 12: 0.625, 14: 0.8125}
    assert {depth: curve.p_moderate(depth) for depth in wanted} == wanted
    assert not curve.evaluate(15.99).severe
    assert curve.evaluate(16).severe
    first, second, severe = curve_entries(curve, 3, MARKING_CURVE)
    assert (first.param("slope_moderate"), first.param("left")) == (PROBABILITY_ONE // 16, 4 << 16)
    assert (second.param("p_moderate_left"), second.param("left")) == (PROBABILITY_ONE // 4, 8 << 16)
    assert second.param("slope_moderate") == PROBABILITY_ONE * 3 // 32
    assert severe.field("avg_qdepth") == Range(16 << 8, KEY_MAX)


def test_classes_by_round_trip_time() -> None:
    profile = Ecn(
        name="a",
        min_th=1,
        max_th=5,
        max_p=0.4,
        rtt_class_bounds_ms=(60, 200),
        rtt_class_max_p=(0.3, 0.2, 0.1),
    )
    done = profile_entries(profile, 9, 2, class_ids=(20, 30, 11))
    times = [e for e in done.curve if e.table == names.RTT_CLASS_TABLE]
    assert [(e.field("profile_id"), e.field("rtt"), e.param("new_class")) for e in times] == [
        (Exact(9), Range(0, 3749), 1),
        (Exact(9), Range(3750, 12_499), 2),
        (Exact(9), Range(12_500, (1 << 20) - 1), 3),
    ]
    curves = [e for e in done.curve if e.table == names.CLASS_CURVE_TABLE]
    assert [(e.field("profile_id"), e.field("rtt_class"), e.param("curve")) for e in curves] == [
        (Exact(9), Exact(1), 20),
        (Exact(9), Exact(2), 30),
        (Exact(9), Exact(3), 11),
    ]
    p_at_3 = {number: lookup(done.curve, number, 3 << 48).p_moderate for number in (9, 20, 30, 11)}
    exact = {9: 0.2, 20: 0.15, 30: 0.1, 11: 0.05}
    assert p_at_3 == pytest.approx({n: p * PROBABILITY_ONE for n, p in exact.items()}, abs=4)
    assert done.ports[0].param("flow_classes") == 1
    with pytest.raises(ValueError, match="zip"):
        profile_entries(profile, 9, 2, class_ids=(20,))


def test_one_class_matches_every_round_trip_time() -> None:
    profile = Mecn(name="a", min_th=1, mid_th=2, max_th=4, max_p=0.4, rtt_class_max_p=(0.3,))
    (times,) = (e for e in profile_entries(profile, 1, 2).curve if e.table == names.RTT_CLASS_TABLE)
    assert times.field("rtt") is None
    (of_class,) = classes_of(profile)
    assert isinstance(of_class, Mecn)
    assert (of_class.p_incipient, of_class.p_moderate) == (0.3, 0.3)


def test_policy_of_byte_mode_reports_and_limit() -> None:
    profile = Red(
        name="a",
        min_th=1,
        max_th=5,
        max_p=0.4,
        mean_packet_bytes=1000,
        report_period_ms=0.25,
        queue_limit_packets=77,
    )
    policy = policy_of(profile, 1)
    assert (policy.byte_scale, policy.report_period, policy.queue_limit) == (4294967, 250, 77)
    assert not policy.flow_classes
    assert Policy.from_entry(profile_entries(profile, 1, 2).ports[0]) == policy


def test_scheme_ids_are_distinct_and_reversible() -> None:
    every = [
        Behaviour(scheme, severe, not_ect)
        for scheme in SCHEMES
        for severe in (False, True)
        for not_ect in (False, True)
    ]
    assert [Behaviour.from_id(behaviour.scheme_id) for behaviour in every] == every
    assert all(0 < behaviour.scheme_id < 256 for behaviour in every)
    assert Behaviour.from_id(0) is None
    assert Behaviour.from_id(255) is None


def test_port_entries() -> None:
    profile = parse_profile("name: a\nscheme: threshold\nthreshold: 3\nmark_point: tail\ndscp: [EF, 0]\n")
    ports = profile_entries(profile, 5, port=4).ports
    assert [entry.field("dscp") for entry in ports] == [Ternary(0, 63), Ternary(46, 63)]
    assert {entry.field("egress_port") for entry in ports} == {Exact(4)}
    for entry in ports:
        assert dict(entry.params) == {
            "profile_id": 5,
            "scheme": 8,
            "mark_point": 0,
            "spacing": 0,
            "min_depth": 0,
            "ewma_weight": PROBABILITY_ONE,
            "service_time": 0,
            "idle_decay": 0,
            "queue_limit": 0,
            "byte_scale": 0,
            "report_period": 0,
            "flow_classes": 0,
        }
    with pytest.raises(ValueError, match="port 511 is not within 0 and 510"):
        profile_entries(profile, 5, port=511)


def test_routes() -> None:
    entry = Route("10.0.1.0/24", 3, "02:00:00:00:00:01", "02:00:00:00:01:01").entry()
    assert entry.match == (("dst_addr", Lpm(0x0A000100, 24)),)
    assert dict(entry.params) == {"port": 3, "src_mac": 0x020000000001, "dst_mac": 0x020000000101}
    assert Route("0.0.0.0/0", 1, "02:00:00:00:00:01", "02:00:00:00:01:01").entry().match == ()
    entry = Route("2001:db8:1::/64", 3, "02:00:00:00:00:01", "02:00:00:00:01:01").entry()
    assert entry.table == names.IPV6_ROUTE_TABLE
    assert entry.match == (("dst_addr", Lpm(0x20010DB8000100000000000000000000, 64)),)
    assert LocalRoute("10.0.1.254/32").entry().action == names.TO_CONTROLLER
    assert NoRoute("::/0").entry() == Entry(names.IPV6_ROUTE_TABLE, (), names.UNROUTABLE)
    for route in (
        Route("2001:db8:1::1/64", 3, "02:00:00:00:00:01", "02:00:00:00:01:01"),
        LocalRoute("10.0.1.254/24"),
        NoRoute("2001:db8::1/32"),
        Route("10.0.1.1/24", 3, "02:00:00:00:00:01", "02:00:00:00:01:01"),
        Route("10.0.1.0/24", 511, "02:00:00:00:00:01", "02:00:00:00:01:01"),
        Route("10.0.1.0/24", 3, "2:0:0:0:0:1", "02:00:00:00:01:01"),
    ):
        with pytest.raises(ValueError, match=r"host bits|port 511|MAC"):
            route.entry()


@pytest.mark.parametrize("weight", [2**-12, 0.002, 0.2, 1.0])
def test_fixed_point_average_stays_near_the_real_one(weight: float) -> None:
    draw = random.Random(7)
    fixed, real = FixedEwma(weight_to_fixed(Fraction(weight))), RealEwma(weight)
    depth, worst = 0, 0.0
    for step in range(200_000):
        depth = draw.randrange(0, 300) if step % 1000 == 0 else max(0, depth + draw.choice((-1, 0, 1)))
        worst = max(worst, abs(fixed.update(depth) / 2**48 - real.update(depth)))
    assert worst < 0.01


@given(st.integers(0, PROBABILITY_ONE), st.integers(0, 65535 << 48), st.integers(0, 65535))
def test_fixed_point_average_moves_towards_the_sample(weight: int, average: int, depth: int) -> None:
    after = FixedEwma(weight, average).update(depth)
    low, high = sorted((average, depth << 48))
    assert low <= after <= high
