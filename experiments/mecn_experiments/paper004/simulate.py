# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""One run: a network around the configured switches, and what is measured in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from mecn_native import TcpConfig
from mecn_topo import Flow, Placement, address_plan, paper004_dumbbell
from mecn_topo import Scenario as NetworkScenario
from mecn_topo.virtual import build_network

from ..bench import Push
from ..errors import ExperimentError
from ..statistics import jain_index
from ..variant import variant_of
from .parameters import BOTTLENECK_BPS, HEADER_BYTES, PACKET_BYTES, PACKETS_PER_S
from .scenarios import SCENARIOS, Point, point_of, profile_of

if TYPE_CHECKING:
    from mecn_native import FlowResult, NetworkResult, Switch

    from ..bench import Bench
    from ..dataset import Row
    from ..declaration import Recipe
    from ..variant import Ecn

AVERAGE_REGISTER = "MecnEgress.marking.average.avg_qdepth"
EARLY_DROP_COUNTER = "MecnIngress.admission.early_drop_stats"
MSS = PACKET_BYTES - HEADER_BYTES
PAIRS = 5
"""Most connections of any scenario: the switches have routes for so many."""
TRACE_STEP_S = 0.02
"""Distance of the points of a trace that is kept, seconds."""
CLOSE = 2.0
"""Packets within which Theorem 1 counts as met."""


def scenario_of(recipe: Recipe) -> NetworkScenario:
    """Network, profile and flows of a run, in virtual and in real time."""
    point = point_of(recipe)
    scenario = SCENARIOS[point.scenario]
    topology = paper004_dumbbell(
        scenario.source_delays_s, buffer_packets=point.buffer, bottleneck_bps=BOTTLENECK_BPS
    )
    port = address_plan(topology).port("R1", topology.link_between("R1", "R2"))
    flows = tuple(
        Flow(
            f"S{i}",
            f"D{i}",
            start_s=1.0 if scenario.overlapping and i == 2 else 0.0,
            stop_s=point.duration_s - 1 if scenario.overlapping and i == 1 else None,
        )
        for i in range(1, len(scenario.rtts_ms) + 1)
    )
    return NetworkScenario(topology, (Placement("R1", port, profile_of(recipe)),), flows, PACKET_BYTES)


def ecn_of(recipe: Recipe) -> Ecn:
    """What the hosts speak."""
    other = variant_of(recipe)
    return other.ecn if other else "classic"


def simulate(recipe: Recipe, seed: int, bench: Bench) -> Row:
    """Simulates one run and returns its row of the data file."""
    point = point_of(recipe)
    largest = paper004_dumbbell((0.002,) * PAIRS, buffer_packets=point.buffer, bottleneck_bps=BOTTLENECK_BPS)
    scenario = scenario_of(recipe)
    (placed,) = scenario.placements
    push = Push(placed.switch, placed.port, placed.profile)
    switches = bench.switches(address_plan(largest).routes, [push])
    limit = None
    stop_s = scenario.flows[0].stop_s
    if stop_s is not None:
        # An application that stops at a certain time has handed over what TCP had sent by then: how much
        # that is, the same run says when it ends at that time.
        (first, *_) = _run(recipe, scenario, seed, switches, until_s=stop_s, warmup_s=0).flows
        limit = (first.sent_packets - first.retransmitted_packets) * MSS
    result = _run(
        recipe,
        scenario,
        seed,
        switches,
        until_s=point.duration_s,
        warmup_s=point.warmup_s,
        first_limit=limit,
    )
    for host in result.hosts:
        if host.misdelivered_frames or host.damaged_frames:
            raise ExperimentError(
                f"scenario {point.scenario}, seed {seed}: {host.name} received wrong frames"
            )
    return _row(point, recipe, seed, result)


def _run(
    recipe: Recipe,
    scenario: NetworkScenario,
    seed: int,
    switches: dict[str, Switch],
    *,
    until_s: float,
    warmup_s: float,
    first_limit: int | None = None,
) -> NetworkResult:
    point, shared = point_of(recipe), recipe["shared"]
    built = build_network(scenario.topology, switches, seed=seed)
    tcp = TcpConfig(
        mss=MSS,
        ecn=ecn_of(recipe),
        window_cap=shared["window_cap"],
        delayed_acks=shared["delayed_acks"],
        timer_granularity_s=shared["timer_granularity_s"],
        min_rto_s=shared["min_rto_s"],
        initial_window=shared["initial_window"],
        congestion_avoidance=shared["congestion_avoidance"],
        hold_at_one_segment=shared["hold_at_one_segment"],
        hold_below_one_segment=shared["hold_below_one_segment"],
        loss_cuts_window=shared["loss_cuts_window"],
    )
    for number, flow in enumerate(scenario.flows):
        built.network.add_bulk_flow(
            built.nodes[flow.source],
            built.nodes[flow.sink],
            start_s=flow.start_s,
            start_jitter_s=shared["start_jitter_s"],
            limit_bytes=first_limit if number == 0 else None,
            tcp=tcp,
            trace_cwnd=point.window,
        )
    (placed,) = scenario.placements
    built.network.watch_port(
        built.nodes[placed.switch],
        placed.port,
        average_register=AVERAGE_REGISTER,
        early_drop_counter=EARLY_DROP_COUNTER,
    )
    return built.network.run(until_s=until_s, warmup_s=warmup_s)


def identity(recipe: Recipe, seed: int) -> Row:
    """The columns that say which run it is, and those that only some runs have, empty."""
    point = point_of(recipe)
    return {
        "seed": seed,
        "family": point.family,
        "scenario": point.scenario,
        "strategy": point.strategy,
        "threshold": point.threshold,
        "weight": point.weight,
        "duration_s": point.duration_s,
        "buffer": point.buffer,
        "profile": profile_of(recipe).model_dump_json(),
        "arrivals": None,
        "arrivals_close": None,
        "trace_time_s": None,
        "trace_qdepth": None,
        "trace_avg_qdepth": None,
    }


def _row(point: Point, recipe: Recipe, seed: int, result: NetworkResult) -> Row:
    (port,) = result.ports
    window_s = point.duration_s - point.warmup_s
    acked = [flow.acked_packets for flow in result.flows]
    time = np.frombuffer(port.trace_time_s, "<f8")
    depth = np.frombuffer(port.trace_depth, "<u4")
    row: Row = {
        **identity(recipe, seed),
        "queue_max": port.depth_max,
        "queue_min": port.depth_min,
        "queue_mean": port.depth_mean,
        "peak": int(depth.max()),
        "peak_s": float(time[int(depth.argmax())]),
        "efficiency": math.fsum(acked) / (PACKETS_PER_S * window_s),
        "utilisation": port.utilisation,
        "fraction_idle": port.fraction_idle,
        "delay_mean_s": result.delay.mean_s,
        "unfairness": 1 - jain_index(acked),
        "acked_packets": acked,
        "marked": port.marked_ce,
        "tail_drops": port.tail_drops,
        "early_drops": port.early_drops,
        "retransmissions": sum(flow.retransmitted_packets for flow in result.flows),
        "timeouts": sum(flow.timeouts for flow in result.flows),
    }
    if point.window:
        row["arrivals"], row["arrivals_close"] = _against_window(point, result.flows[0], time, depth)
    if point.trace and seed == 1:
        steps = np.arange(0, point.duration_s, TRACE_STEP_S)
        at = np.clip(np.searchsorted(time, steps, side="right") - 1, 0, None)
        row["trace_time_s"] = steps
        row["trace_qdepth"] = depth[at]
        row["trace_avg_qdepth"] = np.frombuffer(port.trace_average, "<f8")[at].astype("<f4")
    return row


def _against_window(point: Point, flow: FlowResult, time: np.ndarray, depth: np.ndarray) -> tuple[int, int]:
    """Theorem 1, Q(t) = w(t - t_p) - rd: how many arrivals it speaks of, and how many meet it closely.

    It speaks of a link that has been busy for a round trip. The proof takes the window to be all
    outstanding, which it is not in the round trip after a reduction: those arrivals are left out.
    """
    delay_s = SCENARIOS[point.scenario].source_delays_s[0]
    t_p = delay_s + 8 * PACKET_BYTES / 10e6
    fixed_s = 2 * (delay_s + 0.020 + 0.004) + 8 * (PACKET_BYTES + HEADER_BYTES) * (
        2 / 10e6 + 1 / BOTTLENECK_BPS
    )
    rd = fixed_s * PACKETS_PER_S
    changes = np.frombuffer(flow.cwnd_time_s, "<f8")
    window = np.frombuffer(flow.cwnd_trace_bytes, "<u4") // MSS
    cuts = changes[1:][np.diff(window.astype(np.int64)) < 0]
    before = np.concatenate(([0], depth[:-1]))
    arrived = depth > before
    empty = time[depth == 0]
    close = total = 0
    for t, q in zip(time[arrived], depth[arrived], strict=True):
        last_empty = (
            empty[np.searchsorted(empty, t, side="right") - 1] if len(empty) and empty[0] <= t else 0.0
        )
        cut = np.searchsorted(cuts, t, side="right") - 1
        since_cut = t - cuts[cut] if cut >= 0 else math.inf
        if t - last_empty < fixed_s or since_cut < fixed_s + (q + 1) / PACKETS_PER_S:
            continue
        at = int(np.searchsorted(changes, t - t_p + 1e-9, side="right")) - 1
        if at < 0:
            continue
        total += 1
        close += abs(float(q) - (float(window[at]) - rd)) <= CLOSE
    return total, close
