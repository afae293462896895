# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Reports: one digest of each port and period, with what happened in it."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field, replace

import pytest
from mecn_controller import parse_profile
from mecn_controller.names import PORT_REPORT
from mecn_controller.policy.entries import profile_entries
from mecn_controller.reports import PortReport
from mecn_controller.runtime.session import SwitchSession
from mecn_native import CompiledProgram, Switch

from engine import install, routed
from target import (
    ARRIVAL_AVERAGE,
    CE,
    ECT_0,
    ECT_1,
    IN_PORT,
    NOT_ECT,
    OTHER_PORT,
    SLOW_PORT,
    Target,
    ecn_of,
    frame,
)

PERIOD_US = 10_000
FIELDS = [
    *("port", "begin", "end", "avg_qdepth", "min_qdepth", "max_qdepth"),
    *("passed", "incipient", "ce", "early_drop"),
    *(f"active_{number}" for number in range(4)),
]
MECN = {
    "name": "reported",
    "scheme": "mecn",
    "min_th": 2,
    "mid_th": 8,
    "max_th": 24,
    "max_p": 0.5,
    "weight": 1,
    "not_ect": "drop",
    "mark_point": "tail",
    "report_period_ms": PERIOD_US / 1000,
}


@pytest.fixture
def switch(program: CompiledProgram) -> Switch:
    """A switch whose slow port sends 1000 packets a second."""
    made = routed(program).fork(3)
    made.configure_port(SLOW_PORT, rate_pps=1000)
    return made


def taken(switch: Switch) -> list[PortReport]:
    """The reports since the last call."""
    reports = []
    for name, values in switch.take_digests():
        assert name == PORT_REPORT
        reports.append(PortReport.from_fields(dict(zip(FIELDS, values, strict=True))))
    return reports


def depart_until(switch: Switch, until_ns: int) -> list[int]:
    """ECN fields of what leaves up to a time."""
    left = []
    while (due := switch.next_departure()) is not None and due <= until_ns:
        departure = switch.depart(due)
        assert departure is not None
        left.append(ecn_of(departure.frame))
    return left


@dataclass
class Counted:
    """A period as the test sees it."""

    begin_us: int
    depths: list[int] = field(default_factory=list)
    left: dict[int, int] = field(default_factory=lambda: {ECT_0: 0, ECT_1: 0, CE: 0, NOT_ECT: 0})
    dropped: int = 0


def test_a_report_says_what_happened_in_its_period(switch: Switch) -> None:
    """Depths, marks and drops of random traffic, period by period."""
    install(switch, profile_entries(parse_profile(MECN), 1, SLOW_PORT).all)
    traffic = random.Random(4)
    now_us, counted, expected = 0, Counted(0), []
    for _ in range(6000):
        now_us += round(traffic.expovariate(1 / 900))
        for ecn in depart_until(switch, now_us * 1000):
            counted.left[ecn] += 1
        # Only packets that come with ECT(0) or Not-ECT: what leaves with another mark got it here.
        outcome = switch.receive(IN_PORT, frame(ecn=traffic.choice([ECT_0, ECT_0, NOT_ECT])), now_us * 1000)
        if counted.begin_us == 0:
            counted.begin_us = now_us  # the first packet of all begins the first period
        elif now_us - counted.begin_us >= PERIOD_US:
            expected.append((counted, now_us, switch.register_read(ARRIVAL_AVERAGE, SLOW_PORT * 8)))
            counted = Counted(now_us)
        if outcome.kind == "dropped":
            counted.dropped += 1
            # It met what the queue held.
            counted.depths.append(switch.port_stats(SLOW_PORT).depth_packets)
        else:
            counted.depths.append(outcome.depth_packets)
    reports = taken(switch)
    assert len(reports) == len(expected) > 200
    for report, (period, end_us, average) in zip(reports, expected, strict=True):
        assert (report.port, report.begin_us, report.end_us) == (SLOW_PORT, period.begin_us, end_us)
        assert (report.min_depth, report.max_depth) == (min(period.depths), max(period.depths))
        assert report.average == (average >> 32) / 2**16
        assert report.passed == period.left[ECT_0] + period.left[NOT_ECT]
        assert (report.incipient, report.ce) == (period.left[ECT_1], period.left[CE])
        assert report.early_drop == period.dropped
        assert report.active_bits == (0, 0, 0, 0)
    for total in (sum(r.incipient for r in reports), sum(r.ce for r in reports)):
        assert total > 100
    assert sum(r.early_drop for r in reports) > 100


def test_a_period_ends_with_the_first_packet_after_it(switch: Switch) -> None:
    install(switch, profile_entries(parse_profile(MECN), 1, SLOW_PORT).all)
    for us in (1000, 2000, 10_999, 11_000, 20_999, 45_000):
        switch.receive(IN_PORT, frame(), us * 1000)
        depart_until(switch, us * 1000)
    assert [(r.begin_us, r.end_us, r.passed) for r in taken(switch)] == [
        (1000, 11_000, 3),
        (11_000, 45_000, 2),
    ]


def test_without_a_period_there_is_no_report(switch: Switch) -> None:
    install(switch, profile_entries(parse_profile({**MECN, "report_period_ms": None}), 1, SLOW_PORT).all)
    for us in range(1000, 1_000_000, 1000):
        switch.receive(IN_PORT, frame(), us * 1000)
        depart_until(switch, us * 1000)
    assert taken(switch) == []


def test_ports_report_for_themselves(switch: Switch) -> None:
    """A loaded port's marks and depths are in its own reports only, each with its own period."""
    switch.configure_port(OTHER_PORT, rate_pps=1000)
    install(switch, profile_entries(parse_profile(MECN), 1, SLOW_PORT).all)
    other = parse_profile({**MECN, "report_period_ms": 25})
    entries = profile_entries(other, 2, OTHER_PORT)
    install(switch, (*entries.curve, *entries.ports))
    for ms in range(1, 101):
        if ms % 20 == 1:
            for _ in range(15):
                switch.receive(IN_PORT, frame(port=SLOW_PORT), ms * 1_000_000)
        switch.receive(IN_PORT, frame(port=OTHER_PORT), ms * 1_000_000)
        depart_until(switch, ms * 1_000_000)
    reports = taken(switch)
    loaded = [r for r in reports if r.port == SLOW_PORT]
    quiet = [r for r in reports if r.port == OTHER_PORT]
    assert len(loaded) == 4
    assert all(r.max_depth == 14 and r.incipient + r.ce > 0 for r in loaded)
    assert [(r.begin_us, r.end_us, r.passed) for r in quiet] == [
        (1000 + 25_000 * n, 26_000 + 25_000 * n, 25) for n in range(3)
    ]
    assert all((r.max_depth, r.incipient, r.ce) == (0, 0, 0) for r in quiet)


def test_a_controller_receives_reports(target: Target) -> None:
    target.apply({key: value for key, value in MECN.items() if key != "name"})

    async def run() -> PortReport:
        async with SwitchSession(target.server.address) as session:
            await session.use_pipeline()

            async def first() -> PortReport:
                async for report in session.reports():
                    return report
                raise AssertionError("the stream ended")

            received = asyncio.create_task(first())
            while not received.done():
                target.now_ns += 11_000_000
                target.forward(frame())
                await asyncio.wait([received], timeout=0.05)
            return received.result()

    report = asyncio.run(asyncio.wait_for(run(), 60))
    assert replace(report, begin_us=0, end_us=0) == PortReport(
        SLOW_PORT, 0, 0, 0.0, 0, 0, 1, 0, 0, 0, (0, 0, 0, 0)
    )
    assert report.end_us - report.begin_us == 11_000
