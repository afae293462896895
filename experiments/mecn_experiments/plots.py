# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures that several papers need: measures over something that was varied, histories, and bars.

Each returns a :class:`Drawing` with its numbers in words. Values are lists of what the seeds gave; what is
drawn is their mean with the 95 % confidence interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .declaration import Drawing
from .statistics import estimate
from .style import BLACK, BLUE, GREEN, GREY, ORANGE, new_figure, style, to_svg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .dataset import Row
    from .statistics import Estimate

PURPLE, YELLOW = "#CC79A7", "#E69F00"
SCALE_TEXT = "#555555"


@dataclass(frozen=True, slots=True)
class Look:
    """How a line is told from others: name, colour, dashes, mark."""

    name: str
    colour: str
    dashes: str = "-"
    """Matplotlib's line style; "none" for marks alone."""
    marker: str = "o"
    hollow: bool = False
    """Marks are drawn as outlines."""

    def named(self, name: str) -> Look:
        """The same under another name."""
        return replace(self, name=name)


@dataclass(frozen=True, slots=True)
class Legend:
    """A legend over the axes, where it is not to be over the whole figure."""

    columns: int
    above: float
    """Its upper edge, in heights of the axes."""
    size: float | None = None
    """Of its text, points; None: the usual one."""


LOOKS = (
    ("-", "o", BLUE),
    ("--", "s", ORANGE),
    ("-.", "^", GREEN),
    (":", "D", BLACK),
    ("-", "v", PURPLE),
    ("--", "P", YELLOW),
    ("-.", "X", GREY),
)


def looks(names: Sequence[str]) -> list[Look]:
    """A look for each name, at most seven."""
    return [
        Look(name, colour, dashes, marker)
        for name, (dashes, marker, colour) in zip(names, LOOKS, strict=False)
    ]


def curves(
    lines: Sequence[tuple[Look, Mapping[float, Sequence[float]]]],
    *,
    key: str,
    title: str,
    axis: str,
    label: str,
    logarithmic: bool = False,
    bottom: float | None = None,
    ticks: bool = False,
    legend: Legend | None = None,
) -> Drawing:
    """A measure over what was varied; each line maps it to the seeds' values. ticks: one at each point."""
    with style():
        figure, axes = new_figure()
        texts = []
        for look, points in lines:
            places, results = means(axes, look, points, most=_most(label))
            texts.append(told(look.name, places, results))
        if logarithmic:
            axes.set_xscale("log")
        if ticks:
            places = sorted({place for _, points in lines for place in points})
            axes.set_xticks(
                places, tick_labels(places) if logarithmic else [f"{place:g}" for place in places]
            )
            axes.minorticks_off()
        axes.set_xlabel(axis)
        axes.set_ylabel(label)
        _not_too_close(axes)
        if bottom is not None:
            axes.set_ylim(bottom=bottom)
        said = f"{title}; {label} over {axis}. " + " ".join(texts)
        return finish(figure, axes, key, title, said, legend)


def by_place(
    rows: Iterable[Row], place: str | Callable[[Row], float], measure: Callable[[Row], float]
) -> dict[float, list[float]]:
    """What a line of :func:`curves` needs: the rows' measures by what was varied, a column or a function."""
    found: dict[float, list[float]] = {}
    for row in rows:
        where = float(row[place]) if isinstance(place, str) else place(row)
        found.setdefault(where, []).append(measure(row))
    return found


def means(
    axes: Axes,
    look: Look,
    points: Mapping[float, Sequence[float]],
    *,
    interval_width: float = 1,
    most: float = math.inf,
) -> tuple[list[float], list[Estimate]]:
    """Draws the seeds' means over each place with 95 % confidence intervals; returns places and means.

    most: the greatest value that there can be, where intervals are cut.
    """
    places = sorted(points)
    results = [estimate(points[place]) for place in places]
    axes.errorbar(
        places,
        [result.mean for result in results],
        yerr=widths(results, most),
        color=look.colour,
        linestyle=look.dashes,
        marker=look.marker,
        markerfacecolor="white" if look.hollow else look.colour,
        capsize=2,
        elinewidth=interval_width,
        label=look.name,
    )
    return places, results


def told(name: str, places: Sequence[float], results: Sequence[Estimate]) -> str:
    """A line's numbers in words."""
    numbers = ", ".join(f"{r.mean:.3g} at {p:g}" for p, r in zip(places, results, strict=True))
    return f"{name}: {numbers}."


LABEL_SHARE = 0.08
"""A tick's label takes about that share of the axis' length."""


def tick_labels(places: Sequence[float]) -> list[str]:
    """Labels of rising places on a logarithmic axis; one that the next would touch is left out."""
    if len(places) < 2:
        return [f"{place:g}" for place in places]
    needed = LABEL_SHARE * math.log(places[-1] / places[0])
    labels = [""] * len(places)
    next_place = math.inf
    for i in reversed(range(len(places))):
        if math.log(next_place / places[i]) >= needed:
            labels[i], next_place = f"{places[i]:g}", places[i]
    return labels


def frontier(
    lines: Sequence[tuple[Look, Sequence[tuple[Sequence[float], Sequence[float]]]]],
    *,
    key: str,
    title: str,
    axis: str,
    label: str,
) -> Drawing:
    """One measure against another; each point has the seeds' values of both."""
    with style():
        figure, axes = new_figure()
        texts = []
        for look, points in lines:
            across = [estimate(x) for x, _ in points]
            up = [estimate(y) for _, y in points]
            axes.errorbar(
                [x.mean for x in across],
                [y.mean for y in up],
                xerr=widths(across, _most(axis)),
                yerr=widths(up, _most(label)),
                color=look.colour,
                linestyle=look.dashes,
                marker=look.marker,
                capsize=2,
                elinewidth=0.9,
                label=look.name,
            )
            pairs = ", ".join(f"{y.mean:.3g} at {x.mean:.3g}" for x, y in zip(across, up, strict=True))
            texts.append(f"{look.name}: {pairs}.")
        _not_too_close(axes)
        axes.set_xlabel(axis)
        axes.set_ylabel(label)
        return finish(figure, axes, key, title, f"{title}; {label} over {axis}. " + " ".join(texts))


def history(
    lines: Sequence[tuple[Look, Sequence[float], Sequence[float]]],
    *,
    key: str,
    title: str,
    label: str,
    levels: Sequence[tuple[str, float]] = (),
    top: float | None = None,
    steps: bool = False,
    thin: Sequence[str] = (),
    note: str = "",
) -> Drawing:
    """Lines over time, with named levels at the right edge. thin: names of lines that jump about."""
    with style():
        figure, axes = new_figure()
        texts = []
        for look, times, values in lines:
            slight = look.name in thin
            axes.plot(
                times,
                values,
                color=look.colour,
                linestyle="-" if slight else look.dashes,
                linewidth=0.7 if slight else 1.4,
                alpha=0.8 if slight else 1.0,
                drawstyle="steps-post" if steps and slight else "default",
                label=look.name,
            )
            low, high = min(values), max(values)
            texts.append(f"{look.name}: from {low:.3g} to {high:.3g}, {values[-1]:.3g} at the end.")
        end = max(times[-1] for _, times, _ in lines)
        axes.set_xlim(0, end)
        highest = max(*(max(values) for _, _, values in lines), *(value for _, value in levels), 0)
        axes.set_ylim(0, top or 1.06 * highest)
        _levels(axes, levels)
        if top is not None:
            _peak(axes, lines, top)
        axes.set_xlabel("time (s)")
        axes.set_ylabel(label)
        return finish(figure, axes, key, title, f"{title}; {label} over {end:g} s. " + " ".join(texts) + note)


def bars(
    groups: Sequence[str],
    series: Sequence[tuple[Look, Sequence[Sequence[float]]]],
    *,
    key: str,
    title: str,
    label: str,
    bottom: float | None = None,
) -> Drawing:
    """Bars side by side in each group; each series has the seeds' values for each group."""
    hatches = ("", "//", "..", "xx", "\\\\", "++", "--")
    with style():
        figure, axes = new_figure()
        width = 0.8 / len(series)
        texts = []
        for number, (look, values) in enumerate(series):
            results = [estimate(group) for group in values]
            axes.bar(
                [i - 0.4 + (number + 0.5) * width for i in range(len(groups))],
                [result.mean for result in results],
                0.92 * width,
                yerr=widths(results, _most(label)),
                color=look.colour,
                hatch=hatches[number],
                edgecolor="white",
                ecolor=BLACK,
                capsize=2,
                error_kw={"elinewidth": 0.8},
                label=look.name,
            )
            numbers = ", ".join(f"{g} {r.mean:.3g}" for g, r in zip(groups, results, strict=True))
            texts.append(f"{look.name}: {numbers}.")
        axes.set_xticks(range(len(groups)), groups)
        axes.grid(visible=False, axis="x")
        axes.set_ylabel(label)
        if bottom is not None:
            axes.set_ylim(bottom=bottom)
        return finish(figure, axes, key, title, f"{title}, {label}. " + " ".join(texts))


def widths(results: Sequence[Estimate], most: float = math.inf) -> list[list[float]] | None:
    """Error bars, down and up; none for a single seed.

    most: the greatest value that there can be. Intervals end there, unless the mean is above.
    """
    found = [0.0 if math.isnan(result.half_width) else result.half_width for result in results]
    if not any(found):
        return None
    up = [
        min(width, most - result.mean) if result.mean <= most else width
        for width, result in zip(found, results, strict=True)
    ]
    return [found, up]


def _most(label: str) -> float:
    """The greatest value of an axis: shares, which are in %, have one."""
    return 100.0 if label.endswith("(%)") else math.inf


LEGEND_CHARACTERS = 58
"""Of a line of the legend, at the usual size of figure and text; a sample of the line is six wide."""


def legend_columns(names: Sequence[str]) -> int:
    """As many as fit beside each other, in rows of about the same length."""
    most = max(1, min(len(names), LEGEND_CHARACTERS // (max(map(len, names)) + 6)))
    return math.ceil(len(names) / math.ceil(len(names) / most))


def finish(
    figure: Figure, axes: Axes, key: str, title: str, alt: str, legend: Legend | None = None
) -> Drawing:
    """The figure with its legend above it."""
    handles, names = axes.get_legend_handles_labels()
    if legend is not None:
        axes.legend(
            loc="upper center",
            ncols=legend.columns,
            bbox_to_anchor=(0.5, legend.above),
            fontsize=legend.size,
        )
    elif len(names) > 1:
        figure.legend(handles, names, loc="outside upper center", ncols=legend_columns(names))
    return Drawing(key, title, to_svg(figure, key, title), alt)


def _peak(axes: Axes, lines: Sequence[tuple[Look, Sequence[float], Sequence[float]]], top: float) -> None:
    """Names the highest value where it leaves the picture."""
    peak, when = max((max(values), times[values.index(max(values))]) for _, times, values in lines)
    if peak > top:
        axes.annotate(
            f"peak {peak:.0f}",
            (when, top),
            xytext=(10, -4),
            textcoords="offset points",
            va="top",
            fontsize=7.5,
            color=SCALE_TEXT,
        )


def _not_too_close(axes: Axes) -> None:
    """Lets each axis span two hundredths of its values at least, so that noise looks like noise."""
    for limits, set_limits in ((axes.get_xlim(), axes.set_xlim), (axes.get_ylim(), axes.set_ylim)):
        low, high = limits
        least = 0.02 * max(abs(low), abs(high))
        if high - low < least:
            middle = (low + high) / 2
            set_limits(middle - least / 2, middle + least / 2)


def _levels(axes: Axes, levels: Sequence[tuple[str, float]]) -> None:
    """Dotted lines, named at the right edge; names that would overlap are moved up."""
    bottom, top = axes.get_ylim()
    gap, last = 0.055 * (top - bottom), -math.inf
    for name, value in sorted(levels, key=lambda level: level[1]):
        axes.axhline(value, color=GREY, linewidth=0.8, linestyle=":")
        last = max(value, last + gap)
        axes.annotate(
            name,
            (1.0, last),
            xycoords=("axes fraction", "data"),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=7.5,
            color=SCALE_TEXT,
            annotation_clip=False,
        )
