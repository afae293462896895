# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The columns of the data file.

Rates in bits per second, delays in seconds, queues in packets (the one in transmission not counted).
`settled_`: from settle_s on. The counts of a run with a bursty source begin with that source.
"""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]

_TEXT, _COUNT, _NUMBER = pa.string(), pa.int64(), pa.float64()

_COLUMNS: dict[str, pa.DataType] = {
    "recipe": _TEXT,
    "seed": _COUNT,
    "scheme": _TEXT,
    "min_th": _NUMBER,
    "max_th": _NUMBER,
    "senders": _COUNT,
    "burst": _TEXT,
    "profile": _TEXT,
    "goodput_bps": _NUMBER,
    "throughput_bps": _NUMBER,
    "utilisation": _NUMBER,
    "delay_mean_s": _NUMBER,
    "queue_mean": _NUMBER,
    "queue_max": _COUNT,
    "peak_s": _NUMBER,
    "min_after_peak": _COUNT,
    "settled_mean": _NUMBER,
    "settled_std": _NUMBER,
    "marked": _COUNT,
    "early_drops": _COUNT,
    "tail_drops": _COUNT,
    "retransmissions": _COUNT,
    "timeouts": _COUNT,
    "jain_index": _NUMBER,
    "burst_goodput_bps": _NUMBER,
    "burst_share": _NUMBER,
    "burst_lost": _NUMBER,
    "trace_time_s": pa.list_(_NUMBER),
    "trace_sent_bytes": pa.list_(_COUNT),
    "trace_qdepth": pa.list_(pa.uint32()),
    "trace_mean_qdepth": pa.list_(pa.float32()),
}

SCHEMA = pa.schema(_COLUMNS)
