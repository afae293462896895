# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of one run of a lab: the queue, the windows, the goodput, the marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..declaration import Drawing
from ..plots import LOOKS
from ..style import BLACK, BLUE, GREEN, GREY, ORANGE, new_figure, style, to_svg
from .results import flow_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from mecn_topo.lab.measure import FlowSeries

    from .results import Recorded

MAX_LABELLED = 8
"""Flows that get a line in a legend."""
GOODPUT_SPAN_S = 1.0


def draw(measured: Recorded) -> list[Drawing]:
    """All pictures of a run."""
    with style():
        return [_queue(measured), _cwnd(measured), _goodput(measured), _marks(measured)]


def thresholds(measured: Recorded) -> list[tuple[str, float]]:
    """The watched profile's thresholds that it has."""
    profile = measured.scenario.placements[0].profile
    named = {"min_th": "min", "mid_th": "mid", "max_th": "max", "threshold": "T"}
    return [(short, getattr(profile, name)) for name, short in named.items() if hasattr(profile, name)]


def _queue(measured: Recorded) -> Drawing:
    figure, axes = new_figure()
    row = measured.row
    time, depth, average = row["trace_time_s"], row["trace_qdepth"], row["trace_avg_qdepth"]
    axes.plot(time, depth, color=BLUE, linewidth=0.6, alpha=0.75, label="queue", drawstyle="steps-post")
    axes.plot(time, average, color=BLACK, linewidth=1.5, label="average")
    shown = thresholds(measured)
    usual = float(np.percentile(depth, 99)) if len(depth) else 1.0
    top = 1.15 * max([usual, *(1.15 * value for _, value in shown), 1.0])
    placed = -top
    for name, value in shown:
        axes.axhline(value, color=GREY, linewidth=0.8, linestyle=":")
        placed = max(value, placed + 0.06 * top)
        _at_the_edge(axes, name, placed)
    axes.set_xlabel("time (s)")
    axes.set_ylabel("queue (packets)")
    axes.set_xlim(0, measured.recording.plan.duration_s)
    axes.set_ylim(0, top)
    axes.legend(loc="upper center", ncols=2, bbox_to_anchor=(0.5, 1.14))
    profile = measured.scenario.placements[0].profile.name
    alt = f"Queue over time with {profile}: mean {row['queue_mean']:.1f}, maximum {row['queue_max']} packets."
    title = f"Queue with {profile}"
    return Drawing("queue", title, to_svg(figure, "queue", title), alt)


def _at_the_edge(axes: Axes, text: str, height: float) -> None:
    axes.annotate(
        text,
        (1.0, height),
        xycoords=("axes fraction", "data"),
        xytext=(3, 0),
        textcoords="offset points",
        va="center",
        fontsize=7.5,
        color="#555555",
        annotation_clip=False,
    )


def _per_flow(axes: Axes, measured: Recorded) -> list[tuple[FlowSeries, dict[str, object]]]:
    """How each flow is drawn: told apart by colour and line if they are few."""
    flows = measured.recording.flows
    colours, lines = [colour for _, _, colour in LOOKS], ("-", "--")
    if len(flows) > MAX_LABELLED:
        return [(flow, {"color": BLUE, "alpha": 0.35, "linewidth": 0.7}) for flow in flows]
    del axes
    return [
        (
            flow,
            {
                "color": colours[i % len(colours)],
                "linestyle": lines[i // len(colours)],
                "linewidth": 0.9,
                "label": flow_name(flow),
            },
        )
        for i, flow in enumerate(flows)
    ]


def _finish(axes: Axes, measured: Recorded, label: str) -> None:
    axes.set_xlabel("time (s)")
    axes.set_ylabel(label)
    axes.set_xlim(0, measured.recording.plan.duration_s)
    axes.set_ylim(bottom=0)
    n = len(measured.recording.flows)
    if n <= MAX_LABELLED:
        rows = 1 + (n - 1) // 4
        axes.legend(
            loc="lower center",
            ncols=min(n, 4),
            bbox_to_anchor=(0.5, 1.0),
            columnspacing=1.0,
            handlelength=1.4,
        )
        axes.margins(y=0.05 * rows)


def _cwnd(measured: Recorded) -> Drawing:
    figure, axes = new_figure()
    means = []
    for series, look in _per_flow(axes, measured):
        axes.plot(series.time_s, series.cwnd, drawstyle="steps-post", **look)  # type: ignore[arg-type]
        means.append(f"{flow_name(series)} {np.mean(series.cwnd):.1f}" if series.cwnd else "none")
    _finish(axes, measured, "cwnd (packets)")
    alt = "Congestion windows over time, mean by flow: " + ", ".join(means) + " packets."
    return Drawing("cwnd", "Congestion windows", to_svg(figure, "cwnd", "Congestion windows"), alt)


def goodput(series: FlowSeries, span_s: float = GOODPUT_SPAN_S) -> tuple[np.ndarray, np.ndarray]:
    """Times, and acknowledged bits per second over the span before each."""
    time = np.asarray(series.time_s)
    acked = np.asarray(series.bytes_acked, dtype=float)
    first = np.searchsorted(time, time - span_s - 1e-9, side="left")
    elapsed = time - time[first]
    rate = np.divide(8 * (acked - acked[first]), elapsed, out=np.zeros_like(acked), where=elapsed > 0)
    return time, rate


def _goodput(measured: Recorded) -> Drawing:
    figure, axes = new_figure()
    for series, look in _per_flow(axes, measured):
        if series.time_s:
            time, rate = goodput(series)
            axes.plot(time, rate / 1e6, **look)  # type: ignore[arg-type]
    _finish(axes, measured, "goodput (Mbit/s)")
    total = sum(measured.row["goodputs_bps"]) / 1e6
    alt = f"Goodput of each flow over the second before; {total:.3f} Mbit/s in all."
    return Drawing("goodput", "Goodput", to_svg(figure, "goodput", "Goodput"), alt)


def _marks(measured: Recorded) -> Drawing:
    figure, axes = new_figure()
    marks = measured.recording.marks
    time = np.asarray(marks.time_s)
    for label, counts, colour, line in (
        ("ECT(1), incipient", marks.incipient, GREEN, "-"),
        ("CE", marks.ce, ORANGE, "--"),
        ("early drops", marks.early_drops, BLACK, ":"),
    ):
        axes.plot(time, counts, color=colour, linestyle=line, label=label, drawstyle="steps-post")
    axes.set_xlabel("time (s)")
    axes.set_ylabel("packets since the start")
    axes.set_xlim(0, measured.recording.plan.duration_s)
    axes.set_ylim(bottom=0)
    axes.legend(loc="lower center", ncols=3, bbox_to_anchor=(0.5, 1.0), columnspacing=1.0)
    row = measured.row
    alt = (
        f"Marks of the watched queue over time: {row['marked_incipient']} incipient, {row['marked_ce']} CE,"
        f" {row['early_drops']} early drops, of {row['sent_packets']} packets."
    )
    return Drawing("marks", "Marks by level", to_svg(figure, "marks", "Marks by level"), alt)
