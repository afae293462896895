# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The columns of the data file. Queues in packets, the one in transmission not counted; times in seconds."""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]

_TEXT, _COUNT, _NUMBER = pa.string(), pa.int64(), pa.float64()

_COLUMNS: dict[str, pa.DataType] = {
    "recipe": _TEXT,
    "seed": _COUNT,
    "family": _TEXT,
    "scenario": _COUNT,
    "strategy": _TEXT,
    "threshold": _COUNT,
    "weight": _NUMBER,
    "duration_s": _NUMBER,
    "buffer": _COUNT,
    "profile": _TEXT,
    "queue_max": _COUNT,
    "queue_min": _COUNT,
    "queue_mean": _NUMBER,
    "peak": _COUNT,
    "peak_s": _NUMBER,
    "efficiency": _NUMBER,
    "utilisation": _NUMBER,
    "fraction_idle": _NUMBER,
    "delay_mean_s": _NUMBER,
    "unfairness": _NUMBER,
    "acked_packets": pa.list_(_NUMBER),
    "marked": _COUNT,
    "tail_drops": _COUNT,
    "early_drops": _COUNT,
    "retransmissions": _COUNT,
    "timeouts": _COUNT,
    "arrivals": _COUNT,
    "arrivals_close": _COUNT,
    "trace_time_s": pa.list_(_NUMBER),
    "trace_qdepth": pa.list_(pa.uint32()),
    "trace_avg_qdepth": pa.list_(pa.float32()),
}

SCHEMA = pa.schema(_COLUMNS)
