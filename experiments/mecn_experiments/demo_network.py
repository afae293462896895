# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A paper's network in virtual time that keeps pace with the clock, and a page that shows and changes it."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.names import Level
from mecn_controller.policy.profile import SCHEMES, DropTail, Mecn, Profile, Threshold, parse_profile
from mecn_controller.runtime.readback import PortCounters, port_policies
from mecn_controller.runtime.targets.virtual import VirtualSwitch
from mecn_controller.runtime.writer import Assignment
from mecn_controller.telemetry.monitor import Monitor
from mecn_controller.telemetry.sources import POLICY_READS, Readings
from mecn_controller.web.access import Access
from mecn_controller.web.declaration import Declaration
from mecn_controller.web.site import LiveSite, listen, side_by_side
from mecn_topo import builtin
from mecn_topo.description import with_service_time

from .bench import Bench
from .errors import ExperimentError
from .execute import prepare
from .program import P4_PROGRAM, compile_program
from .scenario_run import ecn_for, plan_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mecn_controller.runtime.writer import AppliedProfile
    from mecn_topo import Placement, Scenario

THRESHOLDS = (5.0, 10.0, 20.0)
"""Packets: enough for the senders of a demonstration, and all visible on one scale."""
REPORT_MS = 200.0
TICK_S = 0.05
MOST_S = 0.25
"""The longest that virtual time is behind the clock before it gives up catching up."""
READING_S = 0.5
DURATION_S = 30 * 86400.0
START_JITTER_S = 0.5


def demo_profile(scheme: str) -> Profile:
    """A scheme at the demonstration's thresholds."""
    low, middle, high = THRESHOLDS
    document: dict[str, object] = {"name": "demonstration", "scheme": scheme, "report_period_ms": REPORT_MS}
    model = SCHEMES[scheme]
    if model is Threshold:
        document["threshold"] = middle
    elif model is not DropTail:
        document |= {"min_th": low, "max_th": high, "max_p": 0.1, "weight": 0.002}
    if model is Mecn:
        document["mid_th"] = middle
    return parse_profile(document, scheme)


def demo_scenario(paper: str, scheme: str, flows: int) -> Scenario:
    """A paper's topology, its bottleneck under the scheme."""
    scenario = builtin(paper, flows)
    (placed,) = scenario.placements
    profile = with_service_time(
        demo_profile(scheme), scenario.topology, placed.switch, placed.port, scenario.mtu
    )
    return replace(scenario, placements=(replace(placed, profile=profile),))


class LiveNetwork(Readings):
    """A network whose virtual time keeps pace with the clock."""

    def __init__(self, scenario: Scenario, speed: float, seed: int = 1) -> None:
        """Compiles the program and lets the controller set the switches up."""
        super().__init__()
        self.speed = speed
        self.placed: Placement = scenario.placements[0]
        plan = plan_for(scenario, DURATION_S, ecn=ecn_for(scenario), start_jitter_s=START_JITTER_S)
        with Bench(compile_program(P4_PROGRAM)) as bench:
            ready = prepare(scenario, plan, seed, bench)
        self._node = ready.built.nodes[self.placed.switch]
        self._session = ready.built.network.start(until_s=DURATION_S)
        self._switch = VirtualSwitch(self._session, self._node, ready.switches[self.placed.switch])
        self.monitor = Monitor(
            f"{scenario.topology.name}, {self.placed.switch}", 0, with_reports=True, interval_s=READING_S
        )
        self.now_s = 0.0
        self._began = time.time()
        self._lock = asyncio.Lock()

    def clock(self) -> float:
        """Virtual time as seconds since 1970, so that the page's charts run at the network's speed."""
        return self._began + self.now_s

    async def apply(self, wanted: Assignment) -> AppliedProfile:
        """Put the port under another profile, between two steps."""
        async with self._lock:
            (done,) = await self._switch.apply_profiles([wanted], drain_s=0)
        return done

    async def run(self) -> None:
        """Until cancelled, or the end of virtual time."""
        loop = asyncio.get_running_loop()
        last = loop.time()
        read_at = last
        rounds = 0
        while self.now_s < DURATION_S:
            now = loop.time()
            ahead = min(now - last, MOST_S)
            slow = now - last > MOST_S
            last = now
            async with self._lock:
                self.now_s = min(DURATION_S, self.now_s + ahead * self.speed)
                await asyncio.to_thread(self._session.run_until, self.now_s)
                for report in self._switch.reports():
                    self.monitor.on_report(report, self.clock())
            if now >= read_at:
                await self._read(all_of_it=rounds % POLICY_READS == 0 or self._refresh.is_set())
                rounds, read_at = rounds + 1, now + READING_S
                self._say(slow)
            await asyncio.sleep(max(0.0, last + TICK_S - loop.time()))
        raise ExperimentError(f"the demonstration ends after {DURATION_S / 86400:g} days of virtual time")

    def _say(self, slow: bool) -> None:
        behind = "; this machine is slower than asked" if slow else ""
        pace = "" if self.speed == 1 else f" at {self.speed:g} times the clock"
        self.monitor.set_status("primary", f"virtual time{pace}{behind}")

    async def _read(self, *, all_of_it: bool) -> None:
        if all_of_it:
            self._refresh.clear()
            self.monitor.on_policies(port_policies(await self._switch.read(names.AQM_TABLES)))
        port = self.placed.port
        self.monitor.on_counters({port: self._counters(port)}, self.clock())
        await self.was_read()

    def _counters(self, port: int) -> PortCounters:
        def left(level: Level) -> tuple[int, int]:
            return self._session.counter_read(self._node, names.MARKING_STATS, port << 2 | level)

        return PortCounters(
            passed=left(Level.PASSED),
            incipient=left(Level.INCIPIENT),
            ce=left(Level.CE),
            early_drop=self._session.counter_read(self._node, names.EARLY_DROP_STATS, port),
        )


class LiveDeclaration(Declaration):
    """What the page may change of a live network: the profile of its watched queue."""

    def __init__(self, network: LiveNetwork) -> None:
        super().__init__([Assignment(network.placed.profile, network.placed.port)])
        self._network = network
        self.status = "primary"

    async def change(self, index: int, profile: Profile) -> AppliedProfile | None:
        """See Declaration."""
        if profile == self.present(index):
            return None
        wanted = replace(self.assignments[index], profile=profile)
        done = await self._network.apply(wanted)
        self.assignments[index] = wanted
        return done


async def serve_networks(
    networks: Sequence[LiveNetwork], page: tuple[str, int], opened: Callable[[str], None]
) -> None:
    """The page of one network that runs, or of two side by side; `opened` is told its address.

    Until cancelled.
    """
    access = Access(page[0], token=None, encrypted=False)
    sites = [
        LiveSite(
            network.monitor,
            network,
            LiveDeclaration(network),
            access,
            changed=lambda _applied: None,
            clock=network.clock,
        )
        for network in networks
    ]
    app = sites[0].application() if len(sites) == 1 else side_by_side(sites, access)
    async with AsyncExitStack() as stack:
        runner, port = await listen(app, *page, None)
        stack.push_async_callback(runner.cleanup)
        opened(f"http://{page[0]}:{port}/")
        await asyncio.gather(*(network.run() for network in networks))
