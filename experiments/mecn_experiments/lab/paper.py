# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A paper's runs in real time: the virtual experiment's recipes, data file and figures.

A run has the same recipe and seed as in virtual time and becomes the same row, in a data file of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..dataset import Store, read_parquet
from ..declaration import jobs_of, parameters_of
from ..errors import ExperimentError, NotMeasuredError
from ..experiment import data_file, draw, load
from ..settings import parse_setting
from .bridge import NotInLabError, bridge_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from mecn_topo.lab import HostTcp, Options, Plan

    from ..dataset import Row
    from ..declaration import Job, Paper, Parameters, Recipe
    from .bridge import Bridge, RealRun
    from .results import Recorded

BEGIN_AND_END_S, EACH_HOST_S = 4.0, 0.15
"""What a run takes beside its duration, about: to build the network, to evaluate and to take it down."""
REPLACED = "--again replaces them, -o names another folder"


@dataclass(frozen=True)
class Chosen:
    """Runs that a user wants, of one paper."""

    bridge: Bridge
    parameters: Parameters
    figures: tuple[str, ...]
    jobs: tuple[Job, ...]
    shrunk: Mapping[str, float]
    """Parameters that follow the shortened duration."""

    @property
    def paper(self) -> Paper:
        """Of these runs."""
        return self.bridge.paper


def choose(
    key: str,
    figures: Sequence[str],
    settings: Mapping[str, Any],
    only: Sequence[str] = (),
) -> Chosen:
    """The runs of these figures; without any, those of a first look. Raises ExperimentError."""
    bridge = bridge_of(key)
    paper = bridge.paper
    given = {"seeds": 1, **({} if figures else bridge.look_settings), **settings}
    shrunk = paper.shrunk(given)
    parameters = parameters_of(paper.parameters, given | shrunk)
    wanted = [paper.figure(name) for name in figures or bridge.look]
    jobs = dict.fromkeys(job for figure in wanted for job in jobs_of(figure, parameters))
    selected = _filtered(
        [*jobs], [parse_setting(text) for text in only or (() if figures else bridge.look_only)]
    )
    for recipe in dict.fromkeys(job.recipe for job in selected):
        paper.check(json.loads(recipe))
    return Chosen(bridge, parameters, tuple(figure.key for figure in wanted), tuple(selected), shrunk)


def _filtered(jobs: Sequence[Job], conditions: Sequence[tuple[str, Any]]) -> list[Job]:
    """The jobs whose recipes have these values; several values of one key are alternatives."""
    if not conditions:
        return list(jobs)
    recipes = {job.recipe: json.loads(job.recipe) for job in jobs}
    wanted: dict[str, list[Any]] = {}
    for name, value in conditions:
        wanted.setdefault(name, []).append(value)
    for name, values in wanted.items():
        found = {_shown(recipe[name]) for recipe in recipes.values() if name in recipe}
        if not found:
            known = sorted({key for recipe in recipes.values() for key in recipe if key != "shared"})
            raise ExperimentError(f"these runs have no {name}; they have {', '.join(known)}")
        for value in values:
            if not any(_is(recipe.get(name), value) for recipe in recipes.values()):
                raise ExperimentError(
                    f"no run has {name} = {_shown(value)}; there are {', '.join(sorted(found))}"
                )
    return [
        job
        for job in jobs
        if all(
            any(_is(recipes[job.recipe].get(name), value) for value in values)
            for name, values in wanted.items()
        )
    ]


def _is(found: object, value: object) -> bool:
    """Whether a recipe's value is the wanted one, or among the wanted list."""
    if isinstance(value, list) and not isinstance(found, list):
        return any(_is(found, item) for item in value)
    return (type(found) is type(value) and found == value) or (
        isinstance(found, int | float) and isinstance(value, int | float) and found == value
    )


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@dataclass(frozen=True)
class Line:
    """A run on the list of what is to be done."""

    job: Job
    run: RealRun | None
    """None if a lab cannot make it."""
    refusal: str = ""
    is_there: bool = False

    @property
    def recipe(self) -> Recipe:
        """Of the run."""
        found: Recipe = json.loads(self.job.recipe)
        return found

    @property
    def multi_level(self) -> bool:
        """Whether its hosts have to run multi-level ECN."""
        return self.run is not None and self.run.tcp.congestion == "mecn"

    @property
    def seconds(self) -> float:
        """How long it takes, about."""
        if self.run is None:
            return 0.0
        hosts = len(self.run.scenario.topology.hosts)
        return self.run.duration_s + BEGIN_AND_END_S + EACH_HOST_S * hosts

    @property
    def folder(self) -> str:
        """Name of the run's own folder: what it is, and a digest of all that decides it."""
        assert self.run is not None
        words = re.sub(r"[^A-Za-z0-9.*+]+", "-", self.run.title).strip("-")
        digest = hashlib.sha256(f"{self.job.recipe} {self.job.seed}".encode()).hexdigest()[:6]
        return f"{words}-{digest}"


def lines(chosen: Chosen, there: Sequence[Job] = ()) -> list[Line]:
    """The chosen runs, with what a lab cannot do and what is in the data file."""
    found, known = [], set(there)
    for job in chosen.jobs:
        try:
            run = chosen.bridge.real_run(json.loads(job.recipe))
            found.append(Line(job, run, is_there=job in known))
        except NotInLabError as error:
            found.append(Line(job, None, str(error)))
    return found


def refuse(found: Sequence[Line]) -> None:
    """Raises NotInLabError if a lab cannot make some of the runs, with each reason."""
    reasons: dict[str, int] = {}
    for line in found:
        if line.run is None:
            reasons[line.refusal] = reasons.get(line.refusal, 0) + 1
    if reasons:
        told = "; ".join(
            f"{reason} ({count} run{'s' if count > 1 else ''})" for reason, count in reasons.items()
        )
        raise NotInLabError(f"a lab cannot make all of these {len(found)} runs: {told}; --only selects runs")


# ---- Data file ---------------------------------------------------------------------------------------------


class Kept:
    """The data file of a paper's runs in real time. Runs that were made otherwise are not thrown away
    unasked."""

    def __init__(self, chosen: Chosen, folder: Path, versions: Mapping[str, str], *, again: bool) -> None:
        """Raises ExperimentError if the file holds runs that other versions or hosts made."""
        self._chosen, self._folder = chosen, folder
        path = data_file(chosen.paper, folder)
        self._store = Store(path, chosen.paper, versions)
        if self._store.stale and not again:
            old = read_parquet(path, chosen.paper.key).versions
            differing = [name for name in sorted({*old, *versions}) if old.get(name) != versions.get(name)]
            told = ", ".join(
                f"{name} ({_brief(old, name)}, not {_brief(versions, name)})" for name in differing
            )
            raise ExperimentError(
                f"{path}: its {self._store.stale} runs were made with another {told}; {REPLACED}"
            )
        self.there = [] if again else [job for job in chosen.jobs if not self._store.missing([job])]

    def add(self, job: Job, recorded: Recorded) -> Row:
        """Takes a run in, and saves the file."""
        row = self._chosen.bridge.row(json.loads(job.recipe), job.seed, recorded)
        self._store.add(job, row)
        self._store.save(self._chosen.parameters)
        return row

    def draw(self) -> list[str]:
        """Draws the figures whose runs are all there; says of the others that were asked for why they are
        not."""
        self._store.save(self._chosen.parameters)
        if not data_file(self._chosen.paper, self._folder).exists():
            return []
        results = load(self._chosen.paper, self._folder, {})
        said = []
        for key in self._chosen.figures:
            figure = results.paper.figure(key)
            jobs = jobs_of(figure, results.parameters)
            if missing := len(self._store.missing(jobs)):
                said.append(f"{key} is not drawn: {missing} of its {len(jobs)} runs are missing")
                continue
            data = results.of([figure], results.seeds_of([figure]))
            assert data is not None
            try:
                figure.draw(data, results.parameters)
            except NotMeasuredError as error:
                said.append(f"{key} is not drawn: {error}")
        # Without any complete figure there is nothing to draw; the runs' own pictures are there.
        with suppress(ExperimentError):
            draw(results, self._folder)
        return said


def _brief(versions: Mapping[str, str], name: str) -> str:
    value = versions.get(name, "none")
    return value[:12] if name.endswith("sha256") else value


# ---- Hosts -------------------------------------------------------------------------------------------------


def plan_of(run: RealRun, base: Plan, seed: int, captures: Path | None) -> Plan:
    """The run's times, with what sends."""
    return replace(
        base,
        duration_s=run.duration_s,
        warmup_s=run.warmup_s,
        start_jitter_s=run.start_jitter_s,
        sample_s=run.sample_s if base.sample_s is None else base.sample_s,
        seed=seed,
        captures=captures,
    )


def options_of(run: RealRun, base: Options, seed: int, congestion: str, linux_tcp: bool) -> Options:
    """The run's hosts: as the paper's, or with Linux's own TCP or another congestion control."""
    tcp: HostTcp = run.tcp
    if linux_tcp:
        tcp = replace(base.tcp, congestion=tcp.congestion, ecn=tcp.ecn)
    if congestion != "auto":
        tcp = replace(tcp, congestion=congestion)
    return replace(
        base,
        tcp=tcp,
        seed=seed,
        mean_packet_bytes=run.scenario.mtu,
        without_ecn=run.without_ecn,
    )
