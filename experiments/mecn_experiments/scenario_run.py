# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a topology description in virtual time: what `mecn lab run FILE.yaml` does in real time.

The recording has the lab's form, so that data files and pictures are the same; statistics of the queue are
exact here, not of samples.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.names import Level
from mecn_controller.policy.profile import Mecn
from mecn_native import NetworkError
from mecn_topo.lab import Plan as LabPlan
from mecn_topo.lab import Recording
from mecn_topo.lab.measure import AVERAGE_ONE, REGISTER_ROW, FlowSeries, QueueState
from mecn_topo.lab.run import FLOWS_S, SAMPLE_S

from .errors import ExperimentError
from .execute import Plan, check, measured_of, prepare, tcp_of
from .lab.results import Recorded, link_of, trace
from .measured import HEADER_BYTES, measures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mecn_native import NetworkSession
    from mecn_topo import Scenario

    from .bench import Bench
    from .dataset import Row
    from .execute import Prepared
    from .measured import Measured
    from .variant import Ecn

STEP_S = SAMPLE_S
LEVELS = 4
USUAL_TCP = {"initial_window": 1, "loss_recovery": "newreno", "hold_at_one_segment": False}
"""As near to the papers' as a lab's hosts are."""


def plan_for(
    scenario: Scenario,
    duration_s: float,
    *,
    ecn: Ecn,
    warmup_s: float = 0.0,
    start_jitter_s: float = 0.0,
    tcp: Mapping[str, object] | None = None,
) -> Plan:
    """tcp: more of the arguments of TcpConfig. Raises ExperimentError for what TCP cannot be."""
    plan = Plan(
        duration_s=duration_s,
        warmup_s=warmup_s,
        start_jitter_s=start_jitter_s,
        tcp=tcp_of({}, scenario.mtu, ecn, **USUAL_TCP) | dict(tcp or {}),
    )
    plan.tcp_config()
    return plan


def ecn_for(scenario: Scenario) -> Ecn:
    """Multi-level ECN if a queue has such a profile, else classic ECN."""
    multi_level = any(isinstance(placed.profile, Mecn) for placed in scenario.placements)
    return "multilevel" if multi_level else "classic"


def run(scenario: Scenario, plan: Plan, seed: int, bench: Bench) -> Recorded:
    """One run. Raises ExperimentError where the scenario cannot be run or a setting is wrong."""
    if not scenario.placements:
        raise ExperimentError("nothing to watch: the topology names no profile for any queue")
    if not scenario.flows:
        raise ExperimentError("no flows: the topology has fewer than two hosts")
    try:
        return _Run(scenario, plan, seed, prepare(scenario, plan, seed, bench)).whole()
    except NetworkError as error:
        raise ExperimentError(f"{scenario.topology.name}: {error}") from None


class _Run:
    def __init__(self, scenario: Scenario, plan: Plan, seed: int, ready: Prepared) -> None:
        self.scenario, self.plan, self.seed = scenario, plan, seed
        self.built, self.flows = ready.built, ready.flows
        self.watched = scenario.placements[0]
        self.node = self.built.nodes[self.watched.switch]
        lab_plan = LabPlan(plan.duration_s, plan.warmup_s, plan.start_jitter_s, seed)
        series = [FlowSeries(flow, number) for number, flow in enumerate(scenario.flows)]
        self.recording = Recording(lab_plan, flows=series)

    def whole(self) -> Recorded:
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
        check(self.scenario, plan, result, self.seed)
        measured = measured_of(plan, result)
        lateness = {"p99": 0.0, "max": 0.0}
        return Recorded(self.scenario, recording, measured, self._row(measured), {}, lateness)

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

    def _row(self, measured: Measured) -> Row:
        link = link_of(self.scenario, self.watched.switch, self.watched.port)
        found = measures(measured, rate_bps=link.rate_bps, mtu=self.scenario.mtu)
        for key, value in found.items():
            if isinstance(value, float) and math.isnan(value):
                found[key] = None
        return {**found, **trace(self.recording)}
