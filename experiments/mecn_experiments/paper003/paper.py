# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The experiment, declared: columns of the data file, figures, claims, and its runs in a lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from ..dataset import COUNT, NUMBER, TEXT
from ..declaration import Paper, in_order
from ..lab.bridge import Bridge, NotInLabError
from . import ablation, claims, claims_theory
from .figures import FIGURES
from .parameters import Parameters
from .scenarios import check, point_of
from .simulate import NETWORK, simulate
from .tables import tables

if TYPE_CHECKING:
    from ..declaration import Recipe

COLUMNS: dict[str, pa.DataType] = {
    "recipe": TEXT,
    "family": TEXT,
    "part": TEXT,
    "scenario": TEXT,
    "scheme": TEXT,
    "profile": TEXT,
    "min_th": NUMBER,
    "mid_th": NUMBER,
    "max_th": NUMBER,
    "max_p": NUMBER,
    "n_sources": COUNT,
    "seed": COUNT,
    "acked_packets": NUMBER,
    "link_efficiency": NUMBER,
    "utilisation": NUMBER,
    "queue_mean": NUMBER,
    "queue_std": NUMBER,
    "queue_max": COUNT,
    "fraction_empty": NUMBER,
    "fraction_idle": NUMBER,
    "delay_mean_s": NUMBER,
    "delay_p95_s": NUMBER,
    "delay_std_s": NUMBER,
    "jitter_s": NUMBER,
    "sent_packets": COUNT,
    "marked_incipient": COUNT,
    "marked_ce": COUNT,
    "early_drops": COUNT,
    "tail_drops": COUNT,
    "jain_index": NUMBER,
    "retransmissions": COUNT,
    "timeouts": COUNT,
    "fast_retransmits": COUNT,
    "reductions_incipient": COUNT,
    "reductions_moderate": COUNT,
    "reductions_loss": COUNT,
    "case": TEXT,
    "expected": TEXT,
    "observed": TEXT,
    "goodputs_bps": pa.list_(NUMBER),
    "trace_time_s": pa.list_(NUMBER),
    "trace_qdepth": pa.list_(pa.uint32()),
    "trace_avg_qdepth": pa.list_(pa.float32()),
}
"""The columns of the data file.

Delays are in seconds, queues in packets (the one in transmission not counted). `case`, `expected` and
`observed` are of the packet tests of tables 1 and 2, which have nothing else."""

PAPER = Paper(
    key="003",
    title="ECN against multi-level ECN: queue, link efficiency, throughput against delay",
    citation=(
        "P.-F. Quet, M. Sridharan, S. Chellappan, H. Özbay, A. Durresi, R. Jain: Guidelines for optimizing"
        " Multi-Level ECN, using fluid flow based TCP model"
    ),
    parameters=Parameters,
    schema=pa.schema(COLUMNS),
    figures=(*FIGURES, ablation.FIGURE),
    claims=in_order(*claims.CLAIMS, *claims_theory.CLAIMS),
    simulate=simulate,
    check=check,
    tables=tables,
    in_proportion=("warmup_s",),
)


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    if recipe["family"] == "table":
        raise NotInLabError("the packet tests of tables 1 and 2")
    run = point_of(recipe)
    gain = f", max_p {run.max_p:g}" if run.family == "section 3" else ""
    return f"{run.scenario.name}, {run.n_sources} flows{gain}"


BRIDGE = Bridge(
    paper=PAPER,
    title=title,
    simulation=NETWORK,
    look=("fig6", "fig7"),
    look_settings={"duration_s": 30.0, "sources": (5,)},
    sources="sources",
)
