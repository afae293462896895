# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lab.bridge import Bridge, NotInLabError
from .paper import PAPER
from .scenarios import ADAPTIVE, point_of
from .simulate import simulate

if TYPE_CHECKING:
    from ..declaration import Recipe

MOST_FLOWS = 250
"""Each is a host: a namespace, and processes in it."""


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    point = point_of(recipe)
    if point.scheme in ADAPTIVE:
        raise NotInLabError(f"{point.scheme}: max_p that the controller steers during the run")
    if point.flows > MOST_FLOWS:
        raise NotInLabError(f"{point.flows} flows: a lab has at most {MOST_FLOWS} senders")
    return f"{point.scheme}, {point.flows} flows, max_p {point.max_p:g}, max_th {point.max_th:g}"


BRIDGE = Bridge(
    paper=PAPER,
    title=title,
    simulation=simulate,
    look=("fig8",),
    look_settings={"duration_s": 30.0},
    in_proportion=("warmup_s",),
    sources="flows",
)
