# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn watch`: queues and marks, live in the terminal."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mecn_controller.commands.target import Target, reads
from mecn_controller.commands.telemetry_source import Source, source_options
from mecn_controller.telemetry.screen import render
from mecn_controller.web.access import read_token

if TYPE_CHECKING:
    from mecn_controller.telemetry.sample import Snapshot


@click.command("watch")
@source_options
@click.option("--port", type=int, help="Only this egress port.")
@click.option("--once", is_flag=True, help="Print one picture, with rates over one interval, and end.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line, for scripts.")
@reads
def watch(
    target: Target,
    serve_url: str | None,
    token_file: str | None,
    interval: float,
    port: int | None,
    once: bool,
    as_json: bool,
) -> None:
    """Show queues, thresholds, marks and flows of each port, live, until Ctrl-C.

    Beside whoever is in charge only counters can be read. Depths, averages and flows are in the reports,
    which a switch sends to its primary controller: take them from it (--from), or be it (--election-id).
    """
    token = None if token_file is None else read_token(Path(token_file))
    source = Source(target, serve_url, token, interval)
    asyncio.run(_watch(source, port, once, as_json))


async def _watch(source: Source, port: int | None, once: bool, as_json: bool) -> None:
    from rich.console import Console
    from rich.live import Live

    console = Console()
    async with aclosing(source.snapshots()) as snapshots:
        if as_json or once or not console.is_terminal:
            first = True
            async for snapshot in snapshots:
                chosen = only(snapshot, port)
                # The first reading says no rates.
                if once and first and not any(each.rates for each in chosen.ports) and chosen.ports:
                    first = False
                    continue
                if as_json:
                    sys.stdout.write(json.dumps(chosen.to_json()) + "\n")
                    sys.stdout.flush()
                else:
                    console.print(render(chosen))
                if once:
                    return
            return
        with Live(console=console, screen=True, auto_refresh=False) as live:
            async for snapshot in snapshots:
                live.update(render(only(snapshot, port), console.height), refresh=True)


def only(snapshot: Snapshot, port: int | None) -> Snapshot:
    """The snapshot of one port, or of all."""
    if port is None:
        return snapshot
    import dataclasses

    return dataclasses.replace(snapshot, ports=tuple(each for each in snapshot.ports if each.port == port))
