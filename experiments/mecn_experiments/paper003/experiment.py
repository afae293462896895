# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The whole of experiment 003: program, profiles, runs, data file, figures, page."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from mecn_topo import address_plan, paper003_dumbbell

from ..dataset import Dataset, read_parquet, write_parquet
from ..files import staged, writable_directory
from ..program import Push, compile_program, configure
from ..runner import run_all
from . import report
from .measure import run_one
from .parameters import BOTTLENECK_BPS, make_parameters
from .results import PERFORMANCE, SIGNALS, lines
from .scenarios import plan, scenarios
from .schema import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import mecn_native

    from ..program import Program
    from ..registry import Progress
    from .parameters import Parameters
    from .results import Line, Measure
    from .scenarios import Run

KEY = "003"
DATA_FILE = "003.parquet"


def run(
    settings: Mapping[str, Any], output: Path, *, threads: int, source: Path, progress: Progress
) -> Dataset:
    """Runs everything and leaves data file, figures and page in the output folder, or nothing at all."""
    parameters = make_parameters(settings)
    runs = plan(parameters)
    for scenario in scenarios(runs):
        scenario.profile(parameters)
    writable_directory(output)

    progress.stage("compiling the P4 program", 1)
    program = compile_program(source)
    progress.advance()
    switches = _configured(program, runs, parameters, progress)

    progress.stage("simulating", len(runs))
    rows = run_all(runs, partial(_work, parameters, switches), threads=threads, done=progress.advance)
    progress.stage("drawing", 1)
    data = Dataset(KEY, parameters.model_dump(mode="json"), _versions(program), rows)
    with staged(output) as staging:
        write_parquet(data, SCHEMA, staging / DATA_FILE)
        data = read_parquet(staging / DATA_FILE, KEY)
        _draw(data, staging)
    progress.advance()
    return data


def show(data_file: Path, output: Path, settings: Mapping[str, Any]) -> Dataset:
    """Draws figures and page again from a data file; settings may change what is drawn, not what was run."""
    data = read_parquet(data_file, KEY)
    data = Dataset(KEY, {**data.parameters, **settings}, data.versions, data.rows)
    with staged(writable_directory(output)) as staging:
        _draw(data, staging)
    return data


def tables(data: Dataset) -> list[tuple[str, tuple[Measure, ...], list[Line]]]:
    """The tables for the terminal."""
    parameters = make_parameters(data.parameters)
    return [
        ("Throughput, queue and delay", PERFORMANCE, lines(data, parameters, PERFORMANCE)),
        ("Marks, drops and fairness", SIGNALS, lines(data, parameters, SIGNALS)),
    ]


def _draw(data: Dataset, folder: Path) -> None:
    for name, text in report.draw(data, make_parameters(data.parameters)).items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _work(
    parameters: Parameters, switches: Mapping[str, Mapping[str, mecn_native.Switch]], job: Run
) -> dict[str, Any]:
    return run_one(job, parameters, switches[job.scenario.name])


def _configured(
    program: Program, runs: list[Run], parameters: Parameters, progress: Progress
) -> dict[str, dict[str, mecn_native.Switch]]:
    """One set of switches for each scenario; routes for the largest network serve the smaller ones too."""
    topology = paper003_dumbbell(
        max(job.n_sources for job in runs), buffer_packets=parameters.buffer, bottleneck_bps=BOTTLENECK_BPS
    )
    addresses = address_plan(topology)
    port = addresses.port("R1", topology.link_between("R1", "R2"))
    pushes = [Push(s.name, s.profile(parameters), port) for s in scenarios(runs)]
    progress.stage("pushing profiles over P4Runtime", len(pushes))
    return configure(program, addresses.routes, pushes, at="R1", pushed=lambda _: progress.advance())


def _versions(program: Program) -> dict[str, str]:
    return {"mecn": version("mecn"), **program.digests}
