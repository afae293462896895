# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How this paper's figures look: curves over flows or max_p, and bars by group."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..declaration import Drawing
from ..figures import BLUE, GREEN, GREY, ORANGE, new_figure, style, to_svg
from ..statistics import estimate
from .parameters import GROUPS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row

COLOURS = {"RED": ORANGE, "ECN": BLUE, "ECNM": GREEN, "AECN": GREEN, "ARED": ORANGE}
STYLES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D")


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


def curves(
    data: Dataset,
    *,
    key: str,
    title: str,
    axis: str,
    label: str,
    x: str,
    measure: Callable[[Row], float],
    lines: Sequence[tuple[str, str, int, dict[str, object]]],
    logarithmic: bool = False,
) -> Drawing:
    """A measure over a column; each line has a name, a scheme, the number of its style, and its rows."""
    with style():
        figure, axes = new_figure()
        texts = []
        for name, scheme, kind, where in lines:
            rows = data.select(scheme=scheme, **where)
            places = sorted({row[x] for row in rows})
            results = [estimate([measure(row) for row in rows if row[x] == place]) for place in places]
            widths = [0.0 if math.isnan(result.half_width) else result.half_width for result in results]
            axes.errorbar(
                places,
                [result.mean for result in results],
                yerr=widths if any(widths) else None,
                color=COLOURS[scheme],
                linestyle=STYLES[kind],
                marker=MARKERS[kind],
                capsize=2,
                elinewidth=1,
                label=name,
            )
            points = ", ".join(f"{r.mean:.3g} at {p:g}" for p, r in zip(places, results, strict=True))
            texts.append(f"{name}: {points}.")
        if logarithmic:
            axes.set_xscale("log")
            places = sorted({row[x] for row in data.rows})
            axes.set_xticks(places, tick_labels(places))
            axes.minorticks_off()
        axes.set_xlabel(axis)
        axes.set_ylabel(label)
        axes.legend(
            loc="upper center", ncols=2 if len(lines) < 5 else 3, bbox_to_anchor=(0.5, 1.25), fontsize=7.5
        )
        return Drawing(key, title, to_svg(figure, key), f"{title}; {label} over {axis}. " + " ".join(texts))


def bars(data: Dataset, *, key: str, title: str, column: str, label: str) -> Drawing:
    """A rate by group, RED beside ECN."""
    with style():
        figure, axes = new_figure()
        texts = []
        hatches = {"RED": "//", "ECN": ""}
        for offset, scheme in ((-0.2, "RED"), (0.2, "ECN")):
            results = [
                estimate([row[column][i] / 1e6 for row in data.select(scheme=scheme)])
                for i in range(len(GROUPS))
            ]
            widths = [0.0 if math.isnan(result.half_width) else result.half_width for result in results]
            axes.bar(
                [i + offset for i in range(len(GROUPS))],
                [result.mean for result in results],
                0.38,
                yerr=widths if any(widths) else None,
                color=COLOURS[scheme],
                hatch=hatches[scheme],
                edgecolor="white",
                ecolor=GREY,
                capsize=3,
                label=scheme,
            )
            values = ", ".join(f"{group} {r.mean:.2f}" for group, r in zip(GROUPS, results, strict=True))
            texts.append(f"{scheme}: {values}.")
        axes.set_xticks(range(len(GROUPS)), GROUPS)
        axes.set_ylabel(label)
        axes.legend(loc="upper center", ncols=2, bbox_to_anchor=(0.5, 1.14))
        return Drawing(key, title, to_svg(figure, key), f"{title}, {label}. " + " ".join(texts))
