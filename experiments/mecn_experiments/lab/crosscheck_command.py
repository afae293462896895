# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What `mecn lab crosscheck` runs, and the table that it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from mecn_topo.lab import PAPER_TCP, CannotRunError, Options, Plan, bmv2
from mecn_topo.lab.hosts import checked
from mecn_topo.lab.kernel import RealCommands, obstacle, own_namespace
from rich.console import Console
from rich.table import Table

from ..paper003.parameters import LOW, make_parameters
from ..paper003.scenarios import Scenario, point
from . import crosscheck as sides
from .session import program_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def measure_sides(
    sources: int, duration_s: float, runs: int, output: Path
) -> tuple[sides.Sides, sides.Sides, dict[str, float]]:
    """All sides over whole runs, and without their start; how late each lab was at most, in milliseconds.

    Raises CannotRunError, LabError, ExperimentError.
    """
    if (reason := obstacle("iperf3", "tcpdump")) is not None:
        raise CannotRunError(reason)
    tcp = checked(PAPER_TCP, RealCommands())
    targets = ["embedded"]
    if (missing := bmv2.missing()) is None:
        targets.append("bmv2")
    else:
        click.echo(f"without the column of BMv2: {missing}", err=True)
    parameters = make_parameters(
        {"seeds": 1, "sources": (sources,), "duration_s": duration_s, "warmup_s": 0.0}
    )
    of = point(Scenario("MECN", LOW), sources, parameters)
    program = program_for("embedded")
    # Before the virtual network's controller uses gRPC.
    own_namespace()
    RealCommands().run(["ip", "link", "set", "lo", "up"])
    click.echo("virtual network", err=True)
    virtual = sides.both_virtual(of, parameters, program)
    after = parameters.model_copy(update={"warmup_s": sides.START_SHARE * duration_s})
    virtual_after = sides.both_virtual(of, after, program)

    def plan(seed: int, folder: Path) -> Plan:
        # The hosts' counts are read at the end of the warm-up, too.
        return Plan(duration_s, after.warmup_s, parameters.start_jitter_s, seed=seed, captures=folder)

    labs = {
        target: sides.lab_runs(of, parameters, Options(tcp, target), plan, runs, output) for target in targets
    }
    whole = {target: [sides.with_start(measured) for measured in found] for target, found in labs.items()}
    later = {target: [measured.row for measured in found] for target, found in labs.items()}
    late = {target: max(of.lateness_ms["max"] for of in found) for target, found in labs.items()}
    return sides.Sides(whole, *virtual), sides.Sides(later, *virtual_after), late


def show(lines: Sequence[sides.Line], title: str, late: Mapping[str, float], runs: int) -> None:
    """Prints the table, and what it was made of."""
    table = Table(title=f"MECN at low thresholds, {title}", title_justify="left", box=None)
    for head in sides.head(list(late)):
        table.add_column(head, justify="left" if head == "measure" else "right")
    for line in lines:
        table.add_row(*line.cells)
    Console(width=190).print(table)
    for target, late_ms in late.items():
        click.echo(f"{sides.LABS[target]}: {runs} runs, frames sent at most {late_ms:.1f} ms late")
    click.echo(f"virtual network: seeds 1 to {sides.VIRTUAL_SEEDS}")
