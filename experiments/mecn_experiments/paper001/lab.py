# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lab.bridge import Bridge, NotInLabError
from .paper import PAPER
from .scenarios import point_of
from .simulate import simulate

if TYPE_CHECKING:
    from ..declaration import Recipe


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    run = point_of(recipe)
    if run.burst != "none":
        raise NotInLabError(f"a bursty {run.burst} source")
    thresholds = "" if run.scheme == "DropTail" else f" {run.min_th:g}/{run.max_th:g}"
    return f"{run.scheme}{thresholds}, {run.senders} sender{'s' if run.senders > 1 else ''}"


BRIDGE = Bridge(
    paper=PAPER,
    title=title,
    simulation=simulate,
    look=("figA", "figB", "figC", "figD"),
    look_settings={"duration_s": 30.0},
    in_proportion=("settle_s", "burst_start_s"),
)
