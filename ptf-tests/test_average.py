# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The moving average in the registers against the real-valued recurrence avg <- avg + w (q - avg)."""

from __future__ import annotations

import random

import pytest
from mecn_controller.fixed_point import weight_to_fixed
from mecn_controller.profile import exact
from mecn_controller.reference import FixedEwma

from target import ARRIVAL_AVERAGE, ARRIVAL_DEPTH, SLOW_PORT, Target, frame

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
