# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lab.bridge import Bridge, NotInLabError
from .paper import PAPER
from .scenarios import SCENARIOS, point_of
from .simulate import NETWORK

if TYPE_CHECKING:
    from ..declaration import Recipe

SAMPLE_S = 0.005
"""About a packet's time on the link: the paper asks for the largest queue."""


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    point = point_of(recipe)
    if point.window:
        raise NotInLabError("the sender's window at each packet's arrival (theorem 1)")
    red = "" if point.weight is None else f", w = {point.weight:g}"
    return f"{SCENARIOS[point.scenario].title}, mark-{point.strategy}, T = {point.threshold}{red}"


BRIDGE = Bridge(paper=PAPER, title=title, simulation=NETWORK, look=("fig9",), sample_s=SAMPLE_S)
