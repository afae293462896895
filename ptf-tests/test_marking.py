# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Marking: which packets, which level, how often, and the rules that no entry can break."""

from __future__ import annotations

from collections import Counter

import pytest
from mecn_native import ActionCall, MatchField

from target import (
    CE,
    CODEPOINTS,
    ECT_0,
    ECT_1,
    MARKING_STATS,
    NOT_ECT,
    SLOW_PORT,
    Target,
    decode,
    ecn_of,
    frame,
    unlikely,
)

ALPHA = 1e-9  # chance that a test of frequencies fails although the switch is right
ANY_PROFILE = {"scheme": "threshold", "threshold": 0, "mark_point": "tail"}


def marks(target: Target, frames: list[bytes]) -> list[int]:
    """ECN fields of a burst, as the packets leave."""
    target.burst(frames)
    return [ecn_of(departure.frame) for departure in target.drain()]


# ---- Where ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [0, 1, 4, 9])
@pytest.mark.parametrize("length", [1, 5, 12])
def test_mark_tail_marks_the_tail_of_a_burst(target: Target, threshold: int, length: int) -> None:
    """A packet is marked if it met more than T packets: packet k of the burst met k."""
    target.apply({"scheme": "threshold", "threshold": threshold, "mark_point": "tail"})
    target.slow()
    expected = [CE if k > threshold else ECT_0 for k in range(length)]
    assert marks(target, [frame()] * length) == expected


@pytest.mark.parametrize("threshold", [0, 1, 4, 9])
@pytest.mark.parametrize("length", [1, 5, 12])
def test_mark_front_marks_the_head_of_a_burst(target: Target, threshold: int, length: int) -> None:
    """A packet is marked if it leaves more than T packets behind."""
    target.apply({"scheme": "threshold", "threshold": threshold, "mark_point": "front"})
    target.slow()
    expected = [CE if length - 1 - k > threshold else ECT_0 for k in range(length)]
    assert marks(target, [frame()] * length) == expected


@pytest.mark.parametrize("mark_point", ["tail", "front"])
def test_mecn_levels_by_depth(target: Target, mark_point: str) -> None:
    """With w = 1 and steps in place of ramps the level is a function of the depth: none, incipient, CE."""
    profile = {
        "scheme": "mecn",
        "min_th": 3,
        "mid_th": 7,
        "max_th": 8,
        "weight": 1,
        "mark_point": mark_point,
    }
    target.apply({**profile, "max_p_incipient": 1, "max_p_moderate": 1})
    target.slow()
    depths = range(12) if mark_point == "tail" else range(11, -1, -1)
    left = marks(target, [frame()] * 12)
    for depth, ecn in zip(depths, left, strict=True):
        if depth <= 3:  # p1 is 0 at min_th itself
            assert ecn == ECT_0, depth
        elif depth > 7:
            assert ecn == CE, depth
        else:
            assert ecn in (ECT_0, ECT_1), depth


@pytest.mark.parametrize("min_depth", [0, 2, 6])
def test_shallow_queue_gives_no_signal(target: Target, min_depth: int) -> None:
    """Whatever the average; here it stays far above max_th."""
    profile = {"scheme": "ecnm", "min_th": 1, "max_th": 2, "max_p": 0.1, "weight": 0.01, "mark_point": "tail"}
    target.apply({**profile, "min_depth": min_depth})
    target.slow()
    target.burst([frame()] * 200)
    target.drain()
    assert target.average() > 10
    assert marks(target, [frame()] * 10) == [ECT_0 if k < min_depth else CE for k in range(10)]


def test_drop_tail_marks_nothing_and_loses_what_does_not_fit(target: Target) -> None:
    target.apply({"scheme": "drop-tail"})
    target.slow(limit=10)
    outcomes = target.burst([frame()] * 15)
    assert [outcome.kind for outcome in outcomes] == ["enqueued"] * 10 + ["tail_dropped"] * 5
    assert [ecn_of(departure.frame) for departure in target.drain()] == [ECT_0] * 10


def test_without_a_profile_nothing_is_marked(target: Target) -> None:
    target.slow()
    assert marks(target, [frame()] * 30) == [ECT_0] * 30


# ---- How often -----------------------------------------------------------------------------------


def count_by_depth(target: Target, length: int, bursts: int) -> list[Counter[int]]:
    """ECN fields by the depth that packets met, over many bursts."""
    packet = frame()
    counts: list[Counter[int]] = [Counter() for _ in range(length)]
    for _ in range(bursts):
        for depth, ecn in enumerate(marks(target, [packet] * length)):
            counts[depth][ecn] += 1
    return counts


def check(successes: int, trials: int, p: float, tests: int, what: str) -> None:
    """Binomial bound, shared among `tests` comparisons."""
    assert unlikely(successes, trials, p) > ALPHA / tests, (
        f"{what}: {successes} of {trials}, expected {p:.4f}"
    )


def test_mecn_frequencies_follow_the_curve(target: Target) -> None:
    """P(CE) = p2, P(incipient) = p1 (1 - p2), with w = 1 so that the depth met is the average."""
    min_th, mid_th, max_th, p1_max, p2_max = 5, 20, 40, 0.3, 0.6
    target.apply(
        {
            "scheme": "mecn", "min_th": min_th, "mid_th": mid_th, "max_th": max_th, "weight": 1,
            "max_p_incipient": p1_max, "max_p_moderate": p2_max, "mark_point": "tail",
        }
    )  # fmt: skip
    target.slow()
    bursts, length = 10_000, 45
    for depth, count in enumerate(count_by_depth(target, length, bursts)):
        p1 = p1_max * (depth - min_th) / (max_th - min_th) if min_th <= depth < max_th else 0.0
        p2 = p2_max * (depth - mid_th) / (max_th - mid_th) if mid_th <= depth < max_th else 0.0
        if depth >= max_th:
            p1, p2 = 0.0, 1.0
        check(count[CE], bursts, p2, 2 * length, f"CE at depth {depth}")
        check(count[ECT_1], bursts, p1 * (1 - p2), 2 * length, f"incipient at depth {depth}")


def test_ecn_frequencies_follow_the_curve(target: Target) -> None:
    min_th, max_th, max_p = 3, 33, 0.1
    target.apply(
        {
            "scheme": "ecn",
            "min_th": min_th,
            "max_th": max_th,
            "max_p": max_p,
            "weight": 1,
            "mark_point": "tail",
        }
    )
    target.slow()
    bursts, length = 10_000, 33
    for depth, count in enumerate(count_by_depth(target, length, bursts)):
        p = max_p * max(0, depth - min_th) / (max_th - min_th)
        check(count[CE], bursts, p, length, f"CE at depth {depth}")
        assert count[ECT_1] == 0


def gaps_at_constant_depth(target: Target, depth: int, count: int) -> list[int]:
    """Distances between marked packets, each of which meets and leaves exactly `depth` packets."""
    packet = frame()
    target.burst([packet] * depth)
    gaps, last = [], 0
    for number in range(1, count + 1):
        target.send(packet)
        due = target.switch.next_departure()
        assert due is not None
        target.now_ns = max(target.now_ns, due)
        departure = target.switch.depart(target.now_ns)
        assert departure is not None
        target.now_ns = departure.end_ns
        if departure.enq_qdepth == depth and ecn_of(departure.frame) != ECT_0:
            gaps.append(number - last)
            last = number
    return gaps[1:]


def test_uniform_spacing_makes_gaps_uniform(target: Target) -> None:
    """RED's count: with p = 1/10 the next mark comes after 1 to 10 packets, each equally likely."""
    profile = {"scheme": "ecnm", "min_th": 10, "max_th": 30, "max_p": 0.2, "weight": 1, "mark_point": "tail"}
    target.apply({**profile, "spacing": "uniform"})
    target.slow()
    gaps = gaps_at_constant_depth(target, 20, 60_000)
    # 1/10 is not a number of the fixed point, so an eleventh packet is possible, once in 2^32.
    assert set(gaps) == set(range(1, 11))
    for gap, seen in Counter(gaps).items():
        check(seen, len(gaps), 0.1, 10, f"gap of {gap}")


def test_independent_draws_make_gaps_geometric(target: Target) -> None:
    profile = {"scheme": "ecnm", "min_th": 10, "max_th": 30, "max_p": 0.2, "weight": 1, "mark_point": "tail"}
    target.apply(profile)
    target.slow()
    gaps = gaps_at_constant_depth(target, 20, 60_000)
    assert max(gaps) > 30
    for gap in range(1, 20):
        check(gaps.count(gap), len(gaps), 0.1 * 0.9 ** (gap - 1), 20, f"gap of {gap}")


def test_uniform_spacing_of_two_levels(target: Target) -> None:
    """Each level keeps its own count; a packet that got CE takes no part in the incipient one's."""
    profile = {"scheme": "mecn", "min_th": 0, "mid_th": 10, "max_th": 40, "weight": 1, "mark_point": "tail"}
    target.apply({**profile, "max_p_incipient": 0.4, "max_p_moderate": 0.3, "spacing": "uniform"})
    target.slow()
    packet = frame()
    target.burst([packet] * 20)
    levels = []
    for _ in range(40_000):
        target.send(packet)
        due = target.switch.next_departure()
        assert due is not None
        target.now_ns = max(target.now_ns, due)
        departure = target.switch.depart(target.now_ns)
        assert departure is not None
        target.now_ns = departure.end_ns
        if departure.enq_qdepth == 20:
            levels.append(ecn_of(departure.frame))
    # p2 = 0.1 and p1 = 0.2: mean gaps 5.5 and 3.
    marked = Counter(levels)
    assert marked[CE] / len(levels) == pytest.approx(1 / 5.5, rel=0.02)
    assert marked[ECT_1] / (len(levels) - marked[CE]) == pytest.approx(1 / 3, rel=0.02)
    longest = max(len(run) for run in "".join("x" if e == CE else "." for e in levels).split("x"))
    assert longest <= 18, "two gaps of at most ten"


def test_levels_are_counted(target: Target) -> None:
    target.apply({"scheme": "mecn", "min_th": 2, "mid_th": 6, "max_th": 12, "max_p": 0.8, "weight": 1})
    target.slow()
    packet = frame()
    seen = Counter(marks(target, [packet] * 40))
    for level, codepoint in enumerate((ECT_0, ECT_1, CE)):
        packets, octets = target.switch.counter_read(MARKING_STATS, SLOW_PORT * 4 + level)
        assert packets == seen[codepoint]
        assert octets == packets * len(packet)


# ---- Rules that no entry can break ---------------------------------------------------------------


def all_verdicts(target: Target, action: str) -> None:
    """Make every row of the verdict table ask for the same, which no profile would."""
    table = "MecnEgress.marking.verdict.aqm_verdict"
    target.switch.clear_entries(table)
    for scheme in range(32):
        for signal in range(4):
            for ecn in CODEPOINTS:
                match = [MatchField.Exact(scheme), MatchField.Exact(signal), MatchField.Exact(ecn)]
                call = ActionCall(f"MecnEgress.marking.verdict.{action}")
                target.switch.insert_entry(table, match, 0, call)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("pass", {NOT_ECT: NOT_ECT, ECT_0: ECT_0, ECT_1: ECT_1, CE: CE}),
        ("mark_incipient", {NOT_ECT: NOT_ECT, ECT_0: ECT_1, ECT_1: ECT_1, CE: CE}),
        ("mark_ce", {NOT_ECT: NOT_ECT, ECT_0: CE, ECT_1: CE, CE: CE}),
    ],
)
def test_codepoint_matrix(target: Target, action: str, expected: dict[int, int]) -> None:
    """Whatever the entries say: Not-ECT is never marked and a level is never lowered."""
    target.apply(ANY_PROFILE)
    all_verdicts(target, action)
    for before, after in expected.items():
        (departure,) = target.forward(frame(ecn=before))
        assert decode(departure.frame)["IP"].tos & 3 == after


@pytest.mark.parametrize("scheme", ["threshold", "ecn", "ecnm", "mecn"])
@pytest.mark.parametrize("mark_point", ["tail", "front"])
def test_not_ect_is_never_marked_and_no_level_lowered(target: Target, scheme: str, mark_point: str) -> None:
    """Every scheme at every depth of a burst, with the four codepoints in turn."""
    shapes: dict[str, dict[str, object]] = {
        "threshold": {"threshold": 2},
        "ecn": {"min_th": 2, "max_th": 200, "max_p": 1, "weight": 1, "not_ect": "pass"},
        "ecnm": {"min_th": 2, "max_th": 60, "max_p": 1, "weight": 1, "not_ect": "pass"},
        "mecn": {"min_th": 2, "mid_th": 30, "max_th": 60, "max_p": 1, "weight": 1},
    }
    target.apply({"scheme": scheme, "mark_point": mark_point, **shapes[scheme]})
    target.slow()
    sent = [CODEPOINTS[k % 4] for k in range(100)]
    left = marks(target, [frame(ecn=ecn) for ecn in sent])
    order = {ECT_0: 0, ECT_1: 1, CE: 2}
    assert len(left) == len(sent)
    for before, after in zip(sent, left, strict=True):
        if before == NOT_ECT:
            assert after == NOT_ECT
        else:
            assert order[after] >= order[before]
    assert Counter(left)[CE] > Counter(sent)[CE], "something was marked"


def test_marked_packets_have_right_checksums(target: Target) -> None:
    target.apply(ANY_PROFILE)
    all_verdicts(target, "mark_ce")
    for ttl in range(2, 256, 7):
        for dscp in range(0, 64, 5):
            (departure,) = target.forward(frame(ttl=ttl, dscp=dscp, ecn=ECT_0))
            packet = decode(departure.frame)
            assert packet["IP"].tos == dscp << 2 | CE
            assert packet["IP"].ttl == ttl - 1
