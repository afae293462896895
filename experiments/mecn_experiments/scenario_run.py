# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a topology description in virtual time: what `mecn lab run FILE.yaml` does in real time.

The recording has the lab's form, so that data files and pictures are the same; statistics of the queue are
exact here, not of samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mecn_controller import names
from mecn_controller.names import Level
from mecn_controller.profile import Mecn
from mecn_native import NetworkError, TcpConfig
from mecn_topo import address_plan
from mecn_topo.lab import Plan, Recording
from mecn_topo.lab.measure import AVERAGE_ONE, REGISTER_ROW, FlowSeries, QueueState
from mecn_topo.lab.run import FLOWS_S, SAMPLE_S
from mecn_topo.virtual import build_network

from .bench import Push
from .errors import ExperimentError
from .lab.results import FlowMeasures, Measured, link_of, trace
from .measures import measures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mecn_native import Flow, NetworkResult, NetworkSession, Node
    from mecn_topo import Scenario
    from mecn_topo.virtual import VirtualNetwork

    from .bench import Bench
    from .dataset import Row

HEADER_BYTES = 40
"""IPv4 and TCP without options."""
STEP_S = SAMPLE_S
LEVELS = 4

Ecn = Literal["off", "classic", "multilevel"]


@dataclass(frozen=True)
class VirtualPlan:
    """How long, and what the hosts' TCP is."""

    duration_s: float
    warmup_s: float = 0.0
    start_jitter_s: float = 0.0
    """Flows start at random within this time."""
    ecn: Ecn = "multilevel"
    tcp: Mapping[str, Any] = field(default_factory=dict)
    """More of the arguments of TcpConfig."""

    def tcp_config(self, mtu: int) -> TcpConfig:
        """As near to the papers' as a lab's hosts are. Raises ExperimentError for what TCP cannot be."""
        settings: dict[str, Any] = {
            "mss": mtu - HEADER_BYTES,
            "ecn": self.ecn,
            "initial_window": 1,
            "loss_recovery": "newreno",
            "hold_at_one_segment": False,
            **self.tcp,
        }
        try:
            return TcpConfig(**settings)
        except (NetworkError, TypeError, OverflowError) as error:
            raise ExperimentError(f"the hosts' TCP: {error}") from None


def ecn_for(scenario: Scenario) -> Ecn:
    """Multi-level ECN if a queue has such a profile, else classic ECN."""
    multi_level = any(isinstance(placed.profile, Mecn) for placed in scenario.placements)
    return "multilevel" if multi_level else "classic"


def run(scenario: Scenario, plan: VirtualPlan, seed: int, bench: Bench) -> Measured:
    """One run. Raises ExperimentError where the scenario cannot be run or a setting is wrong."""
    if not scenario.placements:
        raise ExperimentError("nothing to watch: the topology names no profile for any queue")
    if not scenario.flows:
        raise ExperimentError("no flows: the topology has fewer than two hosts")
    pushes = [Push(placed.switch, placed.port, placed.profile) for placed in scenario.placements]
    switches = bench.switches(address_plan(scenario.topology).routes, pushes)
    try:
        return _Run(scenario, plan, seed, build_network(scenario.topology, switches, seed=seed)).whole()
    except NetworkError as error:
        raise ExperimentError(f"{scenario.topology.name}: {error}") from None


class _Run:
    def __init__(self, scenario: Scenario, plan: VirtualPlan, seed: int, built: VirtualNetwork) -> None:
        self.scenario, self.plan, self.built = scenario, plan, built
        self.watched = scenario.placements[0]
        self.node: Node = built.nodes[self.watched.switch]
        tcp = plan.tcp_config(scenario.mtu)
        self.flows: list[Flow] = [
            built.network.add_bulk_flow(
                built.nodes[flow.source],
                built.nodes[flow.sink],
                start_s=flow.start_s,
                start_jitter_s=plan.start_jitter_s,
                stop_s=flow.stop_s,
                tcp=tcp,
            )
            for flow in scenario.flows
        ]
        built.network.watch_port(
            self.node,
            self.watched.port,
            average_register=names.AVERAGE_REGISTER,
            early_drop_counter=names.EARLY_DROP_STATS,
            trace=False,
        )
        lab_plan = Plan(plan.duration_s, plan.warmup_s, plan.start_jitter_s, seed)
        series = [FlowSeries(flow, number) for number, flow in enumerate(scenario.flows)]
        self.recording = Recording(lab_plan, flows=series)

    def whole(self) -> Measured:
        plan, recording = self.plan, self.recording
        session = self.built.network.start(until_s=plan.duration_s, warmup_s=plan.warmup_s)
        every = round(FLOWS_S / STEP_S)
        steps = math.ceil(plan.duration_s / STEP_S)
        for step in range(steps + 1):
            now = min(step * STEP_S, plan.duration_s)
            session.run_until(now)
            recording.time_s.append(now)
            recording.states.append(self._queue(session))
            if step % every == 0 or step == steps:
                self._look_at_flows(session, now)
                self._look_at_marks(session, now)
        result = session.finish()
        self._check(result)
        flows = [
            FlowMeasures(of.acked_packets, of.retransmitted_packets, of.timeouts, sent=of.sent_packets)
            for of in result.flows
        ]
        lateness = {"p99": 0.0, "max": 0.0}
        return Measured(self.scenario, recording, self._row(result), flows, {}, lateness)

    def _queue(self, session: NetworkSession) -> QueueState:
        stats = session.port_stats(self.node, self.watched.port)
        index = self.watched.port * REGISTER_ROW
        return QueueState(
            depth=stats.depth_packets,
            average=session.register_read(self.node, names.AVERAGE_REGISTER, index) / AVERAGE_ONE,
            tx_packets=stats.sent,
            tx_bytes=stats.sent_bytes,
            tail_drops=stats.tail_drops,
        )

    def _look_at_flows(self, session: NetworkSession, now: float) -> None:
        mss = self.scenario.mtu - HEADER_BYTES
        for series, flow in zip(self.recording.flows, self.flows, strict=True):
            sender = session.sender(flow)
            if sender.cwnd_bytes == 0:
                continue
            series.time_s.append(now)
            series.cwnd.append(sender.cwnd_bytes / mss)
            series.srtt_s.append(0.0 if math.isnan(sender.srtt_s) else sender.srtt_s)
            series.bytes_acked.append(sender.acked_bytes)
            series.retransmissions.append(sender.retransmitted_packets)

    def _look_at_marks(self, session: NetworkSession, now: float) -> None:
        port, marks = self.watched.port, self.recording.marks

        def left(level: Level) -> int:
            return session.counter_read(self.node, names.MARKING_STATS, port * LEVELS + level)[0]

        marks.time_s.append(now)
        marks.passed.append(left(Level.PASSED))
        marks.incipient.append(left(Level.INCIPIENT))
        marks.ce.append(left(Level.CE))
        marks.early_drops.append(session.counter_read(self.node, names.EARLY_DROP_STATS, port)[0])

    def _check(self, result: NetworkResult) -> None:
        """Refuses a result that only a mistake in routes or headers can have produced."""
        for host in result.hosts:
            if host.misdelivered_frames or host.damaged_frames:
                raise ExperimentError(
                    f"{host.name} received {host.misdelivered_frames} misdelivered and"
                    f" {host.damaged_frames} damaged frames"
                )

    def _row(self, result: NetworkResult) -> Row:
        link = link_of(self.scenario, self.watched.switch, self.watched.port)
        found = measures(
            result,
            result.ports[0],
            rate_bps=link.rate_bps,
            mtu=self.scenario.mtu,
            window_s=self.plan.duration_s - self.plan.warmup_s,
        )
        for key, value in found.items():
            if isinstance(value, float) and math.isnan(value):
                found[key] = None
        return {**found, **trace(self.recording)}
