# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What figures and pages have in common: legends that fit, shares up to 100 %, tallies as tables."""

import re

import pytest
from mecn_experiments.plots import Look, curves, frontier, legend_columns, widths
from mecn_experiments.report import tally
from mecn_experiments.statistics import Estimate
from mecn_experiments.style import BLUE, SIZE, new_figure, style


def test_a_long_legend_stays_inside_the_picture() -> None:
    names = [f"{scheme}, max_p 0.1" for scheme in ("ECN", "ECNM", "MECN", "MECN*")]
    lines = [(Look(name, BLUE), [([1.0, 1.1], [2.0, 2.1])]) for name in names]
    svg = frontier(lines, key="k", title="A < B", axis="x", label="y").svg
    with style():
        figure, axes = new_figure()
        for name in names:
            axes.plot([1, 2], [1, 2], label=name)
        handles, labels = axes.get_legend_handles_labels()
        legend = figure.legend(handles, labels, loc="outside upper center", ncols=legend_columns(labels))
        figure.canvas.draw()
        box = legend.get_window_extent()
    assert 0 <= box.x0 < box.x1 <= SIZE[0] * figure.dpi
    assert re.search(r"<svg[^>]*>\s*<title>A &lt; B</title>", svg)


def test_intervals_of_shares_end_at_100_percent() -> None:
    results = [Estimate(99.0, 3.0, 5), Estimate(50.0, 3.0, 5), Estimate(101.0, 3.0, 5)]
    assert widths(results, 100) == [[3.0, 3.0, 3.0], [1.0, 3.0, 3.0]]
    assert widths(results) == [[3.0] * 3, [3.0] * 3]
    drawn = curves([(Look("a", BLUE), {1: [99, 101.0, 96]})], key="k", title="t", axis="x", label="share (%)")
    assert drawn.svg.startswith("<?xml")


@pytest.mark.parametrize(
    ("why", "rows"),
    [
        ("As claimed in 4 of 4 cases.", [("as claimed", "4 of 4")]),
        (
            "As claimed in 1 of 4 cases; not: N = 2, N = 5; open: N = 30.",
            [("as claimed", "1 of 4"), ("not", "N = 2, N = 5"), ("open", "N = 30")],
        ),
        ("As claimed in 3 of 4 cases; open: N = 30.", [("as claimed", "3 of 4"), ("open", "N = 30")]),
        ("Not run: fig8.", []),
    ],
)
def test_a_tally_is_a_table(why: str, rows: list[tuple[str, str]]) -> None:
    assert tally(why) == rows
