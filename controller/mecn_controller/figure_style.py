# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""How all figures look.

Figures are small on purpose: at a phone's width their text stays readable, and two fit side by side on a
desk. Colours are those of Okabe and Ito, which people with any colour vision tell apart; lines and marks
differ too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes

ORANGE, BLUE, GREEN, GREY, BLACK = "#D55E00", "#0072B2", "#009E73", "#767676", "#1a1a1a"
SIZE = (4.5, 3.0)
"""Inches."""

_STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.labelsize": 9,
    "axes.edgecolor": "#555555",
    "axes.labelcolor": BLACK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.7,
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "path.simplify": True,
    "path.simplify_threshold": 0.2,
    "svg.fonttype": "path",
}


def style() -> AbstractContextManager[None]:
    """The common style, for all that is drawn inside."""
    return mpl.rc_context(_STYLE)


def new_figure() -> tuple[Figure, Axes]:
    """An empty figure."""
    figure = Figure(figsize=SIZE, layout="constrained")
    return figure, figure.add_subplot()
