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
from mecn_topo.description import load_scenario, with_service_time

from .bench import Bench
from .errors import ExperimentError
from .execute import prepare
from .program import P4_PROGRAM, compile_program
from .scenario_run import ecn_for, plan_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mecn_controller.runtime.writer import AppliedProfile
    from mecn_native import Node, Switch
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


def own_scenario(path: Path) -> Scenario:
    """A topology file, whose profiles report. ControllerError or TopologyError says what is wrong with it."""
    scenario = load_scenario(path)
    if not scenario.placements or not scenario.flows:
        raise ExperimentError(f"{path}: nothing to show: it needs profiles, and two hosts")
    placements = [
        of
        if of.profile.report_period_ms is not None
        else replace(of, profile=of.profile.replace(report_period_ms=REPORT_MS))
        for of in scenario.placements
    ]
    return replace(scenario, placements=tuple(placements))


class LiveSwitch(Readings):
    """A switch of such a network, as far as its queues with profiles go."""

    def __init__(
        self, network: LiveNetwork, placed: Sequence[Placement], name: str, node: Node, switch: Switch
    ) -> None:
        super().__init__()
        self.placed = placed
        self._network, self._node = network, node
        self._switch = VirtualSwitch(network.session, node, switch)
        self.monitor = Monitor(name, 0, with_reports=True, interval_s=READING_S)
        self.clock = network.clock

    async def apply(self, wanted: Assignment) -> AppliedProfile:
        """Put a port under another profile, between two steps."""
        async with self._network.lock:
            (done,) = await self._switch.apply_profiles([wanted], drain_s=0)
        return done

    def hear(self) -> None:
        """Take what it has reported since."""
        for report in self._switch.reports():
            self.monitor.on_report(report, self.clock())

    async def read(self, *, all_of_it: bool) -> None:
        """Counters; now and then, or after a change, the policies too."""
        if all_of_it or self._refresh.is_set():
            self._refresh.clear()
            self.monitor.on_policies(port_policies(await self._switch.read(names.AQM_TABLES)))
        counters = {of.port: self._counters(of.port) for of in self.placed}
        self.monitor.on_counters(counters, self.clock())
        await self.was_read()

    def _counters(self, port: int) -> PortCounters:
        read = self._network.session.counter_read

        def left(level: Level) -> tuple[int, int]:
            return read(self._node, names.MARKING_STATS, port << 2 | level)

        return PortCounters(
            passed=left(Level.PASSED),
            incipient=left(Level.INCIPIENT),
            ce=left(Level.CE),
            early_drop=read(self._node, names.EARLY_DROP_STATS, port),
        )


class LiveNetwork:
    """A network whose virtual time keeps pace with the clock."""

    def __init__(self, scenario: Scenario, speed: float, seed: int = 1) -> None:
        """Compiles the program and lets the controller set the switches up."""
        self.speed = speed
        plan = plan_for(scenario, DURATION_S, ecn=ecn_for(scenario), start_jitter_s=START_JITTER_S)
        with Bench(compile_program(P4_PROGRAM)) as bench:
            ready = prepare(scenario, plan, seed, bench)
        self.session = ready.built.network.start(until_s=DURATION_S)
        self.lock = asyncio.Lock()
        self.now_s = 0.0
        self._began = time.time()
        self.switches = [
            LiveSwitch(
                self,
                [of for of in scenario.placements if of.switch == name],
                f"{scenario.topology.name}, {name}",
                ready.built.nodes[name],
                ready.switches[name],
            )
            for name in dict.fromkeys(of.switch for of in scenario.placements)
        ]

    def clock(self) -> float:
        """Virtual time as seconds since 1970, so that the page's charts run at the network's speed."""
        return self._began + self.now_s

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
            async with self.lock:
                self.now_s = min(DURATION_S, self.now_s + ahead * self.speed)
                await asyncio.to_thread(self.session.run_until, self.now_s)
                for switch in self.switches:
                    switch.hear()
            if now >= read_at:
                for switch in self.switches:
                    await switch.read(all_of_it=rounds % POLICY_READS == 0)
                    switch.monitor.set_status("primary", self._pace(slow))
                rounds, read_at = rounds + 1, now + READING_S
            await asyncio.sleep(max(0.0, last + TICK_S - loop.time()))
        raise ExperimentError(f"the demonstration ends after {DURATION_S / 86400:g} days of virtual time")

    def _pace(self, slow: bool) -> str:
        behind = "; this machine is slower than asked" if slow else ""
        pace = "" if self.speed == 1 else f" at {self.speed:g} times the clock"
        return f"virtual time{pace}{behind}"


class LiveDeclaration(Declaration):
    """What the page may change of a switch: the profiles of its queues."""

    def __init__(self, switch: LiveSwitch) -> None:
        super().__init__([Assignment(of.profile, of.port) for of in switch.placed])
        self._switch = switch
        self.status = "primary"

    async def change(self, index: int, profile: Profile) -> AppliedProfile | None:
        """See Declaration."""
        if profile == self.present(index):
            return None
        wanted = replace(self.assignments[index], profile=profile)
        done = await self._switch.apply(wanted)
        self.assignments[index] = wanted
        return done


async def serve_networks(
    networks: Sequence[LiveNetwork], page: tuple[str, int], opened: Callable[[str], None]
) -> None:
    """The page of a switch in networks that run, or of several side by side; `opened` is told its address.

    Until cancelled.
    """
    access = Access(page[0], token=None, encrypted=False)
    sites = [
        LiveSite(
            switch.monitor,
            switch,
            LiveDeclaration(switch),
            access,
            changed=lambda _applied: None,
            clock=network.clock,
        )
        for network in networks
        for switch in network.switches
    ]
    app = sites[0].application() if len(sites) == 1 else side_by_side(sites, access)
    async with AsyncExitStack() as stack:
        runner, port = await listen(app, *page, None)
        stack.push_async_callback(runner.cleanup)
        opened(f"http://{page[0]}:{port}/")
        await asyncio.gather(*(network.run() for network in networks))
