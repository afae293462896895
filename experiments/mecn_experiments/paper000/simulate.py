# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""One run: a network around the configured switches, and what is measured in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mecn_controller.adapt import AdaptiveEcn, AdaptiveRed, probabilities, steerable
from mecn_controller.applying import Assignment
from mecn_controller.steering import Steering
from mecn_controller.targets.virtual import VirtualSwitch, run_steered
from mecn_native import TcpConfig
from mecn_topo import Flow, Placement, Scenario, address_plan, paper000_star
from mecn_topo.virtual import build_network

from ..bench import Push
from ..errors import ExperimentError
from ..statistics import jain_index
from ..variant import variant_of
from .parameters import (
    BOTTLENECK_BPS,
    DELAYS_S,
    GROUPS,
    HEADER_BYTES,
    PACKET_BYTES,
    PACKETS_PER_S,
    SINK_DELAY_S,
)
from .scenarios import ADAPTIVE, Point, point_of, profile_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mecn_controller.adapt import Rule, Steerable
    from mecn_native import FlowResult, NetworkResult

    from ..bench import Bench
    from ..dataset import Row
    from ..declaration import Recipe
    from ..variant import Ecn

AVERAGE_REGISTER = "MecnEgress.marking.average.avg_qdepth"
EARLY_DROP_COUNTER = "MecnIngress.admission.early_drop_stats"


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
    other = variant_of(recipe)
    return other.ecn if other else "off" if recipe["scheme"] == "RED" else "classic"


def simulate(recipe: Recipe, seed: int, bench: Bench) -> Row:
    """Simulates one run and returns its row of the data file."""
    result, _ = run(recipe, seed, bench)
    return _row(recipe, seed, result)


def run(recipe: Recipe, seed: int, bench: Bench) -> tuple[NetworkResult, tuple[float, ...]]:
    """Simulates one run: what the network measured, and max_p at the end, of the curve for all and of
    each class of round-trip times; nothing for a scheme that is not steered."""
    point, shared = point_of(recipe), recipe["shared"]
    steered: tuple[float, ...] = ()
    scenario = scenario_of(recipe)
    (placed,) = scenario.placements
    routes = address_plan(scenario.topology).routes
    switches = bench.switches(routes, [Push(placed.switch, placed.port, placed.profile)])
    built = build_network(scenario.topology, switches, seed=seed)
    tcp = TcpConfig(
        mss=PACKET_BYTES - HEADER_BYTES,
        ecn=ecn_of(recipe),
        window_cap=shared["window_cap"],
        timer_granularity_s=shared["timer_granularity_s"],
        min_rto_s=shared["min_rto_s"],
        initial_window=shared["initial_window"],
        initial_ssthresh=shared["window_cap"],
        congestion_avoidance=shared["congestion_avoidance"],
        hold_at_one_segment=shared["hold_at_one_segment"],
        hold_below_one_segment=shared["hold_below_one_segment"],
        loss_cuts_window=shared["loss_cuts_window"],
    )
    for flow in scenario.flows:
        built.network.add_bulk_flow(
            built.nodes[flow.source],
            built.nodes[flow.sink],
            start_s=flow.start_s,
            start_jitter_s=shared["start_jitter_s"],
            tcp=tcp,
        )
    built.network.watch_port(
        built.nodes[placed.switch],
        placed.port,
        average_register=AVERAGE_REGISTER,
        early_drop_counter=EARLY_DROP_COUNTER,
        trace=False,
    )
    times = {"until_s": shared["duration_s"], "warmup_s": shared["warmup_s"]}
    if point.scheme in ADAPTIVE:
        session = built.network.start(**times)
        switch = VirtualSwitch(session, built.nodes["R"], switches["R"])
        steering = Steering([(Assignment(placed.profile, placed.port), _rule(point))])
        result = run_steered(session, switch, steering, until_s=shared["duration_s"])
        steered = probabilities(steerable(steering.wanted[0].profile))
    else:
        result = built.network.run(**times)
    for host in result.hosts:
        if host.misdelivered_frames or host.damaged_frames:
            raise ExperimentError(
                f"{point.scheme}, {point.flows} flows, seed {seed}: {host.name} received wrong frames"
            )
    return result, steered


def _rule(point: Point) -> Callable[[Steerable], Rule]:
    """The rule that steers an adaptive scheme."""
    if point.scheme == "ARED":
        return AdaptiveRed
    # The handshake's times differ; the rule is told those of the links, shortest first as the classes are.
    rtts = tuple(2 * (delay + SINK_DELAY_S) for delay in sorted(DELAYS_S))
    return lambda profile: AdaptiveEcn(profile, PACKETS_PER_S, rtts)


def _first_time(flow: FlowResult) -> float:
    """The paper's goodput, in packets: those that were acknowledged without having been sent again.

    Every retransmission is taken for one of a packet that is then not counted.
    """
    return max(0.0, flow.acked_packets - flow.retransmitted_packets)


def _row(recipe: Recipe, seed: int, result: NetworkResult) -> Row:
    point, shared = point_of(recipe), recipe["shared"]
    (port,) = result.ports
    window_s: float = shared["duration_s"] - shared["warmup_s"]
    groups = [result.flows[i :: len(GROUPS)] for i in range(len(GROUPS))]

    def rate(packets: float) -> float:
        return packets * PACKET_BYTES * 8 / window_s

    def by_group(measure: Callable[[FlowResult], float]) -> list[float]:
        return [rate(math.fsum(measure(flow) for flow in flows)) for flows in groups]

    delays = []
    for flows in groups:
        count = sum(flow.delay.count for flow in flows)
        total = math.fsum(flow.delay.mean_s * flow.delay.count for flow in flows if flow.delay.count)
        delays.append(total / count if count else math.nan)
    goodputs, delivered = by_group(_first_time), by_group(lambda flow: flow.acked_packets)
    arrived = by_group(lambda flow: float(flow.delay.count))
    return {
        "seed": seed,
        "scheme": point.scheme,
        "flows": point.flows,
        "max_p": point.max_p,
        "max_th": point.max_th,
        "profile": profile_of(recipe).model_dump_json(),
        "goodput_bps": math.fsum(goodputs),
        "delivered_bps": math.fsum(delivered),
        "throughput_bps": math.fsum(arrived),
        "group_goodput_bps": goodputs,
        "group_delivered_bps": delivered,
        "group_throughput_bps": arrived,
        "group_delay_s": delays,
        "delay_mean_s": result.delay.mean_s,
        "jain_index": jain_index([flow.acked_packets for flow in result.flows]),
        "locked_out": sum(flow.acked_packets == 0 for flow in result.flows),
        "utilisation": port.utilisation,
        "queue_mean": port.depth_mean,
        "marked": port.marked_ce,
        "early_drops": port.early_drops,
        "tail_drops": port.tail_drops,
        "retransmissions": sum(flow.retransmitted_packets for flow in result.flows),
        "timeouts": sum(flow.timeouts for flow in result.flows),
    }
