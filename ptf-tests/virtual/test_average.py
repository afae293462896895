# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The moving average in the registers against the real-valued recurrence avg <- avg + w (q - avg)."""

from __future__ import annotations

import random

import pytest
from mecn_controller.fixed_point import idle_decay_to_fixed, weight_to_fixed
from mecn_controller.policy.profile import exact

from reference_model import FixedEwma, RealEwma
from target import ARRIVAL_AVERAGE, ARRIVAL_DEPTH, MARKING_AVERAGE, SLOW_PORT, Target, frame

UPDATES = 1_000_000
TOLERANCE = 0.01  # packets
LONGEST_BURST = 120


def mecn(weight: float, mark_point: str) -> dict[str, object]:
    """A profile whose curve hardly matters here."""
    return {
        "scheme": "mecn",
        "min_th": 30,
        "mid_th": 60,
        "max_th": 90,
        "max_p": 0.1,
        "weight": weight,
        "mark_point": mark_point,
    }


@pytest.mark.parametrize(("weight", "mark_point"), [(2**-12, "tail"), (0.002, "front")])
def test_average_stays_with_the_real_valued_recurrence(
    target: Target, weight: float, mark_point: str
) -> None:
    """10^6 updates: bursts of random length, so that the sample jumps between 0 and 119."""
    target.apply(mecn(weight, mark_point))
    target.slow()
    draw = random.Random(20)
    packet = frame()
    real = 0.0
    worst = 0.0
    updates = 0
    while updates < UPDATES:
        # Packet k of a burst meets k before it, and leaves behind it what came after.
        length = draw.randint(1, LONGEST_BURST)
        target.burst([packet] * length)
        target.drain()
        for k in range(length):
            depth = k if mark_point == "tail" else length - 1 - k
            real += weight * (depth - real)
        updates += length
        worst = max(worst, abs(target.average() - real))
    assert worst < TOLERANCE


@pytest.mark.parametrize("weight", [2**-12, 0.002, 0.1, 0.75, 1.0])
def test_average_is_the_reference_model_bit_for_bit(target: Target, weight: float) -> None:
    target.apply(mecn(weight, "tail"))
    target.slow()
    draw = random.Random(21)
    model = FixedEwma(weight_to_fixed(exact(weight)))
    packet = frame()
    for _ in range(300):
        length = draw.randint(1, 50)
        target.burst([packet] * length)
        target.drain()
        for depth in range(length):
            model.update(depth)
        assert (
            target.switch.register_read("MecnEgress.marking.average.avg_qdepth", SLOW_PORT * 8)
            == model.average
        )


def test_admission_sees_the_queue_that_the_packet_meets(target: Target) -> None:
    """The arrival-time estimate equals the true depth at every arrival, and its average follows."""
    target.apply(mecn(0.25, "tail"))
    target.slow()
    draw = random.Random(22)
    packet = frame()
    real = 0.0
    for _ in range(5000):
        # A load near 1: the queue wanders.
        target.now_ns += round(draw.expovariate(1 / 950_000))
        while (due := target.switch.next_departure()) is not None and due <= target.now_ns:
            target.switch.depart(target.now_ns)
        estimate = target.switch.register_read(ARRIVAL_DEPTH, SLOW_PORT * 8)
        outcome = target.send(packet)
        assert estimate == outcome.depth_packets
        real += 0.25 * (outcome.depth_packets - real)
        assert target.average(ARRIVAL_AVERAGE) == pytest.approx(real, abs=TOLERANCE)


@pytest.mark.parametrize("mark_point", ["tail", "front"])
def test_average_of_an_idle_queue_falls(target: Target, mark_point: str) -> None:
    """avg <- (1 - w)^m avg for m idle service times, then the sample: against the equation, and bit for bit.

    Half load in bursts, so that the queue fills and runs idle in turn.
    """
    weight, service_us = 0.004, 1000
    target.apply({**mecn(weight, mark_point), "mean_service_time_us": service_us})
    target.slow(rate_pps=1_000_000 // service_us)
    exact_weight = exact(weight)
    model = FixedEwma(weight_to_fixed(exact_weight), idle_decay=idle_decay_to_fixed(exact_weight, service_us))
    real = RealEwma(weight, service_time_us=service_us)
    draw = random.Random(23)
    packet = frame()
    end_us = 0
    lowest, highest = 1e9, 0.0
    for _ in range(3000):
        target.now_ns += draw.randint(0, 30_000_000)
        arrival_us = target.now_ns // 1000
        length = draw.randint(1, 30)
        target.burst([packet] * length)
        departures = target.drain()
        idle_us = max(0, arrival_us - end_us)
        for k in range(length):
            depth = k if mark_point == "tail" else length - 1 - k
            model.update(depth, idle_us if k == 0 else 0)
            real.update(depth, idle_us if k == 0 else 0)
        end_us = departures[-1].start_ns // 1000 + service_us
        assert target.switch.register_read(MARKING_AVERAGE, SLOW_PORT * 8) == model.average
        assert target.average() == pytest.approx(real.average, abs=TOLERANCE)
        lowest, highest = min(lowest, real.average), max(highest, real.average)
    assert highest > 1.5 * lowest > 0, "the average does move"


def test_each_average_counts_idle_time_once(target: Target) -> None:
    """A packet that admission drops has moved the average of arrivals, and not that of departures."""
    service_us = 1000
    profile = {"scheme": "ecn", "min_th": 1, "max_th": 2, "max_p": 0.1, "weight": 0.01, "mark_point": "tail"}
    target.apply({**profile, "mean_service_time_us": service_us})
    target.slow(rate_pps=1_000_000 // service_us)
    packet = frame()
    target.burst([packet] * 60)
    target.drain()
    arrivals = target.average(ARRIVAL_AVERAGE)
    departures = target.average()
    assert arrivals > 2
    waited = 0
    while (outcome := target.send(packet)).kind == "dropped":
        target.now_ns += 20 * service_us * 1000
        waited += 20
        assert waited < 10_000, "arrivals are admitted again"
    target.drain()
    dropped = waited // 20
    assert dropped >= 2
    assert outcome.depth_packets == 0
    # Arrivals: each dropped packet was a sample of 0 as well. Departures: idle time only, and one sample.
    assert target.average(ARRIVAL_AVERAGE) == pytest.approx(
        arrivals * 0.99 ** (waited + dropped + 1), abs=TOLERANCE
    )
    assert target.average() == pytest.approx(departures * 0.99 ** (waited + 1), abs=TOLERANCE)


def test_without_a_service_time_only_packets_move_the_average(target: Target) -> None:
    target.apply(mecn(0.01, "tail"))
    target.slow()
    target.burst([frame()] * 50)
    target.drain()
    before = target.average()
    target.now_ns += 3600 * 10**9
    target.forward(frame())
    assert target.average() == pytest.approx(0.99 * before, abs=TOLERANCE)


def test_changing_the_weight_to_one_gives_the_actual_depth_at_once(target: Target) -> None:
    target.apply(mecn(0.003, "tail"))
    target.slow()
    target.burst([frame()] * 50)
    target.drain()
    assert target.average() % 1 != 0
    target.apply({"scheme": "threshold", "threshold": 5, "mark_point": "tail"})
    target.burst([frame()] * 8)
    target.drain()
    assert target.average() == 7
