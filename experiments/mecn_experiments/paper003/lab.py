# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lab.bridge import Bridge, NotInLabError
from .paper import PAPER
from .scenarios import point_of
from .simulate import NETWORK

if TYPE_CHECKING:
    from ..declaration import Recipe


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    if recipe["family"] == "table":
        raise NotInLabError("the packet tests of tables 1 and 2")
    run = point_of(recipe)
    gain = f", max_p {run.max_p:g}" if run.family == "section 3" else ""
    return f"{run.scenario.name}, {run.n_sources} flows{gain}"


BRIDGE = Bridge(
    paper=PAPER,
    title=title,
    simulation=NETWORK,
    look=("fig6", "fig7"),
    look_settings={"duration_s": 30.0, "sources": (5,)},
    in_proportion=("gain_warmup_s",),
    sources="sources",
)
