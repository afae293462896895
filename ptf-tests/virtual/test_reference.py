# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The data plane against the reference model: every packet of random traffic, bit for bit.

Random profiles of every scheme. The model is told the true depth of a queue of our own; the engine's numbers
are known from its seed. So what is compared is who is admitted, who is marked and how, and both averages,
after each packet.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mecn_controller import Profile, ProfileError, parse_profile
from mecn_controller.names import Ecn
from mecn_controller.policy.entries import profile_entries
from mecn_controller.policy.profile import SCHEMES
from mecn_native import CompiledProgram, Switch

from engine import draws, install, routed
from queue_model import QueueModel
from target import ARRIVAL_AVERAGE, ARRIVAL_DEPTH, IN_PORT, MARKING_AVERAGE, SLOW_PORT, frame

QUEUE = SLOW_PORT * 8
PACKETS = 300
LENGTHS = (26, 446, 946, 1446)
MANAGED, UNMANAGED = 10, 0  # code points
FRAMES = {
    (dscp, ecn, size): frame(ecn=ecn, payload=size, dscp=dscp)
    for dscp in (MANAGED, UNMANAGED)
    for ecn in Ecn
    for size in LENGTHS
}


@pytest.fixture(scope="module", name="routed")
def routed_switch(program: CompiledProgram) -> Switch:
    """The program with routes and without a policy."""
    return routed(program)


@dataclass
class Waiting:
    """A packet in the model's queue."""

    ecn: Ecn
    length: int
    arrival_us: int
    depth_met: int
    managed: bool


class Pair:
    """The engine and the model, under the same traffic."""

    def __init__(self, base: Switch, profile: Profile, seed: int, rate_pps: int, limit: int | None) -> None:
        self.switch = base.fork(seed)
        install(self.switch, profile_entries(profile, 1, SLOW_PORT).all)
        self.switch.configure_port(SLOW_PORT, rate_pps=rate_pps, limit_packets=limit)
        self.model = QueueModel(profile, draws(seed))
        self.limit = limit
        self.queue: deque[Waiting] = deque()
        self.fates: set[str] = set()
        self.now_ns = 1_000_000

    def let_pass(self, until_ns: int) -> None:
        """Departures up to a time."""
        while (due := self.switch.next_departure()) is not None and due <= until_ns:
            departure = self.switch.depart(due)
            assert departure is not None
            assert departure.frame is not None
            packet = self.queue.popleft()
            assert (departure.enq_qdepth, departure.deq_qdepth) == (packet.depth_met, len(self.queue))
            if not packet.managed:
                assert departure.frame[15] & 3 == packet.ecn
                self.model.depart_unmanaged(due // 1000)
                continue
            left = self.model.depart(
                due // 1000, packet.arrival_us, packet.depth_met, len(self.queue), packet.ecn, packet.length
            )
            assert departure.frame[15] & 3 == left
            assert self.switch.register_read(MARKING_AVERAGE, QUEUE) == self.model.departures.average.average
            self.fates.add("as it came" if left == packet.ecn else f"marked {left.name}")

    def arrive(self, now_ns: int, ecn: Ecn, size: int, dscp: int) -> None:
        """One packet in."""
        managed = dscp == MANAGED
        data = FRAMES[dscp, ecn, size]
        met = len(self.queue)
        estimate = self.switch.register_read(ARRIVAL_DEPTH, QUEUE)
        assert (estimate if self.limit is None else min(estimate, self.limit)) == met
        admitted = not managed or self.model.arrive(now_ns // 1000, met, ecn, len(data))
        outcome = self.switch.receive(IN_PORT, data, now_ns)
        full = self.limit is not None and met >= self.limit
        expected = "dropped" if not admitted else "tail_dropped" if full else "enqueued"
        assert outcome.kind == expected
        assert self.switch.register_read(ARRIVAL_AVERAGE, QUEUE) == self.model.arrivals.average.average
        if managed:
            self.fates.add(expected)
        if outcome.kind == "enqueued":
            self.queue.append(Waiting(ecn, len(data), now_ns // 1000, met, managed))

    def run(
        self, traffic: random.Random, rate_pps: int, load: float, burst: int, unmanaged: float = 0.0
    ) -> None:
        """Bursts of up to `burst` packets at an average load; a share of them has no policy."""
        for _ in range(PACKETS // max(1, burst // 2)):
            length = traffic.randint(1, burst)
            self.now_ns += round(traffic.expovariate(load * rate_pps / length) * 1e9)
            self.let_pass(self.now_ns)
            for _ in range(length):
                dscp = UNMANAGED if traffic.random() < unmanaged else MANAGED
                self.arrive(self.now_ns, traffic.choice(tuple(Ecn)), traffic.choice(LENGTHS), dscp)
        self.now_ns += 10**12
        self.let_pass(self.now_ns)
        assert not self.queue


depths = st.one_of(st.integers(0, 30), st.integers(0, 30 * 256).map(lambda n: n / 256))
probabilities = st.one_of(st.sampled_from([0.0, 0.1, 1.0]), st.floats(0, 1))


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Any scheme, with thresholds that random traffic reaches."""
    scheme = draw(st.sampled_from(sorted(SCHEMES)))
    data: dict[str, object] = {"name": "random", "scheme": scheme, "dscp": MANAGED}
    keys = SCHEMES[scheme].model_fields
    choices: dict[str, st.SearchStrategy[object]] = {
        "mark_point": st.sampled_from(["front", "tail"]),
        "weight": st.one_of(st.sampled_from([0.002, 2.0**-12, 1.0]), st.floats(0.001, 1)),
        "mean_service_time_us": st.one_of(st.none(), st.sampled_from([1000.0, 120.5])),
        "spacing": st.sampled_from(["independent", "uniform", "wait"]),
        "min_depth": st.sampled_from([0, 0, 2]),
        "mean_packet_bytes": st.sampled_from([None, None, 1, 500, 1500]),
        "above_max_th": st.sampled_from(["mark", "drop"]),
        "not_ect": st.sampled_from(["pass", "drop"]),
        "gentle_signal": st.sampled_from(["mark", "drop"]),
        "threshold": depths,
        "max_p": probabilities,
    }
    for key, values in choices.items():
        if key in keys and not (key == "mark_point" and scheme.startswith("red")):
            data[key] = draw(values)
    wanted = [key for key in ("min_th", "mid_th", "max_th") if key in keys]
    thresholds = sorted(draw(st.lists(depths, min_size=3, max_size=3, unique_by=float)))
    data |= dict(zip(wanted, thresholds[: len(wanted)], strict=True))
    return parse_profile(data)


def any_profile(draw: st.DataObject) -> Profile | None:
    """A profile, or None where the random numbers make none (too steep a ramp)."""
    try:
        return draw.draw(profiles())
    except ProfileError:
        return None


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_every_packet_is_treated_as_the_model_says(routed: Switch, data: st.DataObject) -> None:
    profile = any_profile(data)
    if profile is None:
        return
    limit = data.draw(st.sampled_from([None, 5, 20, 64]))
    if limit is not None:
        profile = profile.replace(queue_limit_packets=limit)
    seed = data.draw(st.integers(0, 2**64 - 1))
    traffic = random.Random(data.draw(st.integers(0, 2**32)))
    load, burst = data.draw(st.sampled_from([0.5, 0.95, 2.0])), data.draw(st.sampled_from([1, 5, 40]))
    unmanaged = data.draw(st.sampled_from([0.0, 0.0, 0.3]))
    Pair(routed, profile, seed, 1000, limit).run(traffic, 1000, load, burst, unmanaged)


# What packets must have met, each scheme in one fixed case, so that no fate goes untested.
CASES: dict[str, tuple[dict[str, object], set[str]]] = {
    "drop-tail": ({}, {"enqueued", "tail_dropped", "as it came"}),
    "threshold": ({"threshold": 3}, {"enqueued", "tail_dropped", "as it came", "marked CE"}),
    "red": ({"max_p": 0.5}, {"enqueued", "dropped", "as it came"}),
    "red-gentle": ({"max_p": 0.1}, {"enqueued", "dropped", "as it came"}),
    "ecn": ({"max_p": 0.5}, {"enqueued", "dropped", "as it came", "marked CE"}),
    "ecn-gentle": ({"max_p": 0.1}, {"enqueued", "dropped", "as it came", "marked CE"}),
    "ecnm": ({"max_p": 0.5}, {"enqueued", "dropped", "tail_dropped", "as it came", "marked CE"}),
    "mecn": (
        {"mid_th": 8, "max_p": 0.5},
        {"enqueued", "tail_dropped", "as it came", "marked CE", "marked ECT_1"},
    ),
}


@pytest.mark.parametrize("spacing", ["independent", "uniform", "wait"])
@pytest.mark.parametrize("mark_point", ["tail", "front"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_fate_of_each_scheme(routed: Switch, scheme: str, mark_point: str, spacing: str) -> None:
    more, fates = CASES[scheme]
    data: dict[str, object] = {
        **more,
        "name": scheme,
        "scheme": scheme,
        "queue_limit_packets": 30,
        "dscp": MANAGED,
    }
    if "min_th" in SCHEMES[scheme].model_fields:
        data |= {"min_th": 4, "max_th": 16, "weight": 0.1, "spacing": spacing}
    if not scheme.startswith("red"):
        data["mark_point"] = mark_point
    pair = Pair(routed, parse_profile(data), 7, 1000, 30)
    for seed in range(5):
        pair.run(random.Random(seed), 1000, 1.2, 40)
    assert pair.fates >= fates
