# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Network, plan and row of a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from mecn_topo import Flow, Placement, Scenario, address_plan, paper001_gateways

from ..execute import Plan, Simulation, Traffic, tcp_of
from ..measured import HEADER_BYTES
from ..statistics import jain_index
from ..variant import ecn
from .scenarios import point_of, profile_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..dataset import Row
    from ..declaration import Recipe
    from ..measured import FlowMeasures, History, Measured
    from ..variant import Ecn
    from .scenarios import Point

TRACE_STEP_S = 0.1
"""Distance of the points of a trace that is kept, seconds."""


def scenario_of(recipe: Recipe) -> Scenario:
    """Network, profile and flows of a run, in virtual and in real time; a bursty source comes last."""
    run, shared = point_of(recipe), recipe["shared"]
    delays = [shared["access_delay_s"]] * run.senders
    flows = [Flow(f"S{i}", f"D{i}") for i in range(1, run.senders + 1)]
    if run.burst != "none":
        delays.append(shared["burst_delay_s"] if run.burst == "TCP" else shared["access_delay_s"])
        flows.append(Flow(f"S{len(delays)}", f"D{len(delays)}", shared["burst_start_s"]))
    topology = paper001_gateways(
        delays,
        buffer_packets=shared["buffer"],
        bottleneck_bps=shared["bottleneck_bps"],
        bottleneck_delay_s=shared["delay_s"],
        access_bps=shared["access_bps"],
        destination_delay_s=shared["access_delay_s"],
    )
    port = address_plan(topology).port("R1", topology.link_between("R1", "R2"))
    placed = Placement("R1", port, profile_of(recipe))
    return Scenario(topology, (placed,), tuple(flows), shared["packet_bytes"])


def ecn_of(recipe: Recipe) -> Ecn:
    """What the hosts speak."""
    return ecn(recipe, "classic" if recipe["scheme"] == "ECN" else "off")


def plan_of(recipe: Recipe, _seed: int) -> Plan:
    """How a run is made; with a bursty source it is measured from that one's start on."""
    run, shared = point_of(recipe), recipe["shared"]
    bursty = {run.senders: _bursty(run, shared)} if run.burst != "none" else {}
    return Plan(
        duration_s=shared["duration_s"],
        warmup_s=shared["burst_start_s"] if bursty else 0.0,
        start_jitter_s=shared["start_jitter_s"],
        tcp=tcp_of(shared, shared["packet_bytes"], ecn_of(recipe)),
        traffic=bursty,
        trace=True,
    )


def _bursty(run: Point, shared: dict[str, Any]) -> Traffic:
    if run.burst == "TCP":
        return Traffic("bulk", {"start_jitter_s": 0.0}, {"window_cap": shared["burst_window"]})
    pareto = {
        "start_jitter_s": 0.0,
        "rate_bps": shared["burst_bps"],
        "packet_bytes": shared["packet_bytes"],
        "mean_on_s": shared["burst_on_s"],
        "mean_off_s": shared["burst_off_s"],
    }
    return Traffic("pareto", pareto, tcp=None)


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """The row of the data file; counts are those of the bulk transfers."""
    run, shared, queue = point_of(recipe), recipe["shared"], measured.queue
    bulk, others = measured.flows[: run.senders], measured.flows[run.senders :]
    goodputs = [flow.acked_bytes * 8 / measured.window_s for flow in bulk]
    assert measured.history is not None
    return {
        "seed": seed,
        "scheme": run.scheme,
        "min_th": run.min_th,
        "max_th": run.max_th,
        "senders": run.senders,
        "burst": run.burst,
        "profile": profile_of(recipe).model_dump_json(),
        "goodput_bps": math.fsum(goodputs),
        "throughput_bps": None if queue.sent_bytes is None else queue.sent_bytes * 8 / measured.window_s,
        "utilisation": queue.utilisation,
        "delay_mean_s": measured.delay and measured.delay.mean_s,
        "queue_mean": queue.depth_mean,
        "queue_max": queue.depth_max,
        "marked": queue.marked_ce,
        "early_drops": queue.early_drops,
        "tail_drops": queue.tail_drops,
        "retransmissions": sum(flow.retransmissions for flow in bulk),
        "timeouts": sum(flow.timeouts for flow in bulk),
        "jain_index": jain_index(goodputs),
        **_burst(run, others, math.fsum(goodputs), measured.window_s, shared),
        **_history(measured.history, shared, keep=seed == 1),
    }


def _burst(
    run: Point, flows: Sequence[FlowMeasures], others_bps: float, window_s: float, shared: dict[str, Any]
) -> Row:
    """What became of the bursty source: its goodput, its share of all goodput, the share of its packets that
    were lost."""
    if not flows:
        return {"burst_goodput_bps": None, "burst_share": None, "burst_lost": None}
    (flow,) = flows
    if run.burst == "TCP":
        goodput = flow.acked_bytes * 8 / window_s
        lost = flow.retransmissions / flow.sent_data if flow.sent_data else math.nan
    else:
        payload, received = shared["packet_bytes"] - HEADER_BYTES, flow.received or 0
        goodput = received * payload * 8 / window_s
        lost = 1 - received / flow.sent if flow.sent else math.nan
    total = goodput + others_bps
    return {
        "burst_goodput_bps": goodput,
        "burst_share": goodput / total if total else math.nan,
        "burst_lost": lost,
    }


def _history(history: History, shared: dict[str, Any], *, keep: bool) -> Row:
    """What the queue's whole history says: its first peak, the lowest after it, the settled time; and points
    of it at equal distances."""
    time, depth, sent_bytes = history.time_s, history.depth, history.sent_bytes
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
        **dict.fromkeys(("trace_time_s", "trace_sent_bytes", "trace_qdepth", "trace_mean_qdepth")),
    }
    if keep:
        steps = np.arange(0, shared["duration_s"] + TRACE_STEP_S / 2, TRACE_STEP_S)
        at = history.at(steps)
        area = np.concatenate(([0.0], np.cumsum(depth * spans)))[at] + depth[at] * (steps - time[at])
        row["trace_time_s"] = steps
        row["trace_sent_bytes"] = None if sent_bytes is None else sent_bytes[at]
        row["trace_qdepth"] = depth[at]
        row["trace_mean_qdepth"] = np.divide(area, steps, out=np.zeros_like(steps), where=steps > 0).astype(
            "<f4"
        )
    return row


simulate = Simulation(scenario=scenario_of, plan=plan_of, row=row)
