# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The experiment, declared: columns of the data file, figures, claims, and its runs in a lab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa  # type: ignore[import-untyped]

from ..dataset import COUNT, NUMBER, TEXT
from ..declaration import Paper
from ..execute import Simulation
from ..lab.bridge import Bridge, bridge_of
from .claims import CLAIMS
from .claims_mixed import CLAIMS as MIXED_CLAIMS
from .figures import FIGURES
from .parameters import Parameters
from .scenarios import check
from .simulate import common_row, simulate

if TYPE_CHECKING:
    from mecn_topo import Scenario

    from ..dataset import Row
    from ..declaration import Recipe
    from ..execute import Plan
    from ..measured import Measured

COLUMNS: dict[str, pa.DataType] = {
    "recipe": TEXT,
    "seed": COUNT,
    "scenario": TEXT,
    "paper": TEXT,
    "scheme": TEXT,
    "profile": TEXT,
    "efficiency": NUMBER,
    "utilisation": NUMBER,
    "delay_mean_s": NUMBER,
    "queue_mean": NUMBER,
    "jain_index": NUMBER,
    "drops": COUNT,
    "retransmissions": COUNT,
    "timeouts": COUNT,
    "group_bps": pa.list_(NUMBER),
    "ftp_bps": NUMBER,
    "back_ftp_bps": NUMBER,
    "udp_loss": NUMBER,
}
"""The columns of the data file: what the papers' measures have in common.

Rates in bits per second of IP packets with new data, delays in seconds, queues in packets. Groups are paper
000's: fragile, average, robust. What only paper 002 has is null elsewhere: the mean goodput of a bulk
transfer, forward and in the other direction, and the mean loss rate of a UDP flow."""

PAPER = Paper(
    key="beyond",
    title="Beyond the papers: multi-level ECN in the scenarios of papers 000, 001, 002 and 004",
    citation="Questions of our own",
    parameters=Parameters,
    schema=pa.schema(COLUMNS),
    figures=FIGURES,
    claims=(*CLAIMS, *MIXED_CLAIMS),
    simulate=simulate,
    check=check,
)


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
