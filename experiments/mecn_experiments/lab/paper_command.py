# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn lab run PAPER`: its runs one after the other, each with a network of its own."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click
from mecn_topo.lab import Plan, RealCommands, best_available
from mecn_topo.lab.hosts import checked
from rich.table import Table

from ..errors import ExperimentError
from .bridge import CannotBeginError
from .console import console, report
from .paper import Kept, choose, lines, options_of, plan_of, refuse
from .session import Session, program_for, versions
from .session import run as run_session
from .tools import captures_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from mecn_topo.lab import Options
    from mecn_topo.lab.run import Traffic

    from ..program import Program
    from .paper import Chosen, Line


@dataclass(frozen=True)
class Wanted:
    """What the user asked for."""

    key: str
    figures: tuple[str, ...]
    settings: Mapping[str, Any]
    only: tuple[str, ...]
    again: bool
    tcp: str
    """A congestion control for all hosts, or auto."""
    linux_tcp: bool
    capture: bool | None
    folder: Path


def run_paper(wanted: Wanted, base: Options, traffic: Callable[[], Traffic], *, dry_run: bool) -> None:
    """Makes the runs that are not there, and draws the figures that are complete.

    traffic: what sends; it may say that something is missing. Raises CannotBeginError before anything is
    made, as when a lab cannot make some of the runs; LabError when one fails: what was finished is kept.
    """
    try:
        chosen, found, kept, program, sends = _prepared(wanted, base, traffic, refusing=not dry_run)
    except ExperimentError as error:
        raise CannotBeginError(str(error)) from None
    if dry_run:
        _print(chosen, found)
        return
    todo = _able(wanted, [line for line in found if not line.is_there])
    if len(found) > len(todo):
        there = sum(line.is_there for line in found)
        click.echo(f"{len(found)} runs, {there} are there", err=True)
    try:
        for number, line in enumerate(todo, start=1):
            left = sum(other.seconds for other in todo[number - 1 :])
            click.echo(f"run {number} of {len(todo)}, about {_duration(left)} left", err=True)
            assert line.run is not None
            folder = wanted.folder / line.folder
            seed = line.job.seed
            options = options_of(line.run, base, seed, wanted.tcp, wanted.linux_tcp)
            title = f"{line.run.title}, {options.tcp.congestion}{'' if options.tcp.ecn else ' without ECN'}"
            if chosen.parameters.seeds != 1:
                title += f", seed {seed}"
            plan = plan_of(line.run, Plan(1.0, traffic=sends), seed, captures_in(wanted.capture, folder))
            of = {"experiment": wanted.key, "recipe": line.recipe}
            session = Session(title, line.run.scenario, options, plan, folder, of)
            measured = run_session(session, program)
            kept.add(line.job, measured)
            report(measured, title, folder)
    finally:
        for said in kept.draw():
            click.echo(said, err=True)
    click.echo(f"data     {wanted.folder}/{wanted.key}.parquet")
    click.echo(f"figures  mecn experiment show {wanted.key} --data {wanted.folder}")


def _prepared(
    wanted: Wanted, base: Options, traffic: Callable[[], Traffic], *, refusing: bool
) -> tuple[Chosen, list[Line], Kept, Program, Traffic]:
    """The runs with their states, the data file, the data plane, and what sends."""
    chosen = choose(wanted.key, wanted.figures, wanted.settings, wanted.only)
    for name, value in chosen.shrunk.items():
        click.echo(f"{name} is {value:g}, in proportion to the duration", err=True)
    if refusing:
        refuse(lines(chosen))
    program = program_for(base.target)
    sends = traffic()
    made_with = {**versions(program), "time": "real", "hosts": _hosts(wanted, base, sends)}
    kept = Kept(chosen, wanted.folder, made_with, again=wanted.again)
    return chosen, lines(chosen, kept.there), kept, program, sends


def _hosts(wanted: Wanted, base: Options, traffic: Traffic) -> str:
    """What the rows of one data file have in common beside their recipes."""
    tcp = "Linux's TCP" if wanted.linux_tcp else "the paper's TCP"
    if wanted.tcp != "auto":
        tcp += f", {wanted.tcp}"
    links = ", netem" if base.links == "netem" else ""
    return f"{tcp}, {traffic}, {base.target}{links}"


def _able(wanted: Wanted, todo: Sequence[Line]) -> list[Line]:
    """Those whose hosts this machine can have. Raises CannotRunError."""
    commands = RealCommands()
    if wanted.tcp != "auto":
        for line in todo[:1]:
            assert line.run is not None
            checked(replace(line.run.tcp, congestion=wanted.tcp), commands)
        return list(todo)
    multi_level = [line for line in todo if line.multi_level]
    if multi_level:
        assert multi_level[0].run is not None
        _, why_not = best_available(multi_level[0].run.tcp, commands)
        if why_not:
            # Hosts that take ECT(1) for "no mark" would not run the scheme.
            for line in multi_level:
                assert line.run is not None
                click.echo(f"{line.run.title} is left out: {why_not}", err=True)
            return [line for line in todo if not line.multi_level]
    return list(todo)


def _print(chosen: Chosen, found: Sequence[Line]) -> None:
    """The runs, and how long they take together."""
    table = Table(title=f"{chosen.paper.key}: {', '.join(chosen.figures)}", title_justify="left")
    for head, justify in (("run", "left"), ("seed", "right"), ("seconds", "right"), ("state", "left")):
        table.add_column(head, justify="right" if justify == "right" else "left")
    for line in found:
        if line.run is None:
            name, seconds, state = _name(line), "", f"not in a lab: {line.refusal}"
        else:
            name, seconds = line.run.title, f"{line.run.duration_s:g}"
            state = "there" if line.is_there else "to run; needs mecn-host" if line.multi_level else "to run"
        table.add_row(name, str(line.job.seed), seconds, state)
    console().print(table)
    todo = [line for line in found if line.run is not None and not line.is_there]
    click.echo(
        f"{len(todo)} of {len(found)} runs to do, about {_duration(sum(line.seconds for line in todo))}"
    )


def _name(line: Line) -> str:
    """Of a run that a lab cannot make: what tells its recipe from others."""
    own = {key: value for key, value in line.recipe.items() if key not in ("shared", "run") and value}
    return ", ".join(
        f"{key} {value if isinstance(value, str) else json.dumps(value)}" for key, value in own.items()
    )


def _duration(seconds: float) -> str:
    """4 min, 1 h 20 min."""
    minutes = math.ceil(seconds / 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
