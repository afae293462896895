# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Network, plan and row of a run."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from mecn_topo import Flow, Placement, Scenario, paper002_dumbbell

from ..execute import Plan, Simulation, Traffic, tcp_of
from ..variant import ecn, variant_of
from .parameters import MAX_PAIRS, PACKET_BYTES, PAGE_BYTES, UDP_BPS, UDP_BYTES
from .scenarios import ECN, buffer_packets, point_of, profile_of

if TYPE_CHECKING:
    from typing import Any

    from ..dataset import Row
    from ..declaration import Recipe
    from ..measured import FlowMeasures, Measured
    from ..variant import Ecn
    from .scenarios import Point

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


def speaks_ecn(point: Point, number: int) -> bool:
    """Whether the flow of this number is ECN-capable."""
    return point.scheme in ECN and not (point.mixed and number % 2)


def ecn_of(recipe: Recipe) -> Ecn:
    """What the hosts speak, but for those of mixed runs that :func:`speaks_ecn` leaves out."""
    return ecn(recipe, "classic" if recipe["scheme"] in ECN else "off")


def plan_of(recipe: Recipe, seed: int) -> Plan:
    """How a run is made."""
    point, shared = point_of(recipe), recipe["shared"]
    return Plan(
        duration_s=shared["duration_s"],
        warmup_s=shared["warmup_s"],
        start_jitter_s=shared["start_jitter_s"],
        tcp=tcp_of(
            shared,
            PACKET_BYTES,
            ecn_of(recipe),
            delayed_acks=recipe["delayed_acks"],
            loss_recovery="sack" if recipe["sack"] else "reno",
            processing_time_s=shared["processing"] * 8 * PACKET_BYTES / recipe["rate_bps"],
        ),
        traffic={
            number: _traffic(recipe, number, kind, trace=point.trace and seed == 1)
            for number, kind in enumerate(classes_of(point))
        },
        # Routes for all pairs that any run has: the switches are then set up once for each profile.
        routes=paper002_dumbbell([SOURCE_DELAY_S] * MAX_PAIRS, buffer_packets=1),
    )


def _traffic(recipe: Recipe, number: int, kind: str, *, trace: bool) -> Traffic:
    point = point_of(recipe)
    plain = variant_of(recipe) is None and not speaks_ecn(point, number)
    tcp: dict[str, Any] = {"ecn": "off"} if plain else {}
    udp = {"rate_bps": UDP_BPS, "packet_bytes": UDP_BYTES}
    match kind.removeprefix("back-"):
        case "ftp":
            return Traffic("bulk", {"trace_cwnd": trace}, tcp)
        case "web":
            think_s = tuple(recipe["shared"]["think_s"])
            return Traffic("web", {"page_bytes": PAGE_BYTES, "think_s": think_s}, tcp)
        case "telnet":
            return Traffic("telnet", {}, tcp)
        case _ if point.udp == "on-off":
            return Traffic("pareto", udp, tcp=None)
        case _:
            spacing = "fixed" if point.udp == "cbr-fixed" else "random"
            return Traffic("cbr", {**udp, "spacing": spacing}, tcp=None)


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """The row of the data file; losses are null where a lab has no captures."""
    point, queue, window_s = point_of(recipe), measured.queue, measured.window_s
    kinds = classes_of(point)

    def rate(flow: FlowMeasures, kind: str, seconds: float = window_s) -> float:
        if kind == "udp":
            return (flow.received or 0) * UDP_BYTES * 8 / window_s
        return flow.acked_packets * PACKET_BYTES * 8 / seconds if seconds > 0 else 0.0

    def transfer(flow: FlowMeasures, kind: str) -> float:
        return rate(flow, kind, flow.transfer_s or 0.0) if kind.endswith("web") else rate(flow, kind)

    flows = list(zip(measured.flows, kinds, strict=True))
    losses = [flow.loss for flow in measured.flows]
    (back_utilisation,) = measured.other_utilisations
    fields: Row = asdict(point)
    return fields | {
        "round_trips_ms": list(point.round_trips_ms),
        "seed": seed,
        "buffer_packets": buffer_packets(recipe),
        "profile": profile_of(recipe).model_dump_json(),
        "flow_class": kinds,
        "flow_ecn": [flow.ecn for flow in measured.flows],
        "flow_round_trip_s": round_trips_s(recipe),
        "flow_goodput_bps": [rate(flow, kind) for flow, kind in flows],
        "flow_transfer_bps": [transfer(flow, kind) for flow, kind in flows],
        "flow_loss": None if None in losses else losses,
        "flow_timeouts": [flow.timeouts for flow in measured.flows],
        # Little's law
        "queue_delay_s": queue.depth_mean * window_s / queue.sent_packets if queue.sent_packets else 0.0,
        "queue_mean": queue.depth_mean,
        "delay_mean_s": measured.delay and measured.delay.mean_s,
        "utilisation": queue.utilisation,
        "back_utilisation": back_utilisation,
        "marked": queue.marked_ce,
        "early_drops": queue.early_drops,
        "tail_drops": queue.tail_drops,
        "retransmissions": measured.retransmissions,
        **(_windows(measured) if point.trace and seed == 1 else {"cwnd_time_s": None, "cwnd_packets": None}),
    }


def _windows(measured: Measured) -> Row:
    """The congestion windows over time."""
    begin, times, windows = measured.begin_s, [], []
    for flow in measured.flows:
        assert flow.window is not None
        time, window = flow.window
        kept = (time >= begin) & (time <= begin + CWND_WINDOW_S)
        times.append(time[kept])
        windows.append(window[kept].astype("<f4"))
    return {"cwnd_time_s": times, "cwnd_packets": windows}


simulate = Simulation(scenario=scenario_of, plan=plan_of, row=row)
