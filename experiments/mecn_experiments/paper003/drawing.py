# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How this paper's figures look: ECN in orange, MECN in blue, MECN* in green."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import ExperimentError
from ..figures import BLACK, BLUE, GREEN, ORANGE
from ..plots import Look, curves, history
from .scenarios import Scenario, point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing
    from .parameters import Parameters
    from .scenarios import Scheme

COLOURS: dict[Scheme, str] = {"ECN": ORANGE, "MECN": BLUE, "MECN*": GREEN}
MARKERS: dict[Scheme, str] = {"ECN": "s", "MECN": "o", "MECN*": "^"}
LINES: dict[Scheme, str] = {"ECN": "--", "MECN": "-", "MECN*": "-."}


def look(scheme: Scheme, name: str) -> Look:
    """A scheme's look under another name."""
    return Look(name, COLOURS[scheme], LINES[scheme], MARKERS[scheme])


def values(
    data: Dataset, parameters: Parameters, scenario: Scenario, n_sources: int, column: str
) -> list[float]:
    """A measure of section 4's runs, one value for each seed."""
    return data.values(
        column,
        family="section 4",
        scenario=scenario.name,
        n_sources=n_sources,
        max_p=point(scenario, n_sources, parameters).max_p,
    )


def over_sources(
    data: Dataset,
    parameters: Parameters,
    pair: Sequence[Scenario],
    *,
    key: str,
    title: str,
    column: str,
    label: str,
    scale: float,
    bottom: float | None = None,
) -> list[Drawing]:
    """A measure of two scenarios by number of sources."""
    return [
        curves(
            [
                (
                    look(scenario.scheme, scenario.name),
                    {
                        n: [scale * value for value in values(data, parameters, scenario, n, column)]
                        for n in sorted(parameters.sources)
                    },
                )
                for scenario in pair
            ],
            key=key,
            title=title,
            axis="number of sources N",
            label=label,
            bottom=bottom,
            ticks=True,
        )
    ]


def queue_trace(
    data: Dataset,
    parameters: Parameters,
    scenario: Scenario,
    *,
    key: str,
    number: str,
    beside: Sequence[Scenario] = (),
) -> list[Drawing]:
    """Queue and average over time; the axis is that of the figures beside it, if their runs are there."""
    run = _traced(data, parameters, scenario)
    others = [_traced(data, parameters, other) for other in beside]
    top = max(_usual_top(row) for row in (run, *others))
    depth = np.asarray(run["trace_qdepth"], dtype=float)
    low, middle, high = scenario.thresholds
    levels = [("min", low), ("max", high)]
    if scenario.scheme != "ECN":
        levels.insert(1, ("mid", middle))
    queue = Look("queue", COLOURS[scenario.scheme])
    note = (
        f" Mean {run['queue_mean']:.1f} packets, standard deviation {run['queue_std']:.1f}, empty"
        f" {run['fraction_empty'] * 100:.0f} % of the time, link efficiency"
        f" {run['link_efficiency'] * 100:.1f} %."
    )
    return [
        history(
            [
                (queue, run["trace_time_s"], depth.tolist()),
                (Look("average", BLACK), run["trace_time_s"], run["trace_avg_qdepth"]),
            ],
            key=key,
            title=f"{number}: queue with {scenario.name}, N = {parameters.traced}, max_p = {run['max_p']:g}",
            label="queue (packets)",
            levels=levels,
            top=top,
            steps=True,
            thin=("queue",),
            note=note,
        )
    ]


def _traced(data: Dataset, parameters: Parameters, scenario: Scenario) -> Row:
    max_p = point(scenario, parameters.traced, parameters).max_p
    rows = data.select(
        family="section 4", scenario=scenario.name, n_sources=parameters.traced, max_p=max_p, seed=1
    )
    if not rows or rows[0]["trace_time_s"] is None:
        raise ExperimentError(
            f"the data file has no queue trace of {scenario.name}, {parameters.traced} sources"
        )
    return rows[0]


def _usual_top(row: Row) -> float:
    """Where a trace's axis ends: above max_th, and above the queue but for a hundredth of the time."""
    depth = np.asarray(row["trace_qdepth"], dtype=float)
    return 1.15 * max(float(np.percentile(depth, 99)), float(row["max_th"]) * 1.15)
