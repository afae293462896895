# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The experiment, declared: columns of the data file, figures, claims, and its runs in a lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from ..dataset import COUNT, NUMBER, TEXT
from ..declaration import Paper, in_order
from ..lab.bridge import Bridge, NotInLabError
from . import claims_fairness, claims_threshold
from .figures import FIGURES
from .parameters import Parameters
from .scenarios import SCENARIOS, check, point_of
from .simulate import NETWORK, simulate

if TYPE_CHECKING:
    from ..declaration import Recipe

COLUMNS: dict[str, pa.DataType] = {
    "recipe": TEXT,
    "seed": COUNT,
    "family": TEXT,
    "scenario": COUNT,
    "strategy": TEXT,
    "threshold": COUNT,
    "weight": NUMBER,
    "duration_s": NUMBER,
    "buffer": COUNT,
    "profile": TEXT,
    "queue_max": COUNT,
    "queue_min": COUNT,
    "queue_mean": NUMBER,
    "peak": COUNT,
    "peak_s": NUMBER,
    "efficiency": NUMBER,
    "utilisation": NUMBER,
    "fraction_idle": NUMBER,
    "delay_mean_s": NUMBER,
    "unfairness": NUMBER,
    "acked_packets": pa.list_(NUMBER),
    "marked": COUNT,
    "tail_drops": COUNT,
    "early_drops": COUNT,
    "retransmissions": COUNT,
    "timeouts": COUNT,
    "arrivals": COUNT,
    "arrivals_close": COUNT,
    "trace_time_s": pa.list_(NUMBER),
    "trace_qdepth": pa.list_(pa.uint32()),
    "trace_avg_qdepth": pa.list_(pa.float32()),
}
"""The columns of the data file. Queues in packets, the one in transmission not counted; times in seconds."""

PAPER = Paper(
    key="004",
    title="Mark-front against mark-tail: buffer size, link efficiency, fairness",
    citation="C. Liu, R. Jain: Improving Explicit Congestion Notification with the Mark-Front Strategy",
    parameters=Parameters,
    schema=pa.schema(COLUMNS),
    figures=FIGURES,
    claims=in_order(*claims_threshold.CLAIMS, *claims_fairness.CLAIMS),
    simulate=simulate,
    check=check,
)

SAMPLE_S = 0.005
"""About a packet's time on the link: the paper asks for the largest queue."""


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    point = point_of(recipe)
    if point.window:
        raise NotInLabError("the sender's window at each packet's arrival (theorem 1)")
    red = "" if point.weight is None else f", w = {point.weight:g}"
    return f"{SCENARIOS[point.scenario].title}, mark-{point.strategy}, T = {point.threshold}{red}"


BRIDGE = Bridge(paper=PAPER, title=title, simulation=NETWORK, look=("fig9",), sample_s=SAMPLE_S)
