# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time: bulk transfers in either direction, also with round trips of their own, and
ECN beside flows without."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from ..lab.bridge import Bridge, NotInLabError, RealRun, host_tcp
from .paper import PAPER
from .parameters import PACKET_BYTES
from .scenarios import ECN, buffer_packets, point_of, profile_of
from .simulate import (
    BOTTLENECK_PORT,
    CWND_WINDOW_S,
    classes_of,
    ecn_of,
    round_trips_s,
    scenario_of,
    speaks_ecn,
)

if TYPE_CHECKING:
    from ..dataset import Row
    from ..declaration import Recipe
    from ..lab.results import FlowMeasures, Measured


def real_run(recipe: Recipe) -> RealRun:
    """Raises :class:`NotInLabError`."""
    point, shared = point_of(recipe), recipe["shared"]
    for name, count in (
        ("web sessions", point.web + point.back_web),
        ("telnet sessions", point.telnet),
        ("UDP sources", point.udp_flows),
    ):
        if count:
            raise NotInLabError(name)
    scenario = scenario_of(recipe)
    parts = [f"{point.scheme}, {point.ftp} FTP"]
    if point.back_ftp:
        parts.append(f"{point.back_ftp} FTP back")
    if point.mixed:
        parts.append("every second without ECN")
    if point.round_trips_ms:
        parts.append("RTT " + "/".join(f"{trip:g}" for trip in point.round_trips_ms) + " ms")
    if point.sack:
        parts.append("SACK")
    without = (
        flow for number, flow in enumerate(scenario.flows) if point.mixed and not speaks_ecn(point, number)
    )
    return RealRun(
        title=", ".join(parts),
        scenario=scenario,
        duration_s=shared["duration_s"],
        warmup_s=shared["warmup_s"],
        start_jitter_s=shared["start_jitter_s"],
        tcp=host_tcp(
            shared, ecn_of(recipe), PACKET_BYTES, sack=point.sack, delayed_acks=recipe["delayed_acks"]
        ),
        without_ecn=frozenset(end for flow in without for end in (flow.source, flow.sink)),
    )


def _loss(flow: FlowMeasures) -> float:
    """Share of the data segments that were lost, as `simulate` has it."""
    assert flow.sent is not None
    assert flow.received is not None
    return max(0.0, 1 - flow.received / flow.sent) if flow.sent else 0.0


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """As `simulate` has it; losses are null without captures."""
    point, found, window_s = point_of(recipe), measured.row, measured.window_s
    goodputs = [flow.acked_packets * PACKET_BYTES * 8 / window_s for flow in measured.flows]
    captured = all(flow.sent is not None for flow in measured.flows)
    sent = found["sent_packets"]
    fields: Row = asdict(point)
    return fields | {
        "round_trips_ms": list(point.round_trips_ms),
        "seed": seed,
        "buffer_packets": buffer_packets(recipe),
        "profile": profile_of(recipe).model_dump_json(),
        "flow_class": classes_of(point),
        "flow_ecn": [
            ecn_of(recipe) != "off" and (point.scheme not in ECN or speaks_ecn(point, number))
            for number in range(len(goodputs))
        ],
        "flow_round_trip_s": round_trips_s(recipe),
        "flow_goodput_bps": goodputs,
        "flow_transfer_bps": goodputs,
        "flow_loss": [_loss(flow) for flow in measured.flows] if captured else None,
        "flow_timeouts": [flow.timeouts for flow in measured.flows],
        # Little's law
        "queue_delay_s": found["queue_mean"] * window_s / sent if sent else 0.0,
        "queue_mean": found["queue_mean"],
        "delay_mean_s": found["delay_mean_s"],
        "utilisation": found["utilisation"],
        "back_utilisation": measured.utilisation_of("R2", BOTTLENECK_PORT),
        "marked": found["marked_ce"],
        "early_drops": found["early_drops"],
        "tail_drops": found["tail_drops"],
        "retransmissions": found["retransmissions"],
        **_windows(recipe, seed, measured),
    }


def _windows(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """The congestion windows over time, of the runs that draw them."""
    if not (recipe["trace"] and seed == 1):
        return {"cwnd_time_s": None, "cwnd_packets": None}
    begin = recipe["shared"]["warmup_s"]
    times, windows = [], []
    for flow in measured.recording.flows:
        time, window = np.asarray(flow.time_s), np.asarray(flow.cwnd, dtype="<f4")
        kept = (time >= begin) & (time <= begin + CWND_WINDOW_S)
        times.append(time[kept])
        windows.append(window[kept])
    return {"cwnd_time_s": times, "cwnd_packets": windows}


BRIDGE = Bridge(
    paper=PAPER,
    real_run=real_run,
    row=row,
    look=("fig11",),
    look_settings={"duration_s": 30.0, "round_trips_ms": (102.0, 300.0)},
    in_proportion=("warmup_s",),
)
