# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The figures, each with the runs that it needs and how it is drawn: the three schemes over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ..declaration import Figure
from ..errors import ExperimentError
from ..plots import Look, bars, curves, history
from ..style import BLACK, BLUE, ORANGE
from .scenarios import BURSTS, SCHEMES, schemes_at, where

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters, Thresholds
    from .scenarios import Burst, Scheme

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


def over_time(letter: str, what: What, which: Which, count: Count, says: str) -> Figure:
    """The figure of this letter."""
    nodes = {"few": "one node at each gateway", "many": "several nodes at each gateway"}[count]
    level = {"low": "lower", "high": "higher"}[which]

    def at(parameters: Parameters) -> tuple[Thresholds, int]:
        thresholds: Thresholds = getattr(parameters, which)
        senders: int = getattr(parameters, count)
        return thresholds, senders

    def draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
        thresholds, senders = at(parameters)
        low, high = thresholds
        drawing = history(
            [
                (LOOKS[scheme], *_points(what, _traced(data, scheme, thresholds, senders)))
                for scheme in SCHEMES
            ],
            key=f"fig{letter}",
            title=f"Figure {letter}: {what}, {low:g}/{high:g}, {senders} node{'s' if senders > 1 else ''}",
            label=LABELS[what],
            levels=[("min", low), ("max", high)] if "buffer" in what else (),
            thin=SCHEMES if what == "current buffer usage" else (),
            steps=True,
        )
        return [drawing]

    return Figure(
        f"fig{letter}",
        f"Figure {letter}: {what}, {level} thresholds, {nodes}",
        says,
        lambda parameters: schemes_at(parameters, *at(parameters)),
        draw,
    )


def _traced(data: Dataset, scheme: Scheme, thresholds: Thresholds, senders: int) -> Row:
    rows = data.select(**where(scheme, thresholds, senders), seed=1)
    if not rows or rows[0]["trace_time_s"] is None:
        raise ExperimentError(f"the data file has no trace of {scheme} with {senders} senders")
    return rows[0]


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


def _sender_runs(parameters: Parameters) -> Sequence[Recipe]:
    return [recipe for n in parameters.senders for recipe in schemes_at(parameters, parameters.high, n)]


SENDER_MEASURES: tuple[tuple[str, str, str, Callable[[Row], float]], ...] = (
    ("goodput", "Goodput", "goodput (kbps of payload)", lambda row: row["goodput_bps"] / 1e3),
    ("queue", "Settled queue", "mean queue (packets)", lambda row: float(row["settled_mean"])),
)


def _senders(data: Dataset, parameters: Parameters) -> list[Drawing]:
    low, high = parameters.high

    def line(scheme: Scheme, measure: Callable[[Row], float]) -> dict[float, list[float]]:
        return {
            n: [measure(row) for row in data.select(**where(scheme, parameters.high, n))]
            for n in parameters.senders
        }

    return [
        curves(
            [(LOOKS[scheme], line(scheme, measure)) for scheme in SCHEMES],
            key=f"senders-{key}",
            title=f"{title} by number of nodes, {low:g}/{high:g}",
            axis="nodes at each gateway",
            label=label,
            ticks=True,
        )
        for key, title, label, measure in SENDER_MEASURES
    ]


def _burst_runs(parameters: Parameters) -> Sequence[Recipe]:
    return [
        recipe
        for burst in BURSTS
        for recipe in schemes_at(parameters, parameters.high, parameters.many, burst)
    ]


def _burst(data: Dataset, parameters: Parameters) -> list[Drawing]:
    def values(scheme: Scheme, burst: Burst, column: str) -> list[float]:
        rows = data.select(**where(scheme, parameters.high, parameters.many, burst))
        return [100 * row[column] for row in rows]

    return [
        bars(
            [f"{burst} source" for burst in BURSTS],
            [
                (LOOKS[scheme], [values(scheme, burst, f"burst_{key}") for burst in BURSTS])
                for scheme in SCHEMES
            ],
            key=f"burst-{key}",
            title=title,
            label=label,
        )
        for key, title, label in (
            ("share", "Share of all goodput that a bursty source gets", "share (%)"),
            ("lost", "Packets that a bursty source loses", "lost (%)"),
        )
    ]


FIGURES = (
    over_time(
        "A",
        "average throughput",
        "low",
        "few",
        "The network is congested after about 3 s. DropTail has the highest throughput; RED's average drops"
        " twice; ECN's is higher than RED's.",
    ),
    over_time("B", "additive throughput", "low", "few", "As Figure A."),
    over_time(
        "C",
        "average buffer usage",
        "low",
        "few",
        "DropTail uses its queue completely, RED keeps it under-utilized; ECN gives the same benefits in"
        " latency.",
    ),
    over_time(
        "D",
        "current buffer usage",
        "low",
        "few",
        "After the initial reduction the queue oscillates at around 3000-4000 bytes, or 5-7 packets.",
    ),
    over_time(
        "E",
        "average throughput",
        "high",
        "many",
        "The more nodes there are, the less noticeable is the difference between ECN, RED and DropTail.",
    ),
    over_time("F", "additive throughput", "high", "many", "As Figure E."),
    over_time(
        "G",
        "average buffer usage",
        "high",
        "many",
        "The shape is Figure K's, but the curve is shifted up, and is more smooth.",
    ),
    over_time(
        "H",
        "current buffer usage",
        "high",
        "many",
        "The shape is Figure L's, but the curve is shifted up, and is more smooth.",
    ),
    over_time(
        "I",
        "average throughput",
        "high",
        "few",
        "The throughput of RED and ECN is nearly identical to DropTail's.",
    ),
    over_time("J", "additive throughput", "high", "few", "As Figure I."),
    over_time(
        "K",
        "average buffer usage",
        "high",
        "few",
        "Buffer usage of RED and ECN is much higher than with the lower thresholds; the average is near the"
        " minimum threshold, 40 packets.",
    ),
    over_time(
        "L",
        "current buffer usage",
        "high",
        "few",
        "After the initial peak the queue oscillates between about 55 packets and 0 (RED) or 9 packets"
        " (ECN).",
    ),
    Figure(
        "senders",
        "Goodput and queue by number of nodes (not in the paper)",
        "The more nodes are in the network, the less noticeable is the difference between ECN, RED and"
        " DropTail.",
        _sender_runs,
        _senders,
    ),
    Figure(
        "burst",
        "A bursty source beside the others (proposed in section 3, without a figure)",
        "DropTail has a bias against bursty traffic, while ECN and RED are fair to all flows.",
        _burst_runs,
        _burst,
    ),
)
