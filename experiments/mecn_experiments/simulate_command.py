# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn simulate`: a topology description in virtual time."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import click
from mecn_controller.commands.types import Seconds
from mecn_controller.errors import ControllerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mecn_topo import Scenario

    from .dataset import Row
    from .execute import Plan
    from .lab.results import Recorded
    from .program import Program
    from .variant import Ecn

RESULTS = Path("results") / "virtual"
FAILED = 1
WRONG = 2
INTERRUPTED = 130


@click.command()
@click.argument("name", metavar="[PAPER|FILE.yaml]", default="003")
@click.option(
    "--sources", type=click.IntRange(1, 250), metavar="N", help="Of a paper's topology; default: 5."
)
@click.option("--profile", type=click.Path(path_type=Path), help="Profile of the watched queue instead.")
@click.option(
    "--duration", type=Seconds(0.1, 86400), default=60.0, show_default=True, help="Such as 60, 60s, 2min."
)
@click.option("--warmup", type=Seconds(), default=0.0, help="Time that is not measured.")
@click.option("--seeds", type=click.IntRange(1, 1000), default=3, show_default=True, help="Runs.")
@click.option(
    "--start-jitter",
    type=Seconds(),
    default=0.1,
    show_default=True,
    help="Flows start at random within so many seconds, so that they do not run in step.",
)
@click.option(
    "--ecn",
    type=click.Choice(["auto", "multilevel", "classic", "off"]),
    default="auto",
    show_default=True,
    help="Of the hosts. auto: multilevel if a queue has such a profile, else classic.",
)
@click.option(
    "--tcp",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Of the hosts' TCP, repeatable: loss_recovery=sack, congestion_avoidance=whole-segments (Linux's"
    " windows), delayed_acks=true, initial_window=10, min_rto_s=0.2, ...; all: python -c 'import mecn_native;"
    " help(mecn_native.TcpConfig)'.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help=f"Default: {RESULTS}/NAME.")
@click.option("--json", "as_json", is_flag=True, help="Print one object of JSON in place of the table.")
def simulate(
    name: str,
    sources: int | None,
    profile: Path | None,
    duration: float,
    warmup: float,
    seeds: int,
    start_jitter: float,
    ecn: str,
    settings: tuple[str, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Run a topology in virtual time, with the P4 program in each of its switches. Needs no root.

    The same file runs in real time (`mecn lab run`) and in Mininet (`mecn mininet`). Prints means over the
    seeds with 95 % intervals; the same seeds give the same files.

    Exit status: 1 if a run fails, 2 if it cannot be begun (a wrong file or setting), 130 after an interrupt:
    runs that were finished are kept.
    """
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from mecn_topo.cli import find_scenario, with_profile
    from mecn_topo.topology import TopologyError

    from .errors import ExperimentError
    from .scenario_run import ecn_for, plan_for
    from .settings import parse_setting
    from .variant import Ecn

    if warmup >= duration:
        raise click.UsageError("--warmup must be less than --duration")
    try:
        scenario = with_profile(find_scenario(name, sources), profile)
        chosen = ecn_for(scenario) if ecn == "auto" else next(of for of in get_args(Ecn) if of == ecn)
        tcp = dict(parse_setting(setting) for setting in settings)
        plan = plan_for(scenario, duration, ecn=chosen, warmup_s=warmup, start_jitter_s=start_jitter, tcp=tcp)
    except (ControllerError, TopologyError, ExperimentError) as error:
        _fail(str(error), WRONG)
    folder = output or RESULTS / Path(name).stem
    try:
        _run(_Wanted(scenario, plan, chosen, tcp, seeds, folder, as_json))
    except (ControllerError, ExperimentError) as error:
        _fail(str(error), FAILED)
    except KeyboardInterrupt:
        _fail("interrupted; runs that were finished are kept", INTERRUPTED)


def _fail(message: str, status: int) -> NoReturn:
    click.echo(f"mecn simulate: {message}", err=True)
    sys.exit(status)


@dataclass(frozen=True)
class _Wanted:
    """What the user asked for."""

    scenario: Scenario
    plan: Plan
    ecn: Ecn
    tcp: Mapping[str, Any]
    """As given: more of the arguments of TcpConfig."""
    seeds: int
    folder: Path
    as_json: bool


def _run(wanted: _Wanted) -> None:
    from rich.console import Console
    from rich.progress import track

    from .bench import Bench
    from .files import writable_directory
    from .lab.console import warn_of_idle
    from .program import P4_PROGRAM, compile_program
    from .scenario_run import run

    plan, folder = wanted.plan, wanted.folder
    writable_directory(folder)
    program = compile_program(P4_PROGRAM)
    rows: list[Row] = []
    recorded: Recorded | None = None
    with Bench(program) as bench:
        for seed in track(range(1, wanted.seeds + 1), f"{plan.duration_s:g} s", console=Console(stderr=True)):
            recorded = run(wanted.scenario, plan, seed, bench)
            _keep(recorded, wanted, seed, program)
            rows.append(recorded.row)
    _write_all(rows, folder)
    if wanted.as_json:
        _print_json(wanted, rows)
    else:
        _report(wanted, rows)
    if recorded is not None:
        warn_of_idle(recorded)
    if not wanted.as_json:
        click.echo(f"data     {folder}/runs.parquet, a row for each seed")
        click.echo(f"runs     {folder}/seed-*: run, flows and marks.parquet, summary.json, figures")


def _keep(recorded: Recorded, wanted: _Wanted, seed: int, program: Program) -> None:
    from importlib.metadata import version

    from .lab.output import write_run

    scenario, plan = wanted.scenario, wanted.plan
    about: dict[str, Any] = {
        "scenario": scenario.topology.name,
        "time": "virtual",
        "profiles": [placement.profile.model_dump(mode="json") for placement in scenario.placements],
        "flows": [[flow.source, flow.sink, flow.start_s] for flow in scenario.flows],
        "ecn": wanted.ecn,
        "tcp": dict(wanted.tcp),
        "duration_s": plan.duration_s,
        "warmup_s": plan.warmup_s,
        "start_jitter_s": plan.start_jitter_s,
        "seed": seed,
        "mtu": scenario.mtu,
        "versions": {"mecn": version("mecn"), **program.digests},
    }
    write_run(recorded, wanted.folder / f"seed-{seed}", about)


def _write_all(rows: Sequence[Row], folder: Path) -> None:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    from .files import staged

    with staged(folder) as staging:
        table = pa.Table.from_pylist([{"seed": seed, **row} for seed, row in enumerate(rows, start=1)])
        pq.write_table(table, staging / "runs.parquet", compression="zstd")


def _print_json(wanted: _Wanted, rows: Sequence[Row]) -> None:
    from .lab.console import MEASURES
    from .statistics import estimate

    measures = {}
    for _label, column, _unit, _scale, _digits in MEASURES:
        values = [row[column] for row in rows if row[column] is not None]
        if values:
            found = estimate(values)
            width = None if found.n == 1 else found.half_width
            measures[column] = {"mean": found.mean, "half_width_95": width, "values": values}
    name = wanted.scenario.topology.name
    click.echo(
        json.dumps({"topology": name, "seeds": len(rows), "measures": measures, "data": str(wanted.folder)})
    )


def _report(wanted: _Wanted, rows: Sequence[Row]) -> None:
    from rich.table import Table

    from .lab.console import MEASURES, console
    from .statistics import estimate

    scenario = wanted.scenario
    placed = scenario.placements[0]
    queue = f"queue of {placed.switch} port {placed.port} under {placed.profile.name}"
    title = f"{scenario.topology.name}: {len(scenario.flows)} flows, {wanted.ecn} ECN; {queue}"
    table = Table(box=None, padding=(0, 2))
    table.add_column("")
    table.add_column("mean", justify="right")
    table.add_column("95 %", justify="right")
    for label, column, unit, scale, digits in MEASURES:
        values = [scale * row[column] for row in rows if row[column] is not None]
        if not values:
            table.add_row(label, "none", "")
            continue
        found = estimate(values)
        width = "" if found.n == 1 else f"± {found.half_width:.{digits}f}"
        table.add_row(label, f"{found.mean:.{digits}f}{unit}", width)
    screen = console()
    screen.print(title)
    screen.print(table)
