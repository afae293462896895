# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How this paper's figures look: the three schemes over time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..declaration import Figure
from ..errors import ExperimentError
from ..figures import BLACK, BLUE, ORANGE
from ..plots import Look, history
from .scenarios import SCHEMES, schemes_at, where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters, Thresholds

LOOKS = {
    "DropTail": Look("DropTail", BLACK, ":", "D"),
    "RED": Look("RED", ORANGE, "--", "s"),
    "ECN": Look("ECN", BLUE, "-", "o"),
}
Which = Literal["low", "high"]
Count = Literal["few", "many"]
What = Literal["average throughput", "additive throughput", "average buffer usage", "current buffer usage"]
LABELS: dict[What, str] = {
    "average throughput": "throughput since the start (kbps)",
    "additive throughput": "data sent (Mbit)",
    "average buffer usage": "mean queue since the start (packets)",
    "current buffer usage": "queue (packets)",
}
SKIP = 5
"""Points at the start that a mean over the time so far leaves out: there is next to nothing to average."""


def figure(letter: str, what: What, which: Which, count: Count, says: str) -> Figure:
    """The figure of this letter."""
    nodes = {"few": "one node at each gateway", "many": "several nodes at each gateway"}[count]
    level = {"low": "lower", "high": "higher"}[which]
    return Figure(
        f"fig{letter}",
        f"Figure {letter}: {what}, {level} thresholds, {nodes}",
        says,
        partial(_recipes, which, count),
        partial(_draw, letter, what, which, count),
    )


def at(parameters: Parameters, which: Which, count: Count) -> tuple[Thresholds, int]:
    """The thresholds and the number of nodes."""
    thresholds: Thresholds = getattr(parameters, which)
    senders: int = getattr(parameters, count)
    return thresholds, senders


def _recipes(which: Which, count: Count, parameters: Parameters) -> Sequence[Recipe]:
    return schemes_at(parameters, *at(parameters, which, count))


def _draw(
    letter: str, what: What, which: Which, count: Count, data: Dataset, parameters: Parameters
) -> list[Drawing]:
    thresholds, senders = at(parameters, which, count)
    lines = []
    for scheme in SCHEMES:
        rows = data.select(**where(scheme, thresholds, senders), seed=1)
        if not rows or rows[0]["trace_time_s"] is None:
            raise ExperimentError(f"the data file has no trace of {scheme} with {senders} senders")
        lines.append((LOOKS[scheme], *_points(what, rows[0])))
    low, high = thresholds
    queue = "buffer" in what
    return [
        history(
            lines,
            key=f"fig{letter}",
            title=f"Figure {letter}: {what}, {low:g}/{high:g}, {senders} node{'s' if senders > 1 else ''}",
            label=LABELS[what],
            levels=[("min", low), ("max", high)] if queue else (),
            thin=SCHEMES if what == "current buffer usage" else (),
            steps=True,
        )
    ]


def _points(what: What, row: Row) -> tuple[list[float], list[float]]:
    time = np.asarray(row["trace_time_s"], dtype=float)
    sent = 8 * np.asarray(row["trace_sent_bytes"], dtype=float)
    match what:
        case "average throughput":
            return time[SKIP:].tolist(), (sent[SKIP:] / time[SKIP:] / 1e3).tolist()
        case "additive throughput":
            return time.tolist(), (sent / 1e6).tolist()
        case "average buffer usage":
            return time.tolist(), list(row["trace_mean_qdepth"])
        case "current buffer usage":
            return time.tolist(), list(row["trace_qdepth"])
