# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a paper's figures: compile, simulate what is missing, keep it, draw, judge."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING

from .bench import Bench
from .cluster import run_on_cluster
from .dataset import Dataset, Store, read_parquet, rows_of
from .declaration import canonical, jobs_of, parameters_of
from .errors import ExperimentError, NotMeasuredError
from .files import only_writer, staged, writable_directory
from .program import compile_program
from .report import paper_page
from .runner import run_all
from .simulator import simulator_digest
from .verdicts import LEVEL, LOOKS, Look, Outcome, level_at, looking

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from .dataset import Row
    from .declaration import Claim, Drawing, Figure, Job, Paper, Parameters, Table
    from .program import Program
    from .registry import Progress

SAVE_S = 30.0
"""Finished runs are on disk after this time at the latest, seconds."""


@dataclass(frozen=True)
class Results:
    """A paper's data file, as far as it was run with one set of parameters."""

    paper: Paper
    parameters: Parameters
    data: Dataset

    def seeds_of(self, figures: Sequence[Figure]) -> int:
        """With how many seeds all of these figures were run; 0 if some were not."""
        return max((n for n in looks_of(self.parameters) if self.of(figures, n) is not None), default=0)

    def of(
        self, figures: Sequence[Figure], seeds: int, recipes: Container[str] | None = None
    ) -> Dataset | None:
        """The rows that these figures need with so many seeds, or those with these recipes; None if some were
        not run."""
        jobs = dict.fromkeys(job for figure in figures for job in jobs_of(figure, self.parameters, seeds))
        return rows_of(self.data, [job for job in jobs if recipes is None or job.recipe in recipes])

    def drawings(self) -> dict[str, Sequence[Drawing]]:
        """By figure; figures that were not run, or need what was not measured, are left out."""
        drawn = {}
        for figure in self.paper.figures:
            data = self._most([figure])
            if data is not None:
                with suppress(NotMeasuredError):
                    drawn[figure.key] = figure.draw(data, self.parameters)
        return drawn

    def tables(self) -> Sequence[Table]:
        """The paper's tables; none if not all of its figures were run, or they need what was not measured."""
        data = self._most(self.paper.figures)
        try:
            return () if data is None else self.paper.tables(data, self.parameters)
        except NotMeasuredError:
            return ()

    def _most(self, figures: Sequence[Figure]) -> Dataset | None:
        """The rows of these figures with as many seeds as all of them have."""
        seeds = self.seeds_of(figures)
        return self.of(figures, seeds) if seeds else None

    def outcomes(self) -> list[tuple[Claim, Outcome]]:
        """Every claim with what came out; undecided when runs that it needs are missing."""
        return [(claim, self.outcome(claim)) for claim in self.paper.claims]

    def outcome(self, claim: Claim) -> Outcome:
        """What came out at the first number of seeds that decides the claim, else at the last."""
        return self.judge(claim)[0]

    def judge(self, claim: Claim) -> tuple[Outcome, set[str]]:
        """The outcome, and the recipes that the rule reads. They may be few of the figures', and only they
        are run with more seeds."""
        figures = [self.paper.figure(key) for key in claim.needs]
        found = Outcome("undecided", "", f"Not run: {', '.join(claim.needs)}.")
        read: set[str] | None = None
        for seeds in looks_of(self.parameters):
            data = self.of(figures, seeds, read)
            if data is None:
                break
            found, read = self._judge(claim, data, seeds), data.read
            if found.verdict != "undecided":
                break
        return found, read or set()

    def _judge(self, claim: Claim, data: Dataset, seeds: int) -> Outcome:
        """The claim at so many seeds, and how many more would decide it."""
        level = level_at(seeds) if self.parameters.seeds == "auto" else LEVEL
        try:
            with looking(Look(level)):
                found = claim.decide(data, self.parameters)
        except ExperimentError as error:
            return Outcome("undecided", "", f"Not to be decided: {error}.")
        reached = f"{seeds} seed{'s' if seeds > 1 else ''}"
        if found.verdict == "undecided" and seeds > 1:
            reached += f"; {self._more(claim, data, seeds, level)}"
        return replace(found, reached=reached)

    def _more(self, claim: Claim, data: Dataset, seeds: int, level: float) -> str:
        for more in (n for n in MORE_SEEDS if n > seeds):
            with looking(Look(level, more)):
                if claim.decide(data, self.parameters).verdict != "undecided":
                    return f"about {more} would decide it"
        return f"{MORE_SEEDS[-1]} would not decide it"


MORE_SEEDS = (10, 20, 40, 80, 160, 320)
"""Numbers of seeds for which it is estimated whether they would decide a claim, if means and spreads stay."""


def looks_of(parameters: Parameters) -> tuple[int, ...]:
    """Numbers of seeds at which claims are looked at."""
    return LOOKS if parameters.seeds == "auto" else (parameters.seeds,)


def data_file(paper: Paper, folder: Path) -> Path:
    """Where a paper's rows are."""
    return folder / f"{paper.key}.parquet"


def run(
    paper: Paper,
    figures: Sequence[str],
    settings: Mapping[str, Any],
    folder: Path,
    *,
    source: Path,
    threads: int,
    scheduler: str | None,
    progress: Progress,
) -> Results:
    """Runs these figures (all, if none is named) and leaves data file, pictures and page in the folder.

    What the data file holds already is not run again. Finished runs are kept when others fail or the user
    interrupts.
    """
    shrunk = paper.shrunk(settings)
    parameters = parameters_of(paper.parameters, {**settings, **shrunk})
    for name, value in shrunk.items():
        progress.note(f"{paper.key}: {name} {value:g}, in proportion to the shorter runs")
    wanted = [paper.figure(key) for key in figures] or list(paper.figures)
    for recipe in dict.fromkeys(
        canonical(recipe) for figure in wanted for recipe in figure.recipes(parameters)
    ):
        paper.check(json.loads(recipe))
    with only_writer(folder):
        progress.stage("compiling the P4 program", 1)
        program = compile_program(source)
        progress.advance()
        versions = {"mecn": version("mecn"), "simulator": simulator_digest(paper), **program.digests}
        store = Store(data_file(paper, folder), paper, versions)
        if store.stale:
            progress.note(f"{store.path}: {store.stale} runs were made by other versions and are run again")
        work = _Work(paper, program, store, parameters, threads, scheduler, progress)
        try:
            needed: set[str] | None = None
            for seeds in looks_of(parameters):
                for figure in wanted:
                    jobs = jobs_of(figure, parameters, seeds)
                    work.figure(figure.key, [job for job in jobs if needed is None or job.recipe in needed])
                needed = work.undecided(wanted)
        finally:
            work.close()
        progress.stage("drawing", 1)
        results = load(paper, folder, {})
        draw(results, folder)
        progress.advance()
        return results


class _Work:
    """The runs of one command."""

    def __init__(
        self,
        paper: Paper,
        program: Program,
        store: Store,
        parameters: Parameters,
        threads: int,
        scheduler: str | None,
        progress: Progress,
    ) -> None:
        self._paper, self._program, self._store, self._parameters = paper, program, store, parameters
        self._threads, self._scheduler, self._progress = threads, scheduler, progress
        self._bench = Bench(program, progress.note)
        self._saved = time.monotonic()

    def figure(self, key: str, jobs: Sequence[Job]) -> None:
        if not jobs:
            return
        missing = self._store.missing(jobs)
        if not missing:
            self._progress.note(f"{self._paper.key} {key}: {len(jobs)} runs, all there")
            return
        self._progress.stage(f"{self._paper.key} {key}", len(missing))
        began = time.monotonic()
        if self._scheduler is None:
            run_all(missing, self._simulate, threads=self._threads, done=self._done)
        else:
            run_on_cluster(self._scheduler, self._program, self._paper.key, missing, done=self._done)
        took = time.monotonic() - began
        self._progress.note(
            f"{self._paper.key} {key}: {len(missing)} runs in {took:.1f} s, {len(jobs) - len(missing)} were"
            " there"
        )

    def _simulate(self, job: Job) -> Row:
        return self._paper.simulate(json.loads(job.recipe), job.seed, self._bench)

    def _done(self, job: Job, row: Row) -> None:
        self._store.add(job, row)
        self._progress.advance()
        if time.monotonic() - self._saved > SAVE_S:
            self._store.save(self._parameters)
            self._saved = time.monotonic()

    def undecided(self, figures: Sequence[Figure]) -> set[str]:
        """The recipes that undecided claims on these figures read: more seeds of them may decide."""
        if self._parameters.seeds != "auto":
            return set()
        results = Results(self._paper, self._parameters, self._store.data(self._parameters))
        ran = {figure.key for figure in figures}
        needed: set[str] = set()
        for claim in self._paper.claims:
            if ran.issuperset(claim.needs):
                outcome, read = results.judge(claim)
                if outcome.verdict == "undecided":
                    self._progress.note(f"{claim.id} is undecided yet")
                    needed |= read
        return needed

    def close(self) -> None:
        """Keeps what was run."""
        self._store.save(self._parameters)
        self._bench.close()


def load(paper: Paper, folder: Path, settings: Mapping[str, Any]) -> Results:
    """What a folder holds, with the parameters of the last run but for these settings."""
    data = read_parquet(data_file(paper, folder), paper.key)
    parameters = parameters_of(paper.parameters, {**data.parameters, **settings})
    return Results(paper, parameters, data)


def draw(results: Results, folder: Path) -> None:
    """Writes pictures and page; raises :class:`ExperimentError` when there is nothing to draw."""
    drawings = results.drawings()
    if not drawings:
        raise ExperimentError(
            f"the data file has no complete figure of {results.paper.key} for these parameters"
        )
    with staged(writable_directory(folder)) as staging:
        for group in drawings.values():
            for drawing in group:
                (staging / f"{drawing.key}.svg").write_text(drawing.svg, encoding="utf-8", newline="\n")
        (staging / "index.html").write_text(paper_page(results), encoding="utf-8", newline="\n")
