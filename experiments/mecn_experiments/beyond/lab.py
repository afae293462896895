# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The runs in real time: those of the papers, of whose rows the common measures are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..execute import Simulation
from ..lab.bridge import Bridge, bridge_of
from .paper import PAPER
from .simulate import common_row

if TYPE_CHECKING:
    from mecn_topo import Scenario

    from ..dataset import Row
    from ..declaration import Recipe
    from ..execute import Plan
    from ..measured import Measured


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    bridge_of(recipe["paper"]).title(recipe["run"])
    return f"{recipe['scheme']}: {recipe['scenario']}"


def _scenario(recipe: Recipe) -> Scenario:
    return bridge_of(recipe["paper"]).simulation.scenario(recipe["run"])


def _plan(recipe: Recipe, seed: int) -> Plan:
    return bridge_of(recipe["paper"]).simulation.plan(recipe["run"], seed)


def _row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    return common_row(recipe, seed, bridge_of(recipe["paper"]).simulation.row(recipe["run"], seed, measured))


BRIDGE = Bridge(
    paper=PAPER,
    title=title,
    simulation=Simulation(scenario=_scenario, plan=_plan, row=_row),
    look=("front",),
    look_only=("scenario=004, 2 flows",),
)
