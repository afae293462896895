# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The experiment, declared: columns of the data file, figures, claims, and its runs in a lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from ..dataset import COUNT, NUMBER, TEXT
from ..declaration import Paper
from ..lab.bridge import Bridge, NotInLabError
from .claims import CLAIMS
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
    "min_th": NUMBER,
    "max_th": NUMBER,
    "senders": COUNT,
    "burst": TEXT,
    "profile": TEXT,
    "goodput_bps": NUMBER,
    "throughput_bps": NUMBER,
    "utilisation": NUMBER,
    "delay_mean_s": NUMBER,
    "queue_mean": NUMBER,
    "queue_max": COUNT,
    "peak_s": NUMBER,
    "min_after_peak": COUNT,
    "settled_mean": NUMBER,
    "settled_std": NUMBER,
    "marked": COUNT,
    "early_drops": COUNT,
    "tail_drops": COUNT,
    "retransmissions": COUNT,
    "timeouts": COUNT,
    "jain_index": NUMBER,
    "burst_goodput_bps": NUMBER,
    "burst_share": NUMBER,
    "burst_lost": NUMBER,
    "trace_time_s": pa.list_(NUMBER),
    "trace_sent_bytes": pa.list_(COUNT),
    "trace_qdepth": pa.list_(pa.uint32()),
    "trace_mean_qdepth": pa.list_(pa.float32()),
}
"""The columns of the data file.

Rates in bits per second, delays in seconds, queues in packets (the one in transmission not counted).
`settled_`: from settle_s on. The counts of a run with a bursty source begin with that source."""

PAPER = Paper(
    key="001",
    title="RED, ECN and drop-tail on one slow link: throughput and queue over time",
    citation="Y. Puzis, V. Tarasov: Effectiveness of ECN and RED Based Congestion Detection",
    parameters=Parameters,
    schema=pa.schema(COLUMNS),
    figures=FIGURES,
    claims=CLAIMS,
    simulate=simulate,
    check=check,
    in_proportion=("settle_s", "burst_start_s"),
)


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    run = point_of(recipe)
    if run.burst != "none":
        raise NotInLabError(f"a bursty {run.burst} source")
    thresholds = "" if run.scheme == "DropTail" else f" {run.min_th:g}/{run.max_th:g}"
    return f"{run.scheme}{thresholds}, {run.senders} sender{'s' if run.senders > 1 else ''}"


BRIDGE = Bridge(
    paper=PAPER,
    title=title,
    simulation=simulate,
    look=("figA", "figB", "figC", "figD"),
    look_settings={"duration_s": 30.0},
)
