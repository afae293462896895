# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn experiment`: list, run, show."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from .errors import ExperimentError
from .registry import EXPERIMENTS, find
from .settings import parse_setting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rich.progress import TaskID

    from .dataset import Dataset
    from .registry import Experiment

FAILED = 2
INTERRUPTED = 130


@click.group()
def experiment() -> None:
    """Run the papers' experiments on the P4 program, and show what came out."""


@experiment.command("list")
def list_experiments() -> None:
    """List the experiments."""
    for entry in EXPERIMENTS:
        click.echo(f"{entry.key}  {entry.title}\n     {entry.paper}")


@experiment.command()
@click.argument("key", metavar="EXPERIMENT")
@click.option("--seeds", type=int, metavar="N", help="Runs of each scenario, with seeds 1 to N.")
@click.option("--sources", metavar="N,N,...", help="Numbers of sources.")
@click.option("--duration", type=float, metavar="SECONDS", help="Simulated time.")
@click.option("--max-p", type=float, metavar="P", help="Marking probability just below max_th.")
@click.option("--buffer", type=int, metavar="PACKETS", help="Queue limit of the bottleneck.")
@click.option("--window-cap", type=int, metavar="PACKETS", help="Largest send window.")
@click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any other parameter; may be repeated."
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 1024),
    help="Simulations at the same time; default: one per processor.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for the results; default: results/EXPERIMENT.",
)
@click.option("--program", type=click.Path(path_type=Path), help="P4 source of the data plane.")
def run(
    key: str,
    seeds: int | None,
    sources: str | None,
    duration: float | None,
    max_p: float | None,
    buffer: int | None,
    window_cap: int | None,
    settings: tuple[str, ...],
    jobs: int | None,
    output: Path | None,
    program: Path | None,
) -> None:
    """Compile, push, simulate, draw: all of an experiment."""
    try:
        from .program import P4_PROGRAM
        from .runner import default_jobs

        given = dict(parse_setting(setting) for setting in settings)
        if sources is not None:
            _, given["sources"] = parse_setting(
                f"sources={sources}" if "," in sources else f"sources=[{sources}]"
            )
        named = {
            "seeds": seeds,
            "duration_s": duration,
            "max_p": max_p,
            "buffer": buffer,
            "window_cap": window_cap,
        }
        given |= {name: value for name, value in named.items() if value is not None}
        module = find(key).load()
        folder = output or Path("results") / key
        with Bar() as progress:
            data = module.run(
                given, folder, threads=jobs or default_jobs(), source=program or P4_PROGRAM, progress=progress
            )
        _report(module, data, folder, folder / module.DATA_FILE)
    except ExperimentError as error:
        _fail(error)
    except KeyboardInterrupt:
        click.echo("mecn experiment: interrupted, nothing was written", err=True)
        sys.exit(INTERRUPTED)


@experiment.command()
@click.argument("key", metavar="EXPERIMENT")
@click.option(
    "--data", type=click.Path(path_type=Path), help="Data file; default: that of results/EXPERIMENT."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for figures and page; default: the data file's.",
)
@click.option(
    "--trace-sources", type=int, metavar="N", help="Number of sources in the figures of queue traces."
)
def show(key: str, data: Path | None, output: Path | None, trace_sources: int | None) -> None:
    """Print the tables and draw figures and page again from the data file."""
    try:
        module = find(key).load()
        data_file = data or Path("results") / key / module.DATA_FILE
        folder = output or data_file.parent
        changes = {} if trace_sources is None else {"trace_sources": trace_sources}
        _report(module, module.show(data_file, folder, changes), folder, data_file)
    except ExperimentError as error:
        _fail(error)


class Bar:
    """Progress on the terminal's standard error: one bar for each stage, with the time that is left."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<32}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._task: TaskID | None = None

    def stage(self, name: str, steps: int) -> None:
        """A new bar."""
        self._task = self._progress.add_task(name, total=steps)

    def advance(self) -> None:
        """One step on the last bar."""
        if self._task is not None:
            self._progress.advance(self._task)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


def _report(module: Experiment, data: Dataset, folder: Path, data_file: Path) -> None:
    console = Console()
    if not console.is_terminal:
        console = Console(width=130)
    for title, measures, rows in module.tables(data):
        table = Table(title=title, title_justify="left")
        table.add_column("scheme", no_wrap=True)
        table.add_column("N", justify="right")
        for measure in measures:
            table.add_column(f"{measure.title}\n{measure.unit}", justify="right")
        previous = rows[0].scenario
        for row in rows:
            if row.scenario != previous:
                table.add_section()
                previous = row.scenario
            table.add_row(row.scenario.name, str(row.n_sources), *row.cells)
        console.print(table)
    _locations(data_file, folder)


def _locations(data_file: Path, folder: Path) -> None:
    figures: Sequence[Path] = sorted(folder.glob("*.svg"))
    click.echo(f"data     {data_file}")
    click.echo(f"figures  {folder}/*.svg ({len(figures)} files)")
    click.echo(f"page     {folder / 'index.html'}")


def _fail(error: Exception) -> NoReturn:
    click.echo(f"mecn experiment: {error}", err=True)
    sys.exit(FAILED)
