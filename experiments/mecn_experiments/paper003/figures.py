# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The figures and tables, each with the runs that it needs and how it is drawn.

ECN is orange, ECNM (which marks at max_th where ECN drops) black, MECN blue, MECN* green.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..declaration import Figure
from ..errors import ExperimentError
from ..paired import at, of
from ..plots import Look, curves, frontier, history
from ..style import BLACK, BLUE, GREEN, ORANGE
from .packets import ECHO, RESPONSE
from .parameters import LOW
from .scenarios import (
    HIGH_PAIR,
    HIGH_THREE,
    LOW_PAIR,
    LOW_THREE,
    SCHEMES,
    TUNED,
    Point,
    Scenario,
    point,
    recipes,
    theory_recipes,
    whole_recipes,
)
from .theory import computed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from ..paired import Sample
    from .parameters import Parameters
    from .scenarios import Family, Scheme

LOOKS = {
    "ECN": Look("ECN", ORANGE, "--", "s"),
    "ECNM": Look("ECNM", BLACK, ":", "D"),
    "MECN": Look("MECN", BLUE, "-", "o"),
    "MECN*": Look("MECN*", GREEN, "-.", "^"),
}
GAINS = (HIGH_PAIR[1], TUNED)
"""Figures 11 and 12: the thresholds of Figure 10, max_p and with it K_MECN low and high."""


def values(
    data: Dataset,
    parameters: Parameters,
    scenario: Scenario,
    n_sources: int,
    column: str,
    *,
    family: Family = "section 4",
) -> Sample:
    """A measure of section 4's runs."""
    max_p = point(scenario, n_sources, parameters).max_p
    return of(at(data, family=family, scenario=scenario.name, n_sources=n_sources, max_p=max_p), column)


# ---- Measures by number of sources -------------------------------------------------------------------------


def over_sources(
    key: str,
    title: str,
    says: str,
    schemes: Sequence[Scenario],
    column: str,
    label: str,
    *,
    file: str,
    scale: float,
    bottom: float | None = None,
    caption: str = "",
    family: Family = "section 4",
) -> Figure:
    """A measure by number of sources. caption: of the drawing, where it is not the title."""

    def draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
        def line(scenario: Scenario) -> dict[float, list[float]]:
            return {
                n: (values(data, parameters, scenario, n, column, family=family) * scale).numbers
                for n in sorted(parameters.sources)
            }

        return [
            curves(
                [(LOOKS[each.scheme].named(each.name), line(each)) for each in schemes],
                key=file,
                title=caption or title,
                axis="number of sources N",
                label=label,
                bottom=bottom,
                ticks=True,
            )
        ]

    def runs(parameters: Parameters) -> Sequence[Recipe]:
        if family == "whole":
            return whole_recipes(parameters)
        return recipes(parameters, schemes, parameters.sources)

    return Figure(key, title, says, runs, draw)


# ---- The queue over time -----------------------------------------------------------------------------------


def traced(number: int, what: str, says: str, scenario: Scenario, beside: Sequence[Scenario]) -> Figure:
    """Queue and average over time; the axis is that of the figures beside it, if their runs are there."""

    def runs(parameters: Parameters) -> Sequence[Recipe]:
        return recipes(parameters, beside, (parameters.traced,))

    def draw(data: Dataset, parameters: Parameters) -> list[Drawing]:
        run = _traced(data, parameters, scenario)
        top = max(_usual_top(row) for row in (run, *(_traced(data, parameters, other) for other in beside)))
        low, middle, high = scenario.thresholds
        levels = [("min", low), ("max", high)]
        if scenario.scheme != "ECN":
            levels.insert(1, ("mid", middle))
        note = (
            f" Mean {run['queue_mean']:.1f} packets, standard deviation {run['queue_std']:.1f}, empty"
            f" {run['fraction_empty'] * 100:.0f} % of the time, link efficiency"
            f" {run['link_efficiency'] * 100:.1f} %."
        )
        time, depth = run["trace_time_s"], np.asarray(run["trace_qdepth"], dtype=float).tolist()
        name = f"{scenario.name}, N = {parameters.traced}, max_p = {run['max_p']:g}"
        drawing = history(
            [
                (Look("queue", LOOKS[scenario.scheme].colour), time, depth),
                (Look("average", BLACK), time, run["trace_avg_qdepth"]),
            ],
            key=f"figure-{number:02}",
            title=f"Figure {number}: queue with {name}",
            label="queue (packets)",
            levels=levels,
            top=top,
            steps=True,
            thin=("queue",),
            note=note,
        )
        return [drawing]

    return Figure(f"fig{number}", f"Figure {number}: queue with {what}", says, runs, draw)


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


# ---- Section 3 ---------------------------------------------------------------------------------------------


def swept(parameters: Parameters) -> Scenario:
    """MECN where the model holds its queue at every gain."""
    return Scenario("MECN", parameters.gain_thresholds)


def _sweep(parameters: Parameters) -> list[Recipe]:
    return theory_recipes(parameters, (swept(parameters),), parameters.gain_sources, parameters.gain_max_p)


def swept_low(parameters: Parameters) -> Scenario:
    """MECN where its queue can run empty."""
    return Scenario("MECN", parameters.low_gain_thresholds)


def _low_sweep(parameters: Parameters) -> list[Recipe]:
    return theory_recipes(
        parameters, (swept_low(parameters),), parameters.gain_sources, parameters.gain_max_p
    )


def _trade_off_runs(parameters: Parameters) -> list[Recipe]:
    beside = theory_recipes(parameters, HIGH_PAIR, sorted(parameters.sources), (parameters.max_p,))
    return [*_sweep(parameters), *beside]


def _trade_off(data: Dataset, parameters: Parameters) -> list[Drawing]:
    scenario, n = swept(parameters), parameters.gain_sources[0]
    points = {max_p: computed(parameters, scenario, n, max_p) for max_p in parameters.gain_max_p}
    held = {max_p: found for max_p, found in points.items() if found is not None}
    where = f"{scenario.name}, N = {n}"
    network = {
        max_p: data.values("queue_mean", family="section 3", scenario=scenario.name, n_sources=n, max_p=max_p)
        for max_p in parameters.gain_max_p
    }
    return [
        curves(
            [
                (
                    Look("equation 8", BLUE, "-", "o"),
                    {f.sensitivity: [f.delay_margin_s] for f in held.values()},
                ),
                (
                    Look("with all poles", BLACK, "--", "s"),
                    {f.sensitivity: [f.full_margin_s] for f in held.values()},
                ),
            ],
            key="figure-04",
            title=f"Figure 4: delay margin against sensitivity, {where}",
            axis="sensitivity 1 / (1 + K)",
            label="delay margin (s)",
        ),
        curves(
            [
                (Look("fluid model", BLACK, "--", "s"), {p: [found.queue] for p, found in held.items()}),
                (Look("network", GREEN, "-", "o"), network),
            ],
            key="figure-04-queue",
            title=f"Where the queue settles, {where}",
            axis="max_p",
            label="mean queue (packets)",
            bottom=0,
        ),
    ]


GAIN_MEASURES: tuple[tuple[str, str, Callable[[Row], float]], ...] = (
    ("link efficiency", "link efficiency (%)", lambda row: 100 * row["link_efficiency"]),
    ("oscillation", "std. deviation / mean of queue", lambda row: row["queue_std"] / row["queue_mean"]),
)


def _gain(data: Dataset, parameters: Parameters) -> list[Drawing]:
    scenario = swept_low(parameters)

    def line(n: int, measure: Callable[[Row], float]) -> dict[float, list[float]]:
        rows = data.select(family="section 3", scenario=scenario.name, n_sources=n)
        return {p: [measure(row) for row in rows if row["max_p"] == p] for p in parameters.gain_max_p}

    return [
        curves(
            [
                (LOOKS[scheme].named(f"N = {n}"), line(n, measure))
                for scheme, n in zip(("MECN", "MECN*"), parameters.gain_sources, strict=True)
            ],
            key=f"figure-13-{name.replace(' ', '-')}",
            title=f"Figure 13: {name} of {scenario.name} from low to high K_MECN",
            axis="max_p, to which K_MECN is proportional",
            label=label,
        )
        for name, label, measure in GAIN_MEASURES
    ]


# ---- Throughput against delay ------------------------------------------------------------------------------


def _frontier_runs(parameters: Parameters) -> list[Recipe]:
    points = [Scenario(scheme, thresholds) for scheme in SCHEMES for thresholds in parameters.frontier]
    return recipes(parameters, points, (parameters.frontier_sources,))


def _frontier(data: Dataset, parameters: Parameters) -> list[Drawing]:
    n = parameters.frontier_sources

    def place(scheme: Scheme, thresholds: tuple[float, float, float]) -> tuple[list[float], list[float]]:
        where = Scenario(scheme, thresholds)
        delays = values(data, parameters, where, n, "delay_mean_s")
        efficiency = values(data, parameters, where, n, "link_efficiency")
        return (delays * 1000).numbers, (efficiency * 100).numbers

    def named(scheme: Scheme) -> Look:
        max_p = parameters.max_p_star if scheme == "MECN*" else parameters.max_p
        return LOOKS[scheme].named(f"{scheme}, max_p {max_p:g}")

    return [
        frontier(
            [
                (named(scheme), [place(scheme, thresholds) for thresholds in parameters.frontier])
                for scheme in SCHEMES
            ],
            key="figure-14",
            title=f"Figure 14: throughput against delay, N = {n}",
            axis="mean one-way delay (ms)",
            label="link efficiency (%)",
        )
    ]


def _packet_tests(table: str, lines: Iterable[str], parameters: Parameters) -> Sequence[Recipe]:
    return [Point("table", "MECN", LOW, 1, 1.0, case=f"{table} {line}").recipe(parameters) for line in lines]


FIGURES = (
    Figure(
        "fig4",
        "Figure 4: trade-off between delay margin and sensitivity",
        "With less sensitivity there is less delay margin; a high K_MECN is wanted that leaves enough of it.",
        _trade_off_runs,
        _trade_off,
    ),
    traced(
        6,
        "ECN, low thresholds",
        "The oscillations in the queue are very high, and it goes to zero often.",
        LOW_PAIR[0],
        LOW_PAIR,
    ),
    traced(
        7,
        "MECN, low thresholds",
        "The oscillations are reduced, and the throughput is higher.",
        LOW_PAIR[1],
        LOW_PAIR,
    ),
    over_sources(
        "fig8",
        "Figure 8: link efficiency, low thresholds",
        "MECN has the better link efficiency.",
        LOW_THREE,
        "link_efficiency",
        "link efficiency (%)",
        file="figure-08",
        scale=100,
    ),
    over_sources(
        "empty",
        "Time with an empty queue, low thresholds (not in the paper)",
        "With ECN the queue goes to zero often.",
        LOW_THREE,
        "fraction_empty",
        "time with empty queue (%)",
        file="empty-queue",
        scale=100,
        bottom=0,
        caption="Share of the time with an empty queue, low thresholds",
    ),
    traced(
        9,
        "ECN, high thresholds",
        "Beyond a certain max_th the throughput cannot increase.",
        HIGH_PAIR[0],
        HIGH_PAIR,
    ),
    traced(
        10,
        "MECN, high thresholds",
        "The error in the queue and the jitter are reduced.",
        HIGH_PAIR[1],
        HIGH_PAIR,
    ),
    over_sources(
        "deviation",
        "Standard deviation of the queue, high thresholds (not in the paper)",
        "With MECN the error in the queue is reduced.",
        HIGH_THREE,
        "queue_std",
        "std. deviation of queue (packets)",
        file="queue-deviation",
        scale=1,
        bottom=0,
        caption="Standard deviation of the queue, high thresholds",
    ),
    over_sources(
        "jitter",
        "Jitter, high thresholds (not in the paper)",
        "With MECN the jitter is reduced.",
        HIGH_THREE,
        "jitter_s",
        "jitter (ms)",
        file="jitter",
        scale=1000,
        bottom=0,
        caption="Jitter, high thresholds",
    ),
    over_sources(
        "whole",
        "Standard deviation of the queue, high thresholds, from the start on (not in the paper)",
        "With MECN the error in the queue is reduced. Slow start's first overshoot is in these runs.",
        HIGH_THREE,
        "queue_std",
        "std. deviation of queue (packets)",
        file="whole-deviation",
        scale=1,
        bottom=0,
        caption="Standard deviation of the queue, high thresholds, whole runs",
        family="whole",
    ),
    traced(11, "MECN, low K_MECN", "Effect of parameter tuning on MECN: low K_MECN.", HIGH_PAIR[1], GAINS),
    traced(12, "MECN*, high K_MECN", "Effect of parameter tuning on MECN: high K_MECN.", TUNED, GAINS),
    Figure(
        "fig13",
        "Figure 13: effect of parameter tuning on MECN, from low to high K_MECN",
        "Not a very high K_MECN: the queue may oscillate more, resulting in packet drops and less throughput."
        " (What this figure shows in the paper is not known to us; the text is section 3's.)",
        _low_sweep,
        _gain,
    ),
    Figure(
        "fig14",
        "Figure 14: throughput against delay",
        "MECN gives the same throughput as ECN with less delay; MECN*, with a larger K_MECN, is better"
        " still.",
        _frontier_runs,
        _frontier,
    ),
    Figure(
        "table1",
        "Table 1: CWR and ECE of ACKs by CE and ECT",
        "The receiver reflects the bits of the IP header: 0,0 and 0,1 as 0,0; 1,0 as 0,1; 1,1 as 1,1.",
        partial(_packet_tests, "echo", ECHO),
    ),
    Figure(
        "table2",
        "Table 2: response of the sender to CWR and ECE",
        "cwnd grows linearly; is less by a fifth; by two fifths; by half when a packet was dropped.",
        partial(_packet_tests, "response", RESPONSE),
    ),
)
