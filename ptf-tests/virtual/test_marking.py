# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Marking: how often at each depth, and how marks are spaced, over more packets than real time allows."""

from __future__ import annotations

from collections import Counter

import pytest

from target import CE, ECT_0, ECT_1, Target, check, ecn_of, frame


def marks(target: Target, frames: list[bytes]) -> list[int]:
    """ECN fields of a burst, as the packets leave."""
    target.burst(frames)
    return [ecn_of(departure.frame) for departure in target.drain()]


def count_by_depth(target: Target, length: int, bursts: int) -> list[Counter[int]]:
    """ECN fields by the depth that packets met, over many bursts."""
    packet = frame()
    counts: list[Counter[int]] = [Counter() for _ in range(length)]
    for _ in range(bursts):
        for depth, ecn in enumerate(marks(target, [packet] * length)):
            counts[depth][ecn] += 1
    return counts


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


@pytest.mark.parametrize(("spacing", "possible"), [("uniform", range(1, 11)), ("wait", range(10, 20))])
def test_spacing_makes_gaps_uniform(target: Target, spacing: str, possible: range) -> None:
    """With p = 1/10 each of ten gaps is equally likely: 1 to 10 packets, or with ns-2's rule 10 to 19."""
    # A little above 1/10, which is not a number of the fixed point: 10 p >= 1 must hold.
    profile = {"scheme": "ecnm", "min_th": 10, "max_th": 30, "max_p": 0.2000001, "weight": 1}
    target.apply({**profile, "mark_point": "tail", "spacing": spacing})
    target.slow()
    gaps = gaps_at_constant_depth(target, 20, 60_000)
    assert set(gaps) == set(possible)
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
