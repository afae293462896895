# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""One run: a network around the configured switches, and what is measured in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from mecn_native import TcpConfig
from mecn_topo import Flow, Placement, Scenario, address_plan, paper001_gateways
from mecn_topo.virtual import build_network

from ..bench import Push
from ..errors import ExperimentError
from ..statistics import jain_index
from ..variant import variant_of
from .parameters import HEADER_BYTES
from .scenarios import point_of, profile_of

if TYPE_CHECKING:
    from typing import Any

    from mecn_native import FlowResult, NetworkResult

    from ..bench import Bench
    from ..dataset import Row
    from ..declaration import Recipe
    from ..variant import Ecn
    from .scenarios import Point

EARLY_DROP_COUNTER = "MecnIngress.admission.early_drop_stats"
TRACE_STEP_S = 0.1
"""Distance of the points of a trace that is kept, seconds."""


def scenario_of(recipe: Recipe) -> Scenario:
    """Network, profile and flows of a run, in virtual and in real time; a bursty source's pair of hosts is
    the last, and its flow is not among the flows."""
    run, shared = point_of(recipe), recipe["shared"]
    delays = [shared["access_delay_s"]] * run.senders
    if run.burst != "none":
        delays.append(shared["burst_delay_s"] if run.burst == "TCP" else shared["access_delay_s"])
    topology = paper001_gateways(
        delays,
        buffer_packets=shared["buffer"],
        bottleneck_bps=shared["bottleneck_bps"],
        bottleneck_delay_s=shared["delay_s"],
        access_bps=shared["access_bps"],
        destination_delay_s=shared["access_delay_s"],
    )
    port = address_plan(topology).port("R1", topology.link_between("R1", "R2"))
    flows = tuple(Flow(f"S{i}", f"D{i}") for i in range(1, run.senders + 1))
    return Scenario(topology, (Placement("R1", port, profile_of(recipe)),), flows, shared["packet_bytes"])


def ecn_of(recipe: Recipe) -> Ecn:
    """What the hosts speak."""
    other = variant_of(recipe)
    return other.ecn if other else "classic" if recipe["scheme"] == "ECN" else "off"


def simulate(recipe: Recipe, seed: int, bench: Bench) -> Row:
    """Simulates one run and returns its row of the data file."""
    run, shared = point_of(recipe), recipe["shared"]
    scenario = scenario_of(recipe)
    (placed,) = scenario.placements
    routes = address_plan(scenario.topology).routes
    switches = bench.switches(routes, [Push(placed.switch, placed.port, placed.profile)])
    built = build_network(scenario.topology, switches, seed=seed)
    for flow in scenario.flows:
        built.network.add_bulk_flow(
            built.nodes[flow.source],
            built.nodes[flow.sink],
            start_jitter_s=shared["start_jitter_s"],
            tcp=_tcp(recipe, shared["window_cap"]),
        )
    start_s = 0.0
    if run.burst != "none":
        start_s = shared["burst_start_s"]
        source, destination = (built.nodes[f"{kind}{run.senders + 1}"] for kind in "SD")
        if run.burst == "TCP":
            tcp = _tcp(recipe, shared["burst_window"])
            built.network.add_bulk_flow(source, destination, start_s=start_s, tcp=tcp)
        else:
            built.network.add_pareto_flow(
                source,
                destination,
                rate_bps=shared["burst_bps"],
                packet_bytes=shared["packet_bytes"],
                mean_on_s=shared["burst_on_s"],
                mean_off_s=shared["burst_off_s"],
                start_s=start_s,
            )
    built.network.watch_port(built.nodes[placed.switch], placed.port, early_drop_counter=EARLY_DROP_COUNTER)
    result = built.network.run(until_s=shared["duration_s"], warmup_s=start_s)
    for host in result.hosts:
        if host.misdelivered_frames or host.damaged_frames:
            raise ExperimentError(f"{run.scheme}, seed {seed}: {host.name} received wrong frames")
    return _row(recipe, seed, result, start_s)


def _tcp(recipe: Recipe, window: int) -> TcpConfig:
    shared = recipe["shared"]
    return TcpConfig(
        mss=shared["packet_bytes"] - HEADER_BYTES,
        ecn=ecn_of(recipe),
        window_cap=window,
        timer_granularity_s=shared["timer_granularity_s"],
        min_rto_s=shared["min_rto_s"],
        initial_window=shared["initial_window"],
        congestion_avoidance=shared["congestion_avoidance"],
    )


def _row(recipe: Recipe, seed: int, result: NetworkResult, start_s: float) -> Row:
    run, shared = point_of(recipe), recipe["shared"]
    (port,) = result.ports
    window_s: float = shared["duration_s"] - start_s
    bulk, others = result.flows[: run.senders], result.flows[run.senders :]
    goodputs = [flow.acked_bytes * 8 / window_s for flow in bulk]
    burst = _burst(run, others[0], math.fsum(goodputs), window_s, shared) if others else {}
    return {
        "seed": seed,
        "scheme": run.scheme,
        "min_th": run.min_th,
        "max_th": run.max_th,
        "senders": run.senders,
        "burst": run.burst,
        "profile": profile_of(recipe).model_dump_json(),
        "goodput_bps": math.fsum(goodputs),
        "throughput_bps": port.sent_bytes * 8 / window_s,
        "utilisation": port.utilisation,
        "delay_mean_s": result.delay.mean_s,
        "queue_mean": port.depth_mean,
        "queue_max": port.depth_max,
        "marked": port.marked_ce,
        "early_drops": port.early_drops,
        "tail_drops": port.tail_drops,
        "retransmissions": sum(flow.retransmitted_packets for flow in bulk),
        "timeouts": sum(flow.timeouts for flow in bulk),
        "jain_index": jain_index(goodputs),
        "burst_goodput_bps": None,
        "burst_share": None,
        "burst_lost": None,
        **burst,
        **history(
            np.frombuffer(port.trace_time_s, "<f8"),
            np.frombuffer(port.trace_depth, "<u4"),
            np.frombuffer(port.trace_sent_bytes, "<u8").astype("<i8"),
            shared,
            keep=seed == 1,
        ),
    }


def _burst(run: Point, flow: FlowResult, others_bps: float, window_s: float, shared: dict[str, Any]) -> Row:
    """What became of the bursty source: its goodput, its share of all goodput, the share of its packets that
    were lost."""
    if run.burst == "TCP":
        goodput = flow.acked_bytes * 8 / window_s
        lost = flow.retransmitted_packets / flow.sent_packets if flow.sent_packets else math.nan
    else:
        payload = shared["packet_bytes"] - HEADER_BYTES
        goodput = flow.datagrams_received * payload * 8 / window_s
        lost = 1 - flow.datagrams_received / flow.datagrams_sent if flow.datagrams_sent else math.nan
    total = goodput + others_bps
    return {
        "burst_goodput_bps": goodput,
        "burst_share": goodput / total if total else math.nan,
        "burst_lost": lost,
    }


def history(
    time: np.ndarray, depth: np.ndarray, sent_bytes: np.ndarray | None, shared: dict[str, Any], *, keep: bool
) -> Row:
    """What the queue's whole history says: its first peak, the lowest after it, the settled time; and points
    of it at equal distances. From its changes, or samples of it, and None if nobody counted what was sent."""
    settle = int(np.searchsorted(time, shared["settle_s"]))
    peak = int(depth[:settle].argmax())
    spans = np.diff(np.append(time, shared["duration_s"]))
    weights, settled = spans[settle:], depth[settle:].astype(float)
    mean = float(np.average(settled, weights=weights))
    row: Row = {
        "peak_s": float(time[peak]),
        "min_after_peak": int(depth[peak:].min()),
        "settled_mean": mean,
        "settled_std": math.sqrt(float(np.average((settled - mean) ** 2, weights=weights))),
        "trace_time_s": None,
        "trace_sent_bytes": None,
        "trace_qdepth": None,
        "trace_mean_qdepth": None,
    }
    if keep:
        steps = np.arange(0, shared["duration_s"] + TRACE_STEP_S / 2, TRACE_STEP_S)
        at = np.clip(np.searchsorted(time, steps, side="right") - 1, 0, None)
        area = np.concatenate(([0.0], np.cumsum(depth * spans)))[at] + depth[at] * (steps - time[at])
        row["trace_time_s"] = steps
        row["trace_sent_bytes"] = None if sent_bytes is None else sent_bytes[at]
        row["trace_qdepth"] = depth[at]
        row["trace_mean_qdepth"] = np.divide(area, steps, out=np.zeros_like(steps), where=steps > 0).astype(
            "<f4"
        )
    return row
