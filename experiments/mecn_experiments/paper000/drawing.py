# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How this paper's figures look: curves over flows or max_p, and bars by group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import plots
from ..figures import BLUE, GREEN, ORANGE
from ..plots import Legend, Look, by_place
from .parameters import GROUPS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing

COLOURS = {"RED": ORANGE, "ECN": BLUE, "ECNM": GREEN, "AECN": GREEN, "ARED": ORANGE}
STYLES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D")


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
    return plots.curves(
        [
            (
                Look(name, COLOURS[scheme], STYLES[kind], MARKERS[kind]),
                by_place(data.select(scheme=scheme, **where), x, measure),
            )
            for name, scheme, kind, where in lines
        ],
        key=key,
        title=title,
        axis=axis,
        label=label,
        logarithmic=logarithmic,
        ticks=logarithmic,
        legend=Legend(2 if len(lines) < 5 else 3, 1.25, 7.5),
    )


def bars(data: Dataset, *, key: str, title: str, column: str, label: str) -> Drawing:
    """A rate by group, RED beside ECN."""
    return plots.bars(
        GROUPS,
        [
            (
                Look(scheme, COLOURS[scheme]),
                [[row[column][i] / 1e6 for row in data.select(scheme=scheme)] for i in range(len(GROUPS))],
            )
            for scheme in ("RED", "ECN")
        ],
        key=key,
        title=title,
        label=label,
    )
