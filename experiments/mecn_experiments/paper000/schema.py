# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The columns of the data file.

Rates in bits per second of IP packets, delays in seconds; groups in the order fragile, average, robust."""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]

_TEXT, _COUNT, _NUMBER = pa.string(), pa.int64(), pa.float64()

_COLUMNS: dict[str, pa.DataType] = {
    "recipe": _TEXT,
    "seed": _COUNT,
    "scheme": _TEXT,
    "flows": _COUNT,
    "max_p": _NUMBER,
    "max_th": _NUMBER,
    "profile": _TEXT,
    "goodput_bps": _NUMBER,
    "delivered_bps": _NUMBER,
    "throughput_bps": _NUMBER,
    "group_goodput_bps": pa.list_(_NUMBER),
    "group_delivered_bps": pa.list_(_NUMBER),
    "group_throughput_bps": pa.list_(_NUMBER),
    "group_delay_s": pa.list_(_NUMBER),
    "delay_mean_s": _NUMBER,
    "jain_index": _NUMBER,
    "locked_out": _COUNT,
    "utilisation": _NUMBER,
    "queue_mean": _NUMBER,
    "marked": _COUNT,
    "early_drops": _COUNT,
    "tail_drops": _COUNT,
    "retransmissions": _COUNT,
    "timeouts": _COUNT,
}

SCHEMA = pa.schema(_COLUMNS)
