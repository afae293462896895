# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What came out of a run, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from mecn_controller.policy.curve import curve_of
from rich.console import Console
from rich.table import Table

from .results import proof

if TYPE_CHECKING:
    from pathlib import Path

    from .results import Recorded

MOST_FLOWS = 20
"""Flows whose codepoints are printed; those of all are in summary.json."""


def console() -> Console:
    """Standard output, with room for tables where it is no terminal."""
    found = Console()
    if not found.is_terminal:
        found.width = 130
    return found


MEASURES: tuple[tuple[str, str, str, float, int], ...] = (
    ("link efficiency", "link_efficiency", " %", 100, 2),
    ("queue: mean", "queue_mean", " packets", 1, 2),
    ("queue: standard deviation", "queue_std", " packets", 1, 2),
    ("queue: share of time empty", "fraction_empty", " %", 100, 2),
    ("one-way delay: mean", "delay_mean_s", " ms", 1000, 2),
    *(
        (column.replace("_", " "), column, "", 1, 0)
        for column in (
            "sent_packets", "marked_incipient", "marked_ce", "early_drops", "tail_drops",
            "reductions_incipient", "reductions_moderate", "reductions_loss", "timeouts",
        )
    ),
    ("Jain's index", "jain_index", "", 1, 3),
)  # fmt: skip
"""What is printed of a run: words, column of the data file, unit, factor, digits."""


STUCK_SHARE = 0.2
"""Low thresholds with idle correction reach 0.12; without it they exceed 0.25."""


def warn_of_idle(measured: Recorded) -> None:
    """Says so where the link idles while the average stands above max_th: it hardly falls while idle."""
    profile = measured.scenario.placements[0].profile
    severe = curve_of(profile).severe
    if severe is None or profile.ewma_weight == 1:
        return
    states = measured.recording.states
    share = sum(state.depth == 0 and state.average >= severe for state in states) / max(1, len(states))
    if share > STUCK_SHARE:
        click.echo(
            f"warning: for {share:.0%} of the time the queue is empty while its average is above max_th:"
            f" is mean_service_time_us of {profile.name!r} too long for this link?",
            err=True,
        )


def report(measured: Recorded, title: str, folder: Path) -> None:
    """Prints what came out of a run."""
    row = measured.row
    table = Table(show_header=False, box=None, padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")

    def line(label: str, value: float | None, unit: str, scale: float, digits: int) -> None:
        table.add_row(label, "not measured" if value is None else f"{value * scale:.{digits}f}{unit}")

    for label, column, unit, scale, digits in MEASURES:
        line(label, row[column], unit, scale, digits)
    line("switch late by at most", measured.lateness_ms["max"], " ms", 1, 2)
    screen = console()
    screen.print(title, highlight=False, style="italic")
    screen.print(table)
    warn_of_idle(measured)
    wire = proof(measured)["wire"]
    if wire:
        codepoints = Table(title="on the wire, data segments at the sink", title_justify="left", box=None)
        for name in ("flow", "ECT(0)", "ECT(1)", "CE", "Not-ECT", "echoes 00", "01", "10", "11"):
            codepoints.add_column(name, justify="left" if name == "flow" else "right")
        for flow, found in list(wire.items())[:MOST_FLOWS]:
            received, echoes = found["data received"], found["echoes (CWR,ECE)"]
            codepoints.add_row(
                flow,
                *(str(received.get(name, 0)) for name in ("ECT(0)", "ECT(1)", "CE", "Not-ECT")),
                *(str(echoes.get(bits, 0)) for bits in ("00", "01", "10", "11")),
            )
        if len(wire) > MOST_FLOWS:
            codepoints.add_row(f"and {len(wire) - MOST_FLOWS} more")
        screen.print(codepoints)
    click.echo(f"run      {folder}: run, flows and marks.parquet, summary.json, figures, captures\n")
