# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How this paper's figures look: mark-tail in orange squares, mark-front in blue circles, as lines over T."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..figures import BLACK, BLUE, ORANGE, new_figure, style
from ..plots import Legend, Look, by_place, finish, history, means
from .scenarios import STRATEGIES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing
    from ..statistics import Estimate
    from .scenarios import Strategy

LOOKS: dict[Strategy, Look] = {
    "tail": Look("mark-tail", ORANGE, "--", "s"),
    "front": Look("mark-front", BLUE, "-", "o"),
}
NAMES: dict[Strategy, str] = {strategy: look.name for strategy, look in LOOKS.items()}


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
            look = LOOKS[strategy]
            points = by_place(data.select(strategy=strategy, **where), "threshold", measure)
            thresholds, results = means(axes, replace(look, dashes="none") if theory else look, points)
            if theory:
                axes.plot(
                    thresholds,
                    [theory(strategy, int(threshold)) for threshold in thresholds],
                    color=look.colour,
                    linestyle=look.dashes,
                    linewidth=1,
                    label=f"bound, {look.name}",
                )
            texts.append(_in_words(look.name, thresholds, results))
        axes.set_xlabel(axis)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=bottom, top=top)
        said = f"{title}; {label} over {axis}. " + " ".join(texts)
        return finish(figure, axes, key, title, said, Legend(2, 1.24 if theory else 1.14))


def _in_words(name: str, thresholds: Sequence[float], results: Sequence[Estimate]) -> str:
    low = min(range(len(results)), key=lambda i: results[i].mean)
    high = max(range(len(results)), key=lambda i: results[i].mean)
    return (
        f"{name}: from {results[0].mean:.3g} at {thresholds[0]:g} to {results[-1].mean:.3g} at"
        f" {thresholds[-1]:g}, least {results[low].mean:.3g} at {thresholds[low]:g}, most"
        f" {results[high].mean:.3g} at {thresholds[high]:g}."
    )


def queue_trace(
    row: Row, *, key: str, title: str, limits: Sequence[tuple[str, float]], top: float
) -> Drawing:
    """Queue and average over time."""
    time, strategy = row["trace_time_s"], row["strategy"]
    return history(
        [
            (Look("queue", LOOKS[strategy].colour), time, row["trace_qdepth"]),
            (Look("average", BLACK, "-."), time, row["trace_avg_qdepth"]),
        ],
        key=key,
        title=title,
        label="queue (packets)",
        levels=limits,
        top=top,
        steps=True,
        thin=("queue",),
        note=f" The queue peaks after {row['peak_s']:.2f} s, and the link idles"
        f" {row['fraction_idle'] * 100:.1f} % of the counted time.",
    )
