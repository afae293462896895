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
from ..paper003.scenarios import Scenario, point, profile_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..dataset import Row
    from ..paper003.scenarios import Point, Scheme

SEED = 1


def parameters_for(n_sources: int, duration_s: float, warmup_s: float) -> Parameters:
    """The virtual experiment's, with what a lab has: one number of sources, its time, one seed."""
    return make_parameters(
        {
            "seeds": 1,
            "sources": (n_sources,),
            "duration_s": duration_s,
            "warmup_s": warmup_s,
            # Of runs that a lab does not make.
            "gain_warmup_s": duration_s / 2,
        }
    )


def run_of(scheme: Scheme, thresholds: Thresholds, parameters: Parameters) -> Point:
    """A run of paper 003's section 4."""
    return point(Scenario(scheme, thresholds), parameters.sources[0], parameters)


def lab_scenario(run: Point, parameters: Parameters) -> LabScenario:
    """Its topology, profile and flows."""
    topology = paper003_dumbbell(run.n_sources, buffer_packets=parameters.buffer)
    port = address_plan(topology).port("R1", topology.link_between("R1", "R2"))
    flows = tuple(Flow(f"S{i}", f"D{i}") for i in range(1, run.n_sources + 1))
    profile = profile_of(run.recipe(parameters))
    return LabScenario(topology, (Placement("R1", port, profile),), flows, PACKET_BYTES)


def keep(run: Point, parameters: Parameters, row: Row, versions: Mapping[str, str], folder: Path) -> None:
    """Adds a run to the folder's data file, which has the virtual experiment's form, and draws its figures
    as far as their runs are there."""
    low, middle, high = run.thresholds
    recipe = run.recipe(parameters)
    named: Row = {
        "family": run.family,
        "scenario": run.scenario.name,
        "scheme": run.scheme,
        "profile": profile_of(recipe).model_dump_json(exclude_defaults=False),
        "min_th": low,
        "mid_th": None if run.scheme == "ECN" else middle,
        "max_th": high,
        "max_p": run.max_p,
        "n_sources": run.n_sources,
        "seed": SEED,
    }
    store = Store(data_file(PAPER, folder), PAPER, versions)
    store.add(Job(canonical(recipe), SEED), row | named)
    store.save(parameters)
    results = load(PAPER, folder, {})
    try:
        draw(results, folder)
    except ExperimentError:
        # Every figure of the paper needs both schemes; the run's own are there.
        return
