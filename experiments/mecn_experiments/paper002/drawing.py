# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How this paper's figures look: a colour for each setting of RED, dashed with ECN; black drop-tail."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ..declaration import Drawing
from ..plots import Look, by_place, means, told
from ..statistics import estimate
from ..style import BLACK, BLUE, GREEN, GREY, ORANGE, new_figure, style, to_svg
from .scenarios import ECN, RED, SCHEMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..dataset import Dataset, Row
    from .scenarios import Scheme

COLOURS = {"dt": BLACK, "r1": ORANGE, "r2": BLUE, "r3": GREEN}
MARKERS = {"dt": "x", "r1": "o", "r2": "s", "r3": "^"}
ONE_ROW = 5
"""Most entries of a legend of one row; more are all schemes, in two."""


def look(scheme: Scheme) -> Look:
    """Line and mark of a scheme."""
    plain, ecn = scheme.removesuffix("e"), scheme in ECN
    return Look(scheme, COLOURS[plain], "--" if ecn else "-", MARKERS[plain], hollow=ecn)


def finished(figure: Figure, axes: Axes, key: str, title: str, words: Sequence[str]) -> Drawing:
    """The drawing with its legend above, and its description from the axes' names and these sentences."""
    entries = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    if len(entries) > ONE_ROW:
        # Columns are filled first: what has no ECN above what has it.
        rest = [label for label in entries if label not in SCHEMES] or [""]
        order = ["dt", rest[0], *(label for pair in zip(RED, ECN, strict=True) for label in pair), *rest[1:]]
        entries = {label: entries.get(label, Line2D([], [], linestyle="none")) for label in order}
    if len(entries) > 1:
        columns = len(entries) if len(entries) <= ONE_ROW else math.ceil(len(entries) / 2)
        figure.legend(
            list(entries.values()),
            list(entries),
            loc="outside upper center",
            ncols=columns,
            columnspacing=1.2,
        )
    said = f"{title}; {axes.get_ylabel()} over {axes.get_xlabel()}. " + " ".join(words)
    return Drawing(key, title, to_svg(figure, key, title), said)


def curves(
    data: Dataset,
    *,
    key: str,
    title: str,
    axis: str,
    label: str,
    x: str | Callable[[Row], float],
    measure: Callable[[Row], float],
    schemes: Sequence[Scheme],
    level: float | None = None,
) -> Drawing:
    """A measure over a column, a line for each scheme, with 95 % confidence intervals."""
    with style():
        figure, axes = new_figure()
        words = []
        if level is not None:
            axes.axhline(level, color=GREY, linewidth=0.8, linestyle=":")
        for scheme in schemes:
            points = by_place(data.select(scheme=scheme), x, measure)
            places, results = means(axes, look(scheme), points, interval_width=0.8)
            words.append(told(scheme, places, results))
        axes.set_xlabel(axis)
        axes.set_ylabel(label)
        axes.set_xlim(left=0)
        if all(place.is_integer() for place in places):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        return finished(figure, axes, key, title, words)


def distributions(
    *,
    key: str,
    title: str,
    axis: str,
    lines: Sequence[tuple[Scheme, Sequence[float]]],
    level: float | None = None,
) -> Drawing:
    """Cumulative distributions, a line for each scheme."""
    with style():
        figure, axes = new_figure()
        words = []
        for scheme, values in lines:
            ordered = sorted(values)
            shares = [(i + 1) / len(ordered) for i in range(len(ordered))]
            line = look(scheme)
            axes.plot(
                ordered,
                shares,
                drawstyle="steps-post",
                label=scheme,
                color=line.colour,
                linestyle=line.dashes,
            )
            low, middle, high = (ordered[int(share * (len(ordered) - 1))] for share in (0.1, 0.5, 0.9))
            words.append(f"{scheme}: tenth {low:.3g}, median {middle:.3g}, nine tenths {high:.3g}.")
        if level is not None:
            axes.axvline(level, color=GREY, linewidth=0.8, linestyle=":")
        axes.set_xlabel(axis)
        axes.set_ylabel("share of flows")
        axes.set_ylim(0, 1.02)
        return finished(figure, axes, key, title, words)


def scatter(
    *,
    key: str,
    title: str,
    axis: str,
    label: str,
    points: Sequence[tuple[Look, Sequence[tuple[float, float]]]],
    guides: Sequence[tuple[str, Callable[[float], float], str]] = (),
) -> Drawing:
    """Points of several kinds, and lines of theory (name, function, line style)."""
    with style():
        figure, axes = new_figure()
        words = []
        for kind, places in points:
            axes.plot(
                [p[0] for p in places],
                [p[1] for p in places],
                label=kind.name,
                markersize=4,
                color=kind.colour,
                linestyle="none",
                marker=kind.marker,
                markerfacecolor="white" if kind.hollow else kind.colour,
            )
            middle = estimate([p[1] / p[0] for p in places if p[0]]).mean
            words.append(f"{kind.name}: {len(places)} points, y over x {middle:.3g} in the mean.")
        if guides:
            low, high = axes.get_xlim()
            low = max(0.0, low)
            top = axes.get_ylim()[1]
            steps = [low + (high - low) * i / 100 for i in range(101)]
            for guide, function, line in guides:
                axes.plot(
                    steps,
                    [function(step) for step in steps],
                    color=GREY,
                    linewidth=1,
                    linestyle=line,
                    label=guide,
                )
            axes.set_ylim(0, top)
        axes.set_xlabel(axis)
        axes.set_ylabel(label)
        return finished(figure, axes, key, title, words)
