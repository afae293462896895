# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Network, plan and row of a run."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from mecn_topo import Flow, Placement, address_plan, paper004_dumbbell
from mecn_topo import Scenario as NetworkScenario

from ..execute import Plan, Simulation, Traffic, execute, tcp_of
from ..statistics import jain_index
from ..variant import ecn
from .parameters import BOTTLENECK_BPS, HEADER_BYTES, PACKET_BYTES, PACKETS_PER_S
from .scenarios import SCENARIOS, Point, point_of, profile_of

if TYPE_CHECKING:
    from ..bench import Bench
    from ..dataset import Row
    from ..declaration import Recipe
    from ..measured import History, Measured
    from ..variant import Ecn

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
    return ecn(recipe, "classic")


def plan_of(recipe: Recipe, _seed: int) -> Plan:
    """How a run is made."""
    point, shared = point_of(recipe), recipe["shared"]
    return Plan(
        duration_s=point.duration_s,
        warmup_s=point.warmup_s,
        start_jitter_s=shared["start_jitter_s"],
        tcp=tcp_of(shared, PACKET_BYTES, ecn_of(recipe)),
        traffic={0: Traffic("bulk", {"trace_cwnd": True})} if point.window else {},
        trace=True,
        routes=paper004_dumbbell(
            (0.002,) * PAIRS, buffer_packets=point.buffer, bottleneck_bps=BOTTLENECK_BPS
        ),
    )


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """The row of the data file. In a lab the largest and least queue are those of the samples."""
    point, queue, history = point_of(recipe), measured.queue, measured.history
    assert history is not None
    time, depth = history.time_s, history.depth
    acked = [flow.acked_packets for flow in measured.flows]
    arrivals = _against_window(point, measured, history) if point.window else (None, None)
    row: Row = {
        "seed": seed,
        "family": point.family,
        "scenario": point.scenario,
        "strategy": point.strategy,
        "threshold": point.threshold,
        "weight": point.weight,
        "duration_s": point.duration_s,
        "buffer": point.buffer,
        "profile": profile_of(recipe).model_dump_json(),
        "queue_max": queue.depth_max,
        "queue_min": queue.depth_min,
        "queue_mean": queue.depth_mean,
        "peak": int(depth.max()),
        "peak_s": float(time[int(depth.argmax())]),
        "efficiency": math.fsum(acked) / (PACKETS_PER_S * measured.window_s),
        "utilisation": queue.utilisation,
        "fraction_idle": queue.fraction_idle,
        "delay_mean_s": measured.delay and measured.delay.mean_s,
        "unfairness": 1 - jain_index(acked),
        "acked_packets": acked,
        "marked": queue.marked_ce,
        "tail_drops": queue.tail_drops,
        "early_drops": queue.early_drops,
        "retransmissions": measured.retransmissions,
        "timeouts": measured.timeouts,
        "arrivals": arrivals[0],
        "arrivals_close": arrivals[1],
        **dict.fromkeys(("trace_time_s", "trace_qdepth", "trace_avg_qdepth")),
    }
    if point.trace and seed == 1:
        steps = np.arange(0, point.duration_s, TRACE_STEP_S)
        at = history.at(steps)
        row["trace_time_s"] = steps
        row["trace_qdepth"] = depth[at]
        row["trace_avg_qdepth"] = history.average[at].astype("<f4")
    return row


NETWORK = Simulation(scenario=scenario_of, plan=plan_of, row=row)


def simulate(recipe: Recipe, seed: int, bench: Bench) -> Row:
    """Simulates one run and returns its row of the data file.

    An application that stops at a certain time has handed over what TCP had sent by then: how much that is,
    the same run says when it ends at that time.
    """
    scenario, plan = scenario_of(recipe), plan_of(recipe, seed)
    stop_s = scenario.flows[0].stop_s
    if stop_s is not None:
        flows = tuple(replace(flow, stop_s=None) for flow in scenario.flows)
        scenario = replace(scenario, flows=flows)
        short = replace(plan, duration_s=stop_s, warmup_s=0.0, trace=False)
        first = execute(scenario, short, seed, bench).flows[0]
        assert first.sent_data is not None
        limit = (first.sent_data - first.retransmissions) * plan.tcp["mss"]
        plan = replace(plan, traffic={0: Traffic("bulk", {"limit_bytes": limit})})
    return row(recipe, seed, execute(scenario, plan, seed, bench))


def _against_window(point: Point, measured: Measured, history: History) -> tuple[int, int]:
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
    assert measured.flows[0].window is not None
    changes, packets = measured.flows[0].window
    window = np.floor(packets)
    cuts = changes[1:][np.diff(window) < 0]
    time, depth = history.time_s, history.depth
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
