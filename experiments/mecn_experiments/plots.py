# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures that several papers need: measures over something that was varied, histories, and bars.

Each returns a :class:`Drawing` with its numbers in words. Values are lists of what the seeds gave; what is
drawn is their mean with the 95 % confidence interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .declaration import Drawing
from .figures import BLACK, BLUE, GREEN, GREY, ORANGE, new_figure, style, to_svg
from .statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .statistics import Estimate

PURPLE, YELLOW = "#CC79A7", "#E69F00"
SCALE_TEXT = "#555555"


@dataclass(frozen=True, slots=True)
class Look:
    """How a line is told from others: name, colour, dashes, mark."""

    name: str
    colour: str
    dashes: str = "-"
    marker: str = "o"


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
) -> Drawing:
    """A measure over what was varied; each line maps it to the seeds' values. ticks: one at each point."""
    with style():
        figure, axes = new_figure()
        texts = []
        for look, points in lines:
            places = sorted(points)
            results = [estimate(points[place]) for place in places]
            axes.errorbar(
                places,
                [result.mean for result in results],
                yerr=widths(results),
                color=look.colour,
                linestyle=look.dashes,
                marker=look.marker,
                capsize=2,
                elinewidth=1,
                label=look.name,
            )
            numbers = ", ".join(f"{r.mean:.3g} at {p:g}" for p, r in zip(places, results, strict=True))
            texts.append(f"{look.name}: {numbers}.")
        if logarithmic:
            axes.set_xscale("log")
        if ticks:
            places = sorted({place for _, points in lines for place in points})
            axes.set_xticks(places, [f"{place:g}" for place in places])
            axes.minorticks_off()
        axes.set_xlabel(axis)
        axes.set_ylabel(label)
        _not_too_close(axes)
        if bottom is not None:
            axes.set_ylim(bottom=bottom)
        return finish(figure, axes, key, title, f"{title}; {label} over {axis}. " + " ".join(texts))


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
                xerr=widths(across),
                yerr=widths(up),
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
                yerr=widths(results),
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


def widths(results: Sequence[Estimate]) -> list[float] | None:
    """Error bars; none for a single seed."""
    found = [0.0 if math.isnan(result.half_width) else result.half_width for result in results]
    return found if any(found) else None


def finish(figure: Figure, axes: Axes, key: str, title: str, alt: str) -> Drawing:
    """The figure with its legend above it."""
    count = len(axes.get_legend_handles_labels()[1])
    if count > 1:
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside upper center", ncols=count if count < 4 else 3
        )
    return Drawing(key, title, to_svg(figure, key), alt)


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
