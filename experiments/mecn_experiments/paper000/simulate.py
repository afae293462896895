# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Network, plan and row of a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mecn_controller.theory.adaptation import AdaptiveEcn, AdaptiveRed
from mecn_topo import Flow, Placement, Scenario, address_plan, paper000_star

from ..execute import Plan, Simulation, tcp_of
from ..statistics import jain_index
from ..variant import ecn
from .parameters import BOTTLENECK_BPS, DELAYS_S, GROUPS, PACKET_BYTES, PACKETS_PER_S, SINK_DELAY_S
from .scenarios import ADAPTIVE, Point, point_of, profile_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mecn_controller.theory.adaptation import Rule, Steerable

    from ..dataset import Row
    from ..declaration import Recipe
    from ..measured import FlowMeasures, Measured
    from ..variant import Ecn


def scenario_of(recipe: Recipe) -> Scenario:
    """Network, profile and flows of a run, in virtual and in real time."""
    point, shared = point_of(recipe), recipe["shared"]
    topology = paper000_star(
        [DELAYS_S[i % 3] for i in range(point.flows)],
        source_bps=shared["offered_bps"] // point.flows,
        buffer_packets=shared["buffer"],
        bottleneck_bps=BOTTLENECK_BPS,
    )
    port = address_plan(topology).port("R", topology.link_between("R", "D"))
    flows = tuple(
        Flow(f"S{i + 1}", "D", shared["second_half_s"] if i // 3 % 2 else 0.0) for i in range(point.flows)
    )
    return Scenario(topology, (Placement("R", port, profile_of(recipe)),), flows, PACKET_BYTES)


def ecn_of(recipe: Recipe) -> Ecn:
    """What the hosts speak."""
    return ecn(recipe, "off" if recipe["scheme"] == "RED" else "classic")


def plan_of(recipe: Recipe, _seed: int) -> Plan:
    """How a run is made."""
    point, shared = point_of(recipe), recipe["shared"]
    return Plan(
        duration_s=shared["duration_s"],
        warmup_s=shared["warmup_s"],
        start_jitter_s=shared["start_jitter_s"],
        tcp=tcp_of(shared, PACKET_BYTES, ecn_of(recipe), initial_ssthresh=shared["window_cap"]),
        rule=_rule(point) if point.scheme in ADAPTIVE else None,
    )


def _rule(point: Point) -> Callable[[Steerable], Rule]:
    """The rule that steers an adaptive scheme."""
    if point.scheme == "ARED":
        return AdaptiveRed
    # The handshake's times differ; the rule is told those of the links, shortest first as the classes are.
    rtts = tuple(2 * (delay + SINK_DELAY_S) for delay in sorted(DELAYS_S))
    return lambda profile: AdaptiveEcn(profile, PACKETS_PER_S, rtts)


def _delay(flows: Sequence[FlowMeasures]) -> float | None:
    """Mean delay of a group's packets; nan if there are none."""
    if any(flow.delay_mean_s is None for flow in flows):
        return None
    counted = [(flow.arrived or 0, flow.delay_mean_s or 0.0) for flow in flows if flow.arrived]
    count = sum(packets for packets, _ in counted)
    return math.fsum(delay * packets for packets, delay in counted) / count if count else math.nan


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """The row of the data file. The paper's goodput counts first transmissions that were delivered."""
    point, queue, flows = point_of(recipe), measured.queue, measured.flows
    groups = [flows[i :: len(GROUPS)] for i in range(len(GROUPS))]

    def by_group(measure: Callable[[FlowMeasures], float]) -> list[float]:
        return [math.fsum(map(measure, group)) * PACKET_BYTES * 8 / measured.window_s for group in groups]

    delivered = by_group(lambda flow: flow.acked_packets)
    captured = all(flow.arrived is not None and flow.first_arrived is not None for flow in flows)
    goodputs = by_group(lambda flow: float(flow.first_arrived or 0)) if captured else None
    arrived = by_group(lambda flow: float(flow.arrived or 0)) if captured else None
    return {
        "seed": seed,
        "scheme": point.scheme,
        "flows": point.flows,
        "max_p": point.max_p,
        "max_th": point.max_th,
        "profile": profile_of(recipe).model_dump_json(),
        "goodput_bps": None if goodputs is None else math.fsum(goodputs),
        "delivered_bps": math.fsum(delivered),
        "throughput_bps": None if arrived is None else math.fsum(arrived),
        "group_goodput_bps": goodputs,
        "group_delivered_bps": delivered,
        "group_throughput_bps": arrived,
        "group_delay_s": [_delay(group) for group in groups] if captured else None,
        "delay_mean_s": measured.delay and measured.delay.mean_s,
        "jain_index": jain_index([flow.acked_packets for flow in flows]),
        "locked_out": sum(flow.acked_packets == 0 for flow in flows),
        "utilisation": queue.utilisation,
        "queue_mean": queue.depth_mean,
        "marked": queue.marked_ce,
        "early_drops": queue.early_drops,
        "tail_drops": queue.tail_drops,
        "retransmissions": measured.retransmissions,
        "timeouts": measured.timeouts,
    }


simulate = Simulation(scenario=scenario_of, plan=plan_of, row=row)
