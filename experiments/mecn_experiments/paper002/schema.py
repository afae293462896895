# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The columns of the data file.

Rates in bits per second of IP packets, times in seconds. Lists have an element for each flow, in the order
FTP, web, telnet, UDP, FTP and web of the reverse path."""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]

_TEXT, _COUNT, _NUMBER, _FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()

_COLUMNS: dict[str, pa.DataType] = {
    "recipe": _TEXT,
    "seed": _COUNT,
    "scheme": _TEXT,
    "ftp": _COUNT,
    "web": _COUNT,
    "telnet": _COUNT,
    "udp": _TEXT,
    "udp_flows": _COUNT,
    "back_ftp": _COUNT,
    "back_web": _COUNT,
    "sack": _FLAG,
    "mixed": _FLAG,
    "round_trips_ms": pa.list_(_NUMBER),
    "trace": _FLAG,
    "buffer_bdp": _NUMBER,
    "rate_bps": _COUNT,
    "delay_ms": _NUMBER,
    "delayed_acks": _FLAG,
    "buffer_packets": _COUNT,
    "profile": _TEXT,
    "flow_class": pa.list_(_TEXT),
    "flow_ecn": pa.list_(_FLAG),
    "flow_round_trip_s": pa.list_(_NUMBER),
    "flow_goodput_bps": pa.list_(_NUMBER),
    "flow_transfer_bps": pa.list_(_NUMBER),
    "flow_loss": pa.list_(_NUMBER),
    "flow_timeouts": pa.list_(_COUNT),
    "queue_delay_s": _NUMBER,
    "queue_mean": _NUMBER,
    "delay_mean_s": _NUMBER,
    "utilisation": _NUMBER,
    "back_utilisation": _NUMBER,
    "marked": _COUNT,
    "early_drops": _COUNT,
    "tail_drops": _COUNT,
    "retransmissions": _COUNT,
    "cwnd_time_s": pa.list_(pa.list_(_NUMBER)),
    "cwnd_packets": pa.list_(pa.list_(pa.float32())),
}

SCHEMA = pa.schema(_COLUMNS)
