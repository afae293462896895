# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures 6 to 10 and 14 of the paper, and two that show what its text says, drawn from the data file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..declaration import Drawing
from ..errors import ExperimentError
from ..figures import BLACK, BLUE, GREEN, GREY, ORANGE, new_figure, style, to_svg
from ..statistics import estimate
from .scenarios import HIGH_PAIR, LOW_PAIR, SCHEMES, Scenario

if TYPE_CHECKING:
    from ..dataset import Dataset
    from .parameters import Parameters

COLOURS = {"ECN": ORANGE, "MECN": BLUE, "MECN*": GREEN}
MARKERS = {"ECN": "s", "MECN": "o", "MECN*": "^"}
LINES = {"ECN": "--", "MECN": "-", "MECN*": "-."}


def draw_all(data: Dataset, parameters: Parameters) -> dict[str, Drawing]:
    """All figures by key."""
    parts = (low_traces, efficiency, empty_queue, high_traces, deviation, jitter, frontier)
    return {drawing.key: drawing for part in parts for drawing in part(data, parameters)}


def low_traces(data: Dataset, parameters: Parameters) -> list[Drawing]:
    """Figures 6 and 7, on one scale."""
    return _pair_of_traces(data, parameters, LOW_PAIR, (("figure-06", "Figure 6"), ("figure-07", "Figure 7")))


def high_traces(data: Dataset, parameters: Parameters) -> list[Drawing]:
    """Figures 9 and 10, on one scale."""
    return _pair_of_traces(
        data, parameters, HIGH_PAIR, (("figure-09", "Figure 9"), ("figure-10", "Figure 10"))
    )


def _pair_of_traces(
    data: Dataset,
    parameters: Parameters,
    pair: tuple[Scenario, Scenario],
    names: tuple[tuple[str, str], tuple[str, str]],
) -> list[Drawing]:
    with style():
        top = max(_usual_top(_trace(data, parameters, scenario)[1], scenario) for scenario in pair)
        return [
            _queue_trace(data, parameters, key, number, scenario, top)
            for (key, number), scenario in zip(names, pair, strict=True)
        ]


def efficiency(data: Dataset, parameters: Parameters) -> list[Drawing]:
    """Figure 8."""
    title, label = "Figure 8: link efficiency, low thresholds", "link efficiency (%)"
    with style():
        return [_over_sources(data, parameters, "figure-08", title, LOW_PAIR, "link_efficiency", label, 100)]


def empty_queue(data: Dataset, parameters: Parameters) -> list[Drawing]:
    """What Figures 6 and 7 show for one run, for every number of sources."""
    title, label = "Share of the time with an empty queue, low thresholds", "time with empty queue (%)"
    with style():
        return [
            _over_sources(
                data, parameters, "empty-queue", title, LOW_PAIR, "fraction_empty", label, 100, from_zero=True
            )
        ]


def deviation(data: Dataset, parameters: Parameters) -> list[Drawing]:
    """The error in the queue of Figures 9 and 10."""
    title, label = "Standard deviation of the queue, high thresholds", "std. deviation of queue (packets)"
    with style():
        return [
            _over_sources(
                data, parameters, "queue-deviation", title, HIGH_PAIR, "queue_std", label, 1, from_zero=True
            )
        ]


def jitter(data: Dataset, parameters: Parameters) -> list[Drawing]:
    """The jitter of Figures 9 and 10."""
    title, label = "Jitter, high thresholds", "jitter (ms)"
    with style():
        return [
            _over_sources(
                data, parameters, "jitter", title, HIGH_PAIR, "jitter_s", label, 1000, from_zero=True
            )
        ]


def _trace(
    data: Dataset, parameters: Parameters, scenario: Scenario
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = data.select(scenario=scenario.name, n_sources=parameters.traced, seed=1)
    if not rows or rows[0]["trace_time_s"] is None:
        raise ExperimentError(
            f"the data file has no queue trace of {scenario.name}, {parameters.traced} sources"
        )
    row = rows[0]
    return (
        np.asarray(row["trace_time_s"], dtype=float),
        np.asarray(row["trace_qdepth"], dtype=float),
        np.asarray(row["trace_avg_qdepth"], dtype=float),
    )


def _usual_top(depth: np.ndarray, scenario: Scenario) -> float:
    """Where a trace's axis ends: above max_th, and above the queue but for a hundredth of the time."""
    return 1.15 * max(float(np.percentile(depth, 99)), scenario.thresholds[2] * 1.15)


def _spread(values: list[float], gap: float) -> list[float]:
    """Rising positions near the values, at least a gap apart."""
    placed: list[float] = []
    for value in values:
        placed.append(max(value, placed[-1] + gap) if placed else value)
    return placed


def _queue_trace(
    data: Dataset, parameters: Parameters, key: str, number: str, scenario: Scenario, top: float
) -> Drawing:
    time, depth, average = _trace(data, parameters, scenario)
    figure, axes = new_figure()
    colour = COLOURS[scenario.scheme]
    axes.plot(time, depth, color=colour, linewidth=0.6, alpha=0.75, label="queue", drawstyle="steps-post")
    axes.plot(time, average, color=BLACK, linewidth=1.5, label="average")
    low, middle, high = scenario.thresholds
    shown = (
        [("min", low), ("max", high)]
        if scenario.scheme == "ECN"
        else [("min", low), ("mid", middle), ("max", high)]
    )
    for _, value in shown:
        axes.axhline(value, color=GREY, linewidth=0.8, linestyle=":")
    heights = _spread([value for _, value in shown], 0.055 * top)
    for (name, _), height in zip(shown, heights, strict=True):
        axes.annotate(
            name,
            (1.0, height),
            xycoords=("axes fraction", "data"),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
            color="#555555",
            annotation_clip=False,
        )
    peak = float(depth.max())
    if peak > top:
        axes.annotate(
            f"peak {peak:.0f}",
            (float(time[int(depth.argmax())]), top),
            xytext=(6, -4),
            textcoords="offset points",
            va="top",
            fontsize=7.5,
            color="#555555",
        )
    axes.set_xlabel("time (s)")
    axes.set_ylabel("queue (packets)")
    axes.set_xlim(0, parameters.duration_s)
    axes.set_ylim(0, top)
    axes.legend(loc="upper center", ncols=2, bbox_to_anchor=(0.5, 1.14))
    mean, deviation = float(np.mean(depth)), float(np.std(depth))
    alt = (
        f"Queue length over {parameters.duration_s:g} seconds for {scenario.name}, {parameters.traced}"
        f" sources: between {depth.min():.0f} and {depth.max():.0f} packets, mean {mean:.1f}, standard"
        f" deviation {deviation:.1f}; the average queue ends at {average[-1]:.1f} packets."
    )
    title = f"{number}: queue with {scenario.name}, N = {parameters.traced}"
    return Drawing(key, title, to_svg(figure, key), alt)


def _over_sources(
    data: Dataset,
    parameters: Parameters,
    key: str,
    title: str,
    pair: tuple[Scenario, Scenario],
    column: str,
    label: str,
    scale: float,
    *,
    from_zero: bool = False,
) -> Drawing:
    figure, axes = new_figure()
    sources = sorted(parameters.sources)
    texts = []
    for offset, scenario in zip((-0.25, 0.25), pair, strict=True):
        results = [estimate(data.values(column, scenario=scenario.name, n_sources=n)) for n in sources]
        means = [result.mean * scale for result in results]
        axes.errorbar(
            [n + offset for n in sources],
            means,
            yerr=_widths([result.half_width * scale for result in results]),
            color=COLOURS[scenario.scheme],
            marker=MARKERS[scenario.scheme],
            linestyle=LINES[scenario.scheme],
            capsize=3,
            elinewidth=1.1,
            label=scenario.name,
        )
        points = ", ".join(f"{mean:.3g} at N = {n}" for n, mean in zip(sources, means, strict=True))
        texts.append(f"{scenario.name}: {points}")
    axes.set_xlabel("number of sources N")
    axes.set_ylabel(label)
    axes.set_xticks(sources)
    if from_zero:
        axes.set_ylim(bottom=0)
    axes.legend(loc="upper center", ncols=2, bbox_to_anchor=(0.5, 1.14))
    return Drawing(
        key, title, to_svg(figure, key), f"{title}, {label} by number of sources. " + "; ".join(texts) + "."
    )


def _widths(half_widths: list[float]) -> list[float] | None:
    """Error bars; none at all for a single seed."""
    return None if any(np.isnan(half_widths)) else half_widths


def frontier(data: Dataset, parameters: Parameters) -> list[Drawing]:
    """Figure 14."""
    with style():
        return [_frontier(data, parameters)]


def _frontier(data: Dataset, parameters: Parameters) -> Drawing:
    figure, axes = new_figure()
    n = parameters.frontier_sources
    texts = []
    for scheme in SCHEMES:
        points = [Scenario(scheme, thresholds) for thresholds in parameters.frontier]
        delays = [estimate(data.values("delay_mean_s", scenario=p.name, n_sources=n)) for p in points]
        efficiency = [estimate(data.values("link_efficiency", scenario=p.name, n_sources=n)) for p in points]
        label = f"{scheme}, max_p {parameters.max_p_star if scheme == 'MECN*' else parameters.max_p:g}"
        axes.errorbar(
            [d.mean * 1000 for d in delays],
            [e.mean * 100 for e in efficiency],
            xerr=_widths([d.half_width * 1000 for d in delays]),
            yerr=_widths([e.half_width * 100 for e in efficiency]),
            color=COLOURS[scheme],
            marker=MARKERS[scheme],
            linestyle=LINES[scheme],
            capsize=2,
            elinewidth=0.9,
            label=label,
        )
        pairs = ", ".join(
            f"{e.mean * 100:.1f} % at {d.mean * 1000:.0f} ms" for d, e in zip(delays, efficiency, strict=True)
        )
        texts.append(f"{scheme}: {pairs}")
    axes.set_xlabel("mean one-way delay (ms)")
    axes.set_ylabel("link efficiency (%)")
    axes.legend(loc="lower right")
    title = f"Figure 14: throughput against delay, N = {n}"
    return Drawing("figure-14", title, to_svg(figure, "figure-14"), f"{title}. " + "; ".join(texts) + ".")
