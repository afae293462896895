# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How this paper's figures look: mark-tail in orange squares, mark-front in blue circles, as lines over T."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..declaration import Drawing
from ..figures import BLUE, GREY, ORANGE, new_figure, style, to_svg
from ..statistics import estimate
from .scenarios import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from ..statistics import Estimate
    from .scenarios import Strategy

NAMES: dict[Strategy, str] = {"tail": "mark-tail", "front": "mark-front"}
COLOURS: dict[Strategy, str] = {"tail": ORANGE, "front": BLUE}
MARKERS: dict[Strategy, str] = {"tail": "s", "front": "o"}
LINES: dict[Strategy, str] = {"tail": "--", "front": "-"}


def over_thresholds(
    data: Dataset,
    *,
    key: str,
    title: str,
    label: str,
    axis: str,
    measure: Callable[[Row], float],
    where: dict[str, object],
    theory: Callable[[Strategy, int], float] | None = None,
    bottom: float | None = 0.0,
    top: float | None = None,
) -> Drawing:
    """Both strategies' measure over the threshold, with 95 % confidence intervals; theory as thin lines."""
    with style():
        figure, axes = new_figure()
        texts = []
        for strategy in STRATEGIES:
            thresholds, results = curve(data, strategy, measure, where)
            widths = [0.0 if math.isnan(r.half_width) else r.half_width for r in results]
            axes.errorbar(
                thresholds,
                [r.mean for r in results],
                yerr=widths if any(widths) else None,
                color=COLOURS[strategy],
                marker=MARKERS[strategy],
                linestyle="none" if theory else LINES[strategy],
                capsize=2,
                elinewidth=1,
                label=NAMES[strategy],
            )
            if theory:
                axes.plot(
                    thresholds,
                    [theory(strategy, threshold) for threshold in thresholds],
                    color=COLOURS[strategy],
                    linestyle=LINES[strategy],
                    linewidth=1,
                    label=f"bound, {NAMES[strategy]}",
                )
            texts.append(_in_words(NAMES[strategy], thresholds, results))
        axes.set_xlabel(axis)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=bottom, top=top)
        axes.legend(loc="upper center", ncols=2, bbox_to_anchor=(0.5, 1.24 if theory else 1.14))
        return Drawing(key, title, to_svg(figure, key), f"{title}; {label} over {axis}. " + " ".join(texts))


def _in_words(name: str, thresholds: Sequence[int], results: Sequence[Estimate]) -> str:
    low = min(range(len(results)), key=lambda i: results[i].mean)
    high = max(range(len(results)), key=lambda i: results[i].mean)
    return (
        f"{name}: from {results[0].mean:.3g} at {thresholds[0]} to {results[-1].mean:.3g} at"
        f" {thresholds[-1]}, least {results[low].mean:.3g} at {thresholds[low]}, most"
        f" {results[high].mean:.3g} at {thresholds[high]}."
    )


def curve(
    data: Dataset, strategy: Strategy, measure: Callable[[Row], float], where: dict[str, object]
) -> tuple[list[int], list[Estimate]]:
    """A strategy's measure over the thresholds, as estimates over seeds."""
    rows = data.select(strategy=strategy, **where)
    thresholds = sorted({row["threshold"] for row in rows})
    return thresholds, [
        estimate([measure(row) for row in rows if row["threshold"] == threshold]) for threshold in thresholds
    ]


def queue_trace(
    row: Row, *, key: str, title: str, limits: Sequence[tuple[str, float]], top: float
) -> Drawing:
    """Queue and average over time."""
    time, depth, average = row["trace_time_s"], row["trace_qdepth"], row["trace_avg_qdepth"]
    strategy: Strategy = row["strategy"]
    with style():
        figure, axes = new_figure()
        axes.plot(time, depth, color=COLOURS[strategy], linewidth=1, drawstyle="steps-post", label="queue")
        axes.plot(time, average, color="#1a1a1a", linewidth=1.4, linestyle="-.", label="average")
        for name, value in limits:
            axes.axhline(value, color=GREY, linewidth=0.8, linestyle=":")
            axes.annotate(
                name,
                (1.0, value),
                xycoords=("axes fraction", "data"),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=7.5,
                annotation_clip=False,
            )
        axes.set_xlabel("time (s)")
        axes.set_ylabel("queue (packets)")
        axes.set_xlim(0, time[-1])
        axes.set_ylim(0, top)
        axes.legend(loc="upper center", ncols=2, bbox_to_anchor=(0.5, 1.14))
        alt = (
            f"{title}: the queue peaks at {row['peak']} packets after {row['peak_s']:.2f} s and the link"
            f" idles {row['fraction_idle'] * 100:.1f} % of the counted time."
        )
        return Drawing(key, title, to_svg(figure, key), alt)
