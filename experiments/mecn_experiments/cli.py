# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn experiment` (list, run, show), `mecn claims`, `mecn report`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
from mecn_controller.commands.types import Seconds
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

    from .experiment import Results

RESULTS = Path("results")
FAILED = 2
INTERRUPTED = 130


@click.group()
def experiment() -> None:
    """Run the papers' experiments on the P4 program, and show what came out."""


json_option = click.option("--json", "as_json", is_flag=True, help="One object of JSON.")


@experiment.command("list")
@json_option
def list_experiments(as_json: bool) -> None:
    """List the papers and their figures."""
    if as_json:
        found = [
            {
                "key": paper.key,
                "title": paper.title,
                "citation": paper.citation,
                "figures": [{"key": figure.key, "title": figure.title} for figure in paper.figures],
            }
            for paper in map(find, EXPERIMENTS)
        ]
        click.echo(json.dumps({"experiments": found}, indent=2))
        return
    for paper in map(find, EXPERIMENTS):
        click.echo(f"{paper.key}  {paper.title}\n     {paper.citation}")
        for figure in paper.figures:
            click.echo(f"     {figure.key:<10} {figure.title}")


@experiment.command()
@click.argument("key", metavar="EXPERIMENT|all")
@click.argument("figures", metavar="[FIGURE]...", nargs=-1)
@click.option(
    "--seeds",
    metavar="N|auto",
    help="Runs of each scenario, with seeds 1 to N; auto: 5, 10, 20, 40, until each claim is decided.",
)
@click.option("--sources", metavar="N,N,...", help="Numbers of sources.")
@click.option("--duration", type=Seconds(min_open=True), help="Simulated time, such as 100 or 2min.")
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
@click.option("--scheduler", metavar="tcp://HOST:PORT", help="Run on the Dask cluster of this scheduler.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for the results; default: results, with a folder for each experiment.",
)
@click.option("--program", type=click.Path(path_type=Path), help="P4 source of the data plane.")
def run(
    key: str,
    figures: tuple[str, ...],
    seeds: str | None,
    sources: str | None,
    duration: float | None,
    max_p: float | None,
    buffer: int | None,
    window_cap: int | None,
    settings: tuple[str, ...],
    jobs: int | None,
    scheduler: str | None,
    output: Path | None,
    program: Path | None,
) -> None:
    """Compile, push, simulate, draw: all of a paper, some of its figures, or (all) every paper.

    Runs that are in the data file already are not run again; what an interrupted run has finished is kept.
    """
    try:
        from .experiment import run as run_paper
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
        for paper in map(find, EXPERIMENTS if key == "all" else [key]):
            folder = (output or RESULTS) / paper.key
            with Bar() as progress:
                results = run_paper(
                    paper,
                    figures,
                    given,
                    folder,
                    source=program or P4_PROGRAM,
                    threads=jobs or default_jobs(),
                    scheduler=scheduler,
                    progress=progress,
                )
            _print(results, folder)
    except ExperimentError as error:
        _fail(error)
    except KeyboardInterrupt:
        click.echo("mecn experiment: interrupted; what was finished is kept", err=True)
        sys.exit(INTERRUPTED)


@experiment.command()
@click.argument("key", metavar="EXPERIMENT")
@click.option(
    "--data", type=click.Path(path_type=Path), help="Folder of the data file; default: results/EXPERIMENT."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder for figures and page; default: the data file's.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Draw with another parameter than was run last.",
)
def show(key: str, data: Path | None, output: Path | None, settings: tuple[str, ...]) -> None:
    """Print tables and claims, and draw figures and page again from the data file."""
    try:
        from .experiment import draw, load

        folder = data or RESULTS / key
        results = load(find(key), folder, dict(parse_setting(setting) for setting in settings))
        draw(results, output or folder)
        _print(results, output or folder)
    except ExperimentError as error:
        _fail(error)


@click.command()
@click.argument("keys", metavar="[EXPERIMENT]...", nargs=-1)
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, help="Folder of all results.")
@json_option
def claims(keys: tuple[str, ...], results: Path, as_json: bool) -> None:
    """Print what the papers claim, what was measured, and the verdicts, from the data files."""
    try:
        if as_json:
            found = [row for paper in _loaded(keys, results) for row in _claims_of(paper)]
            click.echo(json.dumps({"claims": found}, indent=2))
            return
        for paper in _loaded(keys, results):
            _print_claims(paper)
    except ExperimentError as error:
        _fail(error)


@click.command()
@click.argument("keys", metavar="[EXPERIMENT]...", nargs=-1)
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, help="Folder of all results.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Default: report.html in that folder.")
def report(keys: tuple[str, ...], results: Path, output: Path | None) -> None:
    """Write the report over all papers, one HTML file, from the data files."""
    try:
        from .files import staged, writable_directory
        from .report import report_page

        path = output or results / "report.html"
        text = report_page(_loaded(keys, results))
        with staged(writable_directory(path.parent)) as staging:
            (staging / path.name).write_text(text, encoding="utf-8", newline="\n")
        click.echo(f"report   {path}")
    except ExperimentError as error:
        _fail(error)


def _loaded(keys: Sequence[str], folder: Path) -> list[Results]:
    """The papers that were run, or those that were asked for."""
    from .experiment import data_file, load

    papers = [(find(key), folder / key) for key in keys or EXPERIMENTS]
    if not keys:
        papers = [(paper, place) for paper, place in papers if data_file(paper, place).exists()]
        if not papers:
            raise ExperimentError(f"{folder}: there are no results; `mecn experiment run all` makes them")
    return [load(paper, place, {}) for paper, place in papers]


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

    def note(self, text: str) -> None:
        """A line above the bars that stays."""
        self._progress.console.print(text, highlight=False)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()


def _console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=130)


def _print(results: Results, folder: Path) -> None:
    from .experiment import data_file

    console = _console()
    for table in results.tables():
        drawn = Table(title=table.title, title_justify="left")
        for i, (title, unit) in enumerate(table.columns):
            drawn.add_column(f"{title}\n{unit}", justify="left" if i == 0 else "right", no_wrap=i == 0)
        previous = table.rows[0][0]
        for row in table.rows:
            if row[0] != previous:
                drawn.add_section()
                previous = row[0]
            drawn.add_row(*row)
        console.print(drawn)
    _print_claims(results)
    figures = sorted(folder.glob("*.svg"))
    click.echo(f"data     {data_file(results.paper, folder)}")
    click.echo(f"figures  {folder}/*.svg ({len(figures)} files)")
    click.echo(f"page     {folder / 'index.html'}")


def _claims_of(results: Results) -> list[dict[str, str]]:
    return [
        {
            "experiment": results.paper.key,
            "id": claim.id,
            "claim": claim.says,
            "where": claim.where,
            "measured": outcome.measured,
            "verdict": outcome.verdict,
            "why": outcome.why,
        }
        for claim, outcome in results.outcomes()
    ]


def _print_claims(results: Results) -> None:
    from .verdicts import verdict_text

    table = Table(title=f"Claims of {results.paper.key}", title_justify="left", show_lines=True)
    table.add_column("id", no_wrap=True)
    for title in ("claim", "measured", "verdict", "why"):
        table.add_column(title)
    for claim, outcome in results.outcomes():
        table.add_row(
            claim.id, f"{claim.says} ({claim.where})", outcome.measured, verdict_text(outcome), outcome.why
        )
    _console().print(table)


def _fail(error: Exception) -> NoReturn:
    click.echo(f"mecn experiment: {error}", err=True)
    sys.exit(FAILED)
