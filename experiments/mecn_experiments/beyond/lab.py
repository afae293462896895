# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The runs in real time: those of the papers, of whose rows the common measures are taken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..lab.bridge import Bridge, RealRun, bridge_of
from .paper import PAPER
from .simulate import common_row

if TYPE_CHECKING:
    from ..dataset import Row
    from ..declaration import Recipe
    from ..lab.results import Measured


def real_run(recipe: Recipe) -> RealRun:
    """Raises :class:`NotInLabError`."""
    made = bridge_of(recipe["paper"]).real_run(recipe["run"])
    return replace(made, title=f"{recipe['scheme']}: {recipe['scenario']}")


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """As `simulate` has it."""
    return common_row(recipe, seed, bridge_of(recipe["paper"]).row(recipe["run"], seed, measured))


BRIDGE = Bridge(
    paper=PAPER, real_run=real_run, row=row, look=("front",), look_only=("scenario=004, 2 flows",)
)
