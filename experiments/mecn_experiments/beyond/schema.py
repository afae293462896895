# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The columns of the data file: what the papers' measures have in common.

Rates in bits per second of IP packets with new data, delays in seconds, queues in packets. Groups are paper
000's: fragile, average, robust. What only paper 002 has is null elsewhere: the mean goodput of a bulk
transfer, forward and in the other direction, and the mean loss rate of a UDP flow."""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]

_TEXT, _COUNT, _NUMBER = pa.string(), pa.int64(), pa.float64()

_COLUMNS: dict[str, pa.DataType] = {
    "recipe": _TEXT,
    "seed": _COUNT,
    "scenario": _TEXT,
    "paper": _TEXT,
    "scheme": _TEXT,
    "profile": _TEXT,
    "efficiency": _NUMBER,
    "utilisation": _NUMBER,
    "delay_mean_s": _NUMBER,
    "queue_mean": _NUMBER,
    "jain_index": _NUMBER,
    "drops": _COUNT,
    "retransmissions": _COUNT,
    "timeouts": _COUNT,
    "group_bps": pa.list_(_NUMBER),
    "ftp_bps": _NUMBER,
    "back_ftp_bps": _NUMBER,
    "udp_loss": _NUMBER,
}

SCHEMA = pa.schema(_COLUMNS)
