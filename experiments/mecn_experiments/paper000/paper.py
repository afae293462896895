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
from .scenarios import ADAPTIVE, check, point_of
from .simulate import simulate

if TYPE_CHECKING:
    from ..declaration import Recipe

COLUMNS: dict[str, pa.DataType] = {
    "recipe": TEXT,
    "seed": COUNT,
    "scheme": TEXT,
    "flows": COUNT,
    "max_p": NUMBER,
    "max_th": NUMBER,
    "profile": TEXT,
    "goodput_bps": NUMBER,
    "delivered_bps": NUMBER,
    "throughput_bps": NUMBER,
    "group_goodput_bps": pa.list_(NUMBER),
    "group_delivered_bps": pa.list_(NUMBER),
    "group_throughput_bps": pa.list_(NUMBER),
    "group_delay_s": pa.list_(NUMBER),
    "delay_mean_s": NUMBER,
    "jain_index": NUMBER,
    "locked_out": COUNT,
    "utilisation": NUMBER,
    "queue_mean": NUMBER,
    "marked": COUNT,
    "early_drops": COUNT,
    "tail_drops": COUNT,
    "retransmissions": COUNT,
    "timeouts": COUNT,
}
"""The columns of the data file.

Rates in bits per second of IP packets, delays in seconds; groups in the order fragile, average, robust."""

PAPER = Paper(
    key="000",
    title="RED and ECN with heterogeneous TCP flows: goodput, delay, fairness",
    citation=(
        "R. Kinicki, Z. Zheng: A Performance Study of Explicit Congestion Notification (ECN) with"
        " Heterogeneous"
        " TCP Flows"
    ),
    parameters=Parameters,
    schema=pa.schema(COLUMNS),
    figures=FIGURES,
    claims=CLAIMS,
    simulate=simulate,
    check=check,
    in_proportion=("warmup_s",),
)

MOST_FLOWS = 250
"""Each is a host: a namespace, and processes in it."""


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    point = point_of(recipe)
    if point.scheme in ADAPTIVE:
        raise NotInLabError(f"{point.scheme}: max_p that the controller steers during the run")
    if point.flows > MOST_FLOWS:
        raise NotInLabError(f"{point.flows} flows: a lab has at most {MOST_FLOWS} senders")
    return f"{point.scheme}, {point.flows} flows, max_p {point.max_p:g}, max_th {point.max_th:g}"


BRIDGE = Bridge(
    paper=PAPER,
    title=title,
    simulation=simulate,
    look=("fig8",),
    look_settings={"duration_s": 30.0},
    sources="flows",
)
