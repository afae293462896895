# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The columns of the data file.

Delays are in seconds, queues in packets (the one in transmission not counted). `case`, `expected` and
`observed` are of the packet tests of tables 1 and 2, which have nothing else.
"""

from __future__ import annotations

import pyarrow as pa  # type: ignore[import-untyped]

_TEXT, _COUNT, _NUMBER = pa.string(), pa.int64(), pa.float64()

_COLUMNS: dict[str, pa.DataType] = {
    "recipe": _TEXT,
    "family": _TEXT,
    "scenario": _TEXT,
    "scheme": _TEXT,
    "profile": _TEXT,
    "min_th": _NUMBER,
    "mid_th": _NUMBER,
    "max_th": _NUMBER,
    "max_p": _NUMBER,
    "n_sources": _COUNT,
    "seed": _COUNT,
    "acked_packets": _NUMBER,
    "link_efficiency": _NUMBER,
    "utilisation": _NUMBER,
    "queue_mean": _NUMBER,
    "queue_std": _NUMBER,
    "queue_max": _COUNT,
    "fraction_empty": _NUMBER,
    "fraction_idle": _NUMBER,
    "delay_mean_s": _NUMBER,
    "delay_p95_s": _NUMBER,
    "delay_std_s": _NUMBER,
    "jitter_s": _NUMBER,
    "sent_packets": _COUNT,
    "marked_incipient": _COUNT,
    "marked_ce": _COUNT,
    "early_drops": _COUNT,
    "tail_drops": _COUNT,
    "jain_index": _NUMBER,
    "retransmissions": _COUNT,
    "timeouts": _COUNT,
    "fast_retransmits": _COUNT,
    "reductions_incipient": _COUNT,
    "reductions_moderate": _COUNT,
    "reductions_loss": _COUNT,
    "case": _TEXT,
    "expected": _TEXT,
    "observed": _TEXT,
    "goodputs_bps": pa.list_(_NUMBER),
    "trace_time_s": pa.list_(_NUMBER),
    "trace_qdepth": pa.list_(pa.uint32()),
    "trace_avg_qdepth": pa.list_(pa.float32()),
}

SCHEMA = pa.schema(_COLUMNS)
