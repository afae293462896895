# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""One run: a network around the configured switches, and what is measured in it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
from mecn_native import TcpConfig
from mecn_topo import Flow, Placement, Scenario, address_plan, paper002_dumbbell
from mecn_topo.virtual import build_network

from ..bench import Push
from ..errors import ExperimentError
from ..variant import variant_of
from .parameters import (
    HEADER_BYTES,
    MAX_PAIRS,
    PACKET_BYTES,
    PAGE_BYTES,
    UDP_BPS,
    UDP_BYTES,
)
from .scenarios import ECN, buffer_packets, point_of, profile_of

if TYPE_CHECKING:
    from mecn_native import FlowResult, NetworkResult, Node
    from mecn_topo.virtual import VirtualNetwork

    from ..bench import Bench
    from ..dataset import Row
    from ..declaration import Recipe
    from ..variant import Ecn
    from .scenarios import Point

AVERAGE_REGISTER = "MecnEgress.marking.average.avg_qdepth"
EARLY_DROP_COUNTER = "MecnIngress.admission.early_drop_stats"
MSS = PACKET_BYTES - HEADER_BYTES
SOURCE_DELAY_S = DESTINATION_DELAY_S = 0.001
"""Delay of the 10 Mbps links (section IV-A)."""
BOTTLENECK_PORT = 1
CWND_WINDOW_S = 40.0
"""How much of the congestion windows is kept, from the end of the warm-up on."""


def classes_of(point: Point) -> list[str]:
    """The class of each flow, in order."""
    return (
        ["ftp"] * point.ftp
        + ["web"] * point.web
        + ["telnet"] * point.telnet
        + ["udp"] * point.udp_flows
        + ["back-ftp"] * point.back_ftp
        + ["back-web"] * point.back_web
    )


def round_trips_s(recipe: Recipe) -> list[float]:
    """Two-way propagation delay of each flow."""
    point = point_of(recipe)
    usual = 2 * (recipe["delay_ms"] / 1e3 + SOURCE_DELAY_S + DESTINATION_DELAY_S)
    dealt = [
        point.round_trips_ms[i % len(point.round_trips_ms)] / 1e3 if point.round_trips_ms else usual
        for i in range(point.ftp + point.web)
    ]
    return dealt + [usual] * (point.pairs - len(dealt))


def scenario_of(recipe: Recipe) -> Scenario:
    """Network, profiles and flows of a run, of whatever class, in virtual and in real time."""
    trips, profile = round_trips_s(recipe), profile_of(recipe)
    topology = paper002_dumbbell(
        [round(max(0.0, trip / 2 - recipe["delay_ms"] / 1e3 - DESTINATION_DELAY_S), 9) for trip in trips],
        buffer_packets=buffer_packets(recipe),
        bottleneck_bps=recipe["rate_bps"],
        bottleneck_delay_s=recipe["delay_ms"] / 1e3,
        destination_delay_s=DESTINATION_DELAY_S,
    )
    flows = []
    for number, kind in enumerate(classes_of(point_of(recipe)), start=1):
        ends = (f"S{number}", f"D{number}")
        flows.append(Flow(*(reversed(ends) if kind.startswith("back-") else ends)))
    placements = tuple(Placement(name, BOTTLENECK_PORT, profile) for name in ("R1", "R2"))
    return Scenario(topology, placements, tuple(flows), PACKET_BYTES)


def simulate(recipe: Recipe, seed: int, bench: Bench) -> Row:
    """Simulates one run and returns its row of the data file."""
    return _row(recipe, seed, run(recipe, seed, bench))


def run(recipe: Recipe, seed: int, bench: Bench, *, trace_queues: bool = False) -> NetworkResult:
    """Simulates one run; with traces of both queues and their averages, if wanted."""
    point, scenario = point_of(recipe), scenario_of(recipe)
    # Routes for all pairs that any run has: the switches are then set up once for each profile.
    largest = paper002_dumbbell([SOURCE_DELAY_S] * MAX_PAIRS, buffer_packets=1)
    switches = bench.switches(
        address_plan(largest).routes, [Push(of.switch, of.port, of.profile) for of in scenario.placements]
    )
    built = build_network(scenario.topology, switches, seed=seed)
    _add_flows(built, scenario, recipe, trace=point.trace and seed == 1)
    for of in scenario.placements:
        built.network.watch_port(
            built.nodes[of.switch],
            of.port,
            average_register=AVERAGE_REGISTER if trace_queues else None,
            early_drop_counter=EARLY_DROP_COUNTER,
            trace=trace_queues,
        )
    shared = recipe["shared"]
    result = built.network.run(until_s=shared["duration_s"], warmup_s=shared["warmup_s"])
    for host in result.hosts:
        if host.misdelivered_frames or host.damaged_frames:
            raise ExperimentError(f"{point.scheme}, seed {seed}: {host.name} received wrong frames")
    return result


def _tcp(recipe: Recipe, *, ecn: bool) -> TcpConfig:
    shared, other = recipe["shared"], variant_of(recipe)
    return TcpConfig(
        mss=MSS,
        ecn=other.ecn if other else "classic" if ecn else "off",
        window_cap=shared["window_cap"],
        delayed_acks=recipe["delayed_acks"],
        timer_granularity_s=shared["timer_granularity_s"],
        min_rto_s=shared["min_rto_s"],
        initial_window=shared["initial_window"],
        congestion_avoidance=shared["congestion_avoidance"],
        hold_at_one_segment=shared["hold_at_one_segment"],
        loss_recovery="sack" if recipe["sack"] else "reno",
        processing_time_s=shared["processing"] * 8 * PACKET_BYTES / recipe["rate_bps"],
    )


def speaks_ecn(point: Point, number: int) -> bool:
    """Whether the flow of this number is ECN-capable."""
    return point.scheme in ECN and not (point.mixed and number % 2)


def ecn_of(recipe: Recipe) -> Ecn:
    """What the hosts speak, but for those of mixed runs that :func:`speaks_ecn` leaves out."""
    other = variant_of(recipe)
    return other.ecn if other else "classic" if recipe["scheme"] in ECN else "off"


def _add_flows(built: VirtualNetwork, scenario: Scenario, recipe: Recipe, *, trace: bool) -> None:
    point, shared, network = point_of(recipe), recipe["shared"], built.network
    jitter = shared["start_jitter_s"]
    configs = {ecn: _tcp(recipe, ecn=ecn) for ecn in (False, True)}
    for number, kind in enumerate(classes_of(point)):
        flow = scenario.flows[number]
        ends: tuple[Node, Node] = (built.nodes[flow.source], built.nodes[flow.sink])
        tcp = configs[speaks_ecn(point, number)]
        match kind.removeprefix("back-"):
            case "ftp":
                network.add_bulk_flow(*ends, start_jitter_s=jitter, tcp=tcp, trace_cwnd=trace)
            case "web":
                network.add_web_flow(
                    *ends,
                    start_jitter_s=jitter,
                    tcp=tcp,
                    page_bytes=PAGE_BYTES,
                    think_s=tuple(shared["think_s"]),
                )
            case "telnet":
                network.add_telnet_flow(*ends, start_jitter_s=jitter, tcp=tcp)
            case _ if point.udp == "on-off":
                network.add_pareto_flow(
                    *ends, rate_bps=UDP_BPS, packet_bytes=UDP_BYTES, start_jitter_s=jitter
                )
            case _:
                network.add_cbr_flow(
                    *ends,
                    rate_bps=UDP_BPS,
                    packet_bytes=UDP_BYTES,
                    spacing="fixed" if point.udp == "cbr-fixed" else "random",
                    start_jitter_s=jitter,
                )


def _loss(flow: FlowResult, *, udp: bool) -> float:
    """Share of the packets from sender to receiver that were lost. What is in flight at an end of the window
    makes it inexact by a few packets, hence not below 0."""
    sent = flow.datagrams_sent if udp else flow.sent_segments
    received = flow.datagrams_received if udp else flow.received_segments
    return max(0.0, 1 - received / sent) if sent else 0.0


def _row(recipe: Recipe, seed: int, result: NetworkResult) -> Row:
    point, shared = point_of(recipe), recipe["shared"]
    forward, back = result.ports
    window_s: float = shared["duration_s"] - shared["warmup_s"]
    kinds = classes_of(point)

    def rate(flow: FlowResult, seconds: float) -> float:
        return flow.acked_packets * PACKET_BYTES * 8 / seconds if seconds > 0 else 0.0

    def goodput(flow: FlowResult, kind: str) -> float:
        if kind == "udp":
            return flow.datagrams_received * UDP_BYTES * 8 / window_s
        return rate(flow, window_s)

    paired = list(zip(result.flows, kinds, strict=True))
    row: Row = asdict(point)
    return row | {
        "round_trips_ms": list(point.round_trips_ms),
        "seed": seed,
        "buffer_packets": buffer_packets(recipe),
        "profile": profile_of(recipe).model_dump_json(),
        "flow_class": kinds,
        "flow_ecn": [flow.ecn_negotiated for flow in result.flows],
        "flow_round_trip_s": round_trips_s(recipe),
        "flow_goodput_bps": [goodput(flow, kind) for flow, kind in paired],
        "flow_transfer_bps": [
            rate(flow, flow.web_active_s) if kind.endswith("web") else goodput(flow, kind)
            for flow, kind in paired
        ],
        "flow_loss": [_loss(flow, udp=kind == "udp") for flow, kind in paired],
        "flow_timeouts": [flow.timeouts for flow in result.flows],
        # Little's law
        "queue_delay_s": forward.depth_mean * window_s / forward.sent_packets
        if forward.sent_packets
        else 0.0,
        "queue_mean": forward.depth_mean,
        "delay_mean_s": result.delay.mean_s,
        "utilisation": forward.utilisation,
        "back_utilisation": back.utilisation,
        "marked": forward.marked_ce,
        "early_drops": forward.early_drops,
        "tail_drops": forward.tail_drops,
        "retransmissions": sum(flow.retransmitted_packets for flow in result.flows),
        **_windows(point, seed, shared["warmup_s"], result),
    }


def _windows(point: Point, seed: int, begin_s: float, result: NetworkResult) -> Row:
    """The congestion windows over time, of the runs that draw them."""
    if not (point.trace and seed == 1):
        return {"cwnd_time_s": None, "cwnd_packets": None}
    times, windows = [], []
    for flow in result.flows:
        time = np.frombuffer(flow.cwnd_time_s, "<f8")
        window = np.frombuffer(flow.cwnd_trace_bytes, "<u4") / MSS
        kept = (time >= begin_s) & (time <= begin_s + CWND_WINDOW_S)
        times.append(time[kept])
        windows.append(window[kept].astype("<f4"))
    return {"cwnd_time_s": times, "cwnd_packets": windows}
