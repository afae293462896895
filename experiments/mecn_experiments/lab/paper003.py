# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Paper 003's runs in real time: the same parameters, the same data file, the same figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mecn_topo import Flow, Placement, address_plan, paper003_dumbbell
from mecn_topo import Scenario as LabScenario

from ..dataset import Store
from ..declaration import Job, canonical
from ..errors import ExperimentError
from ..experiment import data_file, draw, load
from ..paper003.paper import PAPER
from ..paper003.parameters import PACKET_BYTES, Parameters, Thresholds, make_parameters
from ..paper003.scenarios import Run, Scenario, recipe_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..dataset import Row
    from ..paper003.scenarios import Scheme

SEED = 1


def parameters_for(n_sources: int, duration_s: float, warmup_s: float) -> Parameters:
    """The virtual experiment's, with what a lab has: one number of sources, its time, one seed."""
    return make_parameters(
        {"seeds": 1, "sources": (n_sources,), "duration_s": duration_s, "warmup_s": warmup_s}
    )


def run_of(scheme: Scheme, thresholds: Thresholds, n_sources: int) -> Run:
    """A run of paper 003."""
    return Run(Scenario(scheme, thresholds), n_sources, SEED, trace=True)


def lab_scenario(run: Run, parameters: Parameters) -> LabScenario:
    """Its topology, profile and flows."""
    topology = paper003_dumbbell(run.n_sources, buffer_packets=parameters.buffer)
    port = address_plan(topology).port("R1", topology.link_between("R1", "R2"))
    flows = tuple(Flow(f"S{i}", f"D{i}") for i in range(1, run.n_sources + 1))
    profile = run.scenario.profile(parameters)
    return LabScenario(topology, (Placement("R1", port, profile),), flows, PACKET_BYTES)


def keep(run: Run, parameters: Parameters, row: Row, versions: Mapping[str, str], folder: Path) -> None:
    """Adds a run to the folder's data file, which has the virtual experiment's form, and draws its figures
    as far as their runs are there."""
    low, middle, high = run.scenario.thresholds
    named: Row = {
        "scenario": run.scenario.name,
        "scheme": run.scenario.scheme,
        "profile": run.scenario.profile(parameters).model_dump_json(exclude_defaults=False),
        "min_th": low,
        "mid_th": None if run.scenario.scheme == "ECN" else middle,
        "max_th": high,
        "n_sources": run.n_sources,
        "seed": SEED,
    }
    store = Store(data_file(PAPER, folder), PAPER, versions)
    store.add(Job(canonical(recipe_of(run, parameters, traced=True)), SEED), row | named)
    store.save(parameters)
    results = load(PAPER, folder, {})
    try:
        draw(results, folder)
    except ExperimentError:
        # Every figure of the paper needs both schemes; the run's own are there.
        return
