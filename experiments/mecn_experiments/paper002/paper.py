# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The experiment, declared: columns of the data file, figures, claims, and its runs in a lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from ..dataset import COUNT, FLAG, NUMBER, TEXT
from ..declaration import Paper, in_order
from ..lab.bridge import Bridge, NotInLabError
from . import claims_directions, claims_ecn, claims_mixes, claims_round_trips
from .figures import FIGURES
from .parameters import Parameters
from .scenarios import check, point_of
from .simulate import simulate

if TYPE_CHECKING:
    from ..declaration import Recipe

COLUMNS: dict[str, pa.DataType] = {
    "recipe": TEXT,
    "seed": COUNT,
    "scheme": TEXT,
    "ftp": COUNT,
    "web": COUNT,
    "telnet": COUNT,
    "udp": TEXT,
    "udp_flows": COUNT,
    "back_ftp": COUNT,
    "back_web": COUNT,
    "sack": FLAG,
    "mixed": FLAG,
    "round_trips_ms": pa.list_(NUMBER),
    "trace": FLAG,
    "buffer_bdp": NUMBER,
    "rate_bps": COUNT,
    "delay_ms": NUMBER,
    "delayed_acks": FLAG,
    "buffer_packets": COUNT,
    "profile": TEXT,
    "flow_class": pa.list_(TEXT),
    "flow_ecn": pa.list_(FLAG),
    "flow_round_trip_s": pa.list_(NUMBER),
    "flow_goodput_bps": pa.list_(NUMBER),
    "flow_transfer_bps": pa.list_(NUMBER),
    "flow_loss": pa.list_(NUMBER),
    "flow_timeouts": pa.list_(COUNT),
    "queue_delay_s": NUMBER,
    "queue_mean": NUMBER,
    "delay_mean_s": NUMBER,
    "utilisation": NUMBER,
    "back_utilisation": NUMBER,
    "marked": COUNT,
    "early_drops": COUNT,
    "tail_drops": COUNT,
    "retransmissions": COUNT,
    "cwnd_time_s": pa.list_(pa.list_(NUMBER)),
    "cwnd_packets": pa.list_(pa.list_(pa.float32())),
}
"""The columns of the data file.

Rates in bits per second of IP packets, times in seconds. Lists have an element for each flow, in the order
FTP, web, telnet, UDP, FTP and web of the reverse path."""

PAPER = Paper(
    key="002",
    title="RED among web, bulk and UDP flows, with and without ECN, several round trips, two-way traffic",
    citation=(
        "Y. Zhang, L. Qiu: Understanding the End-to-End Performance Impact of RED in a Heterogeneous"
        " Environment"
    ),
    parameters=Parameters,
    schema=pa.schema(COLUMNS),
    figures=FIGURES,
    claims=in_order(
        *claims_mixes.CLAIMS,
        *claims_ecn.CLAIMS,
        *claims_round_trips.CLAIMS,
        *claims_directions.CLAIMS,
    ),
    simulate=simulate,
    check=check,
    in_proportion=("warmup_s",),
)


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    point = point_of(recipe)
    for name, count in (
        ("web sessions", point.web + point.back_web),
        ("telnet sessions", point.telnet),
        ("UDP sources", point.udp_flows),
    ):
        if count:
            raise NotInLabError(name)
    parts = [f"{point.scheme}, {point.ftp} FTP"]
    if point.back_ftp:
        parts.append(f"{point.back_ftp} FTP back")
    if point.mixed:
        parts.append("every second without ECN")
    if point.round_trips_ms:
        parts.append("RTT " + "/".join(f"{trip:g}" for trip in point.round_trips_ms) + " ms")
    if point.sack:
        parts.append("SACK")
    return ", ".join(parts)


BRIDGE = Bridge(
    paper=PAPER,
    title=title,
    simulation=simulate,
    look=("fig11",),
    look_settings={"duration_s": 30.0, "round_trips_ms": (102.0, 300.0)},
)
