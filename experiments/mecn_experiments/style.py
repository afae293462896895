# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""How figures become SVG that is the same every time."""

from __future__ import annotations

import io
import re
from html import escape
from typing import TYPE_CHECKING

import matplotlib as mpl
from mecn_controller.figure_style import BLACK, BLUE, GREEN, GREY, ORANGE, SIZE, new_figure, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BLACK", "BLUE", "GREEN", "GREY", "ORANGE", "SIZE", "inline", "new_figure", "style", "to_svg"]


def to_svg(figure: Figure, name: str, title: str) -> str:
    """The figure as SVG text; the same figure gives the same text, and its ids are its own (they contain no
    other's). title: what a browser shows that opens the file, and a reader of screens reads."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = _own_ids(buffer.getvalue(), name)
    return re.sub(r"(<svg\b[^>]*>)", lambda m: f"{m[1]}\n <title>{escape(title)}</title>", text, count=1)


def _own_ids(svg: str, name: str) -> str:
    """Prefixes every id, so that several figures can stand in one page."""
    prefix = re.sub(r"[^A-Za-z0-9]", "", name)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'(xlink:href|href)="#', rf'\1="#{prefix}-', svg)
    return re.sub(r"url\(#", f"url(#{prefix}-", svg)


def inline(svg: str, label: str) -> str:
    """The SVG element for use inside HTML: no XML prologue, scales with the page, read out as one picture."""
    element = svg[svg.index("<svg") :]
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.S)
    opening, rest = element.split(">", 1)
    opening = re.sub(r'\s(width|height)="[^"]*"', "", opening)
    quoted = label.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
    return f'{opening} role="img" aria-label="{quoted}">{rest}'.strip()
