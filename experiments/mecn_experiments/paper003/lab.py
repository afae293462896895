# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lab.bridge import Bridge, NotInLabError, RealRun, host_tcp
from .paper import PAPER
from .parameters import PACKET_BYTES
from .scenarios import point_of
from .simulate import ecn_of, identity, scenario_of

if TYPE_CHECKING:
    from ..dataset import Row
    from ..declaration import Recipe
    from ..lab.results import Measured


def real_run(recipe: Recipe) -> RealRun:
    """Raises :class:`NotInLabError`."""
    if recipe["family"] == "table":
        raise NotInLabError("the packet tests of tables 1 and 2")
    run, shared = point_of(recipe), recipe["shared"]
    gain = f", max_p {run.max_p:g}" if run.family == "section 3" else ""
    return RealRun(
        title=f"{run.scenario.name}, {run.n_sources} flows{gain}",
        scenario=scenario_of(recipe),
        duration_s=shared["duration_s"],
        warmup_s=shared["warmup_s"],
        start_jitter_s=shared["start_jitter_s"],
        tcp=host_tcp(shared, ecn_of(recipe), PACKET_BYTES),
    )


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """As `simulate` has it; delays are null without captures, reductions by cause without `mecn-host`."""
    run = point_of(recipe)
    found = dict(measured.row)
    if not (run.trace and seed == 1):
        found |= dict.fromkeys(("trace_time_s", "trace_qdepth", "trace_avg_qdepth"))
    return found | identity(recipe, seed)


BRIDGE = Bridge(
    paper=PAPER,
    real_run=real_run,
    row=row,
    look=("fig6", "fig7"),
    look_settings={"duration_s": 30.0, "sources": (5,)},
    in_proportion=("gain_warmup_s",),
    sources="sources",
)
