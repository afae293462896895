# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn rollback`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from mecn_controller import names
from mecn_controller.commands.target import EXIT_DIFFERENT, PORT, Target, state_option, writes
from mecn_controller.commands.types import Seconds
from mecn_controller.defaults import DEFAULT_DRAIN_S
from mecn_controller.dscp import format_dscp
from mecn_controller.runtime.history import Change, History, Rollback, foreign, perform, plan, state_of
from mecn_controller.text_table import aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mecn_controller.runtime.session import SwitchSession


@click.command("rollback")
@click.option("--port", type=PORT, required=True, help="Egress port whose last change is undone.")
@click.option(
    "--to", type=click.IntRange(0), help="Undo all after this change (--list); 0: all that is kept."
)
@click.option("--list", "list_only", is_flag=True, help="Print the port's changes and end; needs no switch.")
@click.option("--force", is_flag=True, help="Also where the switch has not what this history says.")
@click.option("--drain", type=Seconds(0, 60), default=DEFAULT_DRAIN_S, show_default=True)
@writes
@state_option
def rollback(
    port: int,
    to: int | None,
    list_only: bool,
    force: bool,
    drain: float,
    history: History | None,
    target: Target,
) -> None:
    """Undo the last change of a port: put back the profile that was applied before it.

    The history is this machine's: what apply, serve and its page have applied. If someone else has changed
    the port since, nothing is done (exit status 1); with --force the profile of the history is applied all
    the same, and what stood there is gone. A port that had no policy before its first change has none
    afterwards.
    """
    if history is None:
        raise click.UsageError("a rollback needs the history")
    if list_only:
        _print(history, port)
        return

    async def act(session: SwitchSession) -> tuple[Rollback, list[int | None]]:
        entries = await session.read(names.AQM_TABLES)
        history.settle(entries, port)
        planned = plan(history, port, to)
        others = foreign(history, entries, port)
        if force or not (others or planned.unknown):
            await perform(session, history, planned, drain)
        return planned, others

    planned, others = target.run(act)
    where = f"{target.address}: port {port}"
    if others and not force:
        click.echo(
            f"{where}, DSCP {_traffic(others)}: has been changed by someone else since"
            f" change {planned.undone[-1].number}; nothing was done (--force goes back all the same)",
            err=True,
        )
        raise click.exceptions.Exit(EXIT_DIFFERENT)
    if planned.unknown and not force:
        click.echo(
            f"{where}, DSCP {_traffic(planned.unknown)}: what was there before"
            f" change {planned.undone[0].number} was not applied from here and is not known; nothing was done"
            " (--force leaves it without active queue management)",
            err=True,
        )
        raise click.exceptions.Exit(EXIT_DIFFERENT)
    click.echo("\n".join(f"{where}{line}" for line in _done(planned)))


def _done(planned: Rollback) -> list[str]:
    lines = []
    for change, points in planned.applies:
        lines.append(f", DSCP {_traffic(points)}: {change.name} (change {change.number}) is in force again")
    if planned.removes:
        lines.append(f", DSCP {_traffic(planned.removes)}: no active queue management, as before")
    return lines or [": nothing to change"]


def _traffic(points: Sequence[int | None]) -> str:
    return "any" if None in points else format_dscp(tuple(point for point in points if point is not None))


def _print(history: History, port: int) -> None:
    stack = history.stack(port)
    if not stack:
        click.echo(f"{history.path}: no change of port {port}")
        return
    rulers = set(map(id, state_of(stack).values()))
    rows = [["change", "when", "by", "DSCP", "before", "in force", "profile"]]
    rows += [_line(change, id(change) in rulers) for change in stack]
    click.echo("\n".join(aligned(rows)))


def _line(change: Change, rules: bool) -> list[str]:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(change.time))
    state = "not known" if change.begun else "yes" if rules else ""
    return [
        str(change.number),
        when,
        change.by,
        _traffic(change.points),
        "/".join(sorted(set(change.before))),
        state,
        change.name,
    ]
