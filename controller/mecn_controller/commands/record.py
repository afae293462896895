# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn record`: samples into CSV and Parquet files."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mecn_controller.commands.target import Target, reads
from mecn_controller.commands.telemetry_source import Source, source_options
from mecn_controller.commands.types import Seconds
from mecn_controller.errors import ControllerError
from mecn_controller.web.access import read_token

if TYPE_CHECKING:
    from mecn_controller.telemetry.recording import Recorder


@click.command("record")
@source_options
@click.option("--csv", "csv_path", type=click.Path(path_type=Path), help="File to write.")
@click.option("--parquet", "parquet_path", type=click.Path(path_type=Path), help="File to write.")
@click.option("--duration", type=Seconds(min_open=True), help="Default: until Ctrl-C.")
@click.option("--force", is_flag=True, help="Write files anew that exist.")
@reads
def record(
    target: Target,
    serve_url: str | None,
    token_file: str | None,
    interval: float,
    csv_path: Path | None,
    parquet_path: Path | None,
    duration: float | None,
    force: bool,
) -> None:
    """Record telemetry: a row for each report of the switch, or for each reading of the counters.

    Where reports are received (--from, --election-id) and the profile has report_period_ms, rows are reports;
    otherwise they are what was counted in an interval. Ctrl-C and SIGTERM end the recording; nothing that was
    received is lost.
    """
    if csv_path is None and parquet_path is None:
        raise click.UsageError("say where to: --csv FILE, --parquet FILE, or both")
    from mecn_controller.telemetry.recording import CsvRecorder, ParquetRecorder, new_file

    token = None if token_file is None else read_token(Path(token_file))
    source = Source(target, serve_url, token, interval)
    files = [
        (new_file(path, force=force), kind)
        for path, kind in ((csv_path, CsvRecorder), (parquet_path, ParquetRecorder))
        if path is not None
    ]
    try:
        with ExitStack() as stack:
            recorders: list[Recorder] = []
            for path, kind in files:
                recorders.append(kind(path))
                # Each is closed, also where the other's disk is full.
                stack.callback(recorders[-1].close)
            rows, gaps = asyncio.run(_record(source, recorders, duration))
    except OSError as error:
        raise ControllerError(f"{error.filename or 'recording'}: {error.strerror or error}") from None
    names = " and ".join(str(path) for path, _ in files)
    missing = f"; reports are missing in {gaps} places (column gap)" if gaps else ""
    click.echo(f"{rows} rows in {names}{missing}", err=True)


async def _record(source: Source, recorders: list[Recorder], duration_s: float | None) -> tuple[int, int]:
    """Rows, and gaps in reports."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    if duration_s is not None:
        loop.call_later(duration_s, stop.set)
    rows = gaps = 0
    async with aclosing(source.samples(stop)) as batches:
        async for batch in batches:
            for recorder in recorders:
                recorder.write(batch)
            rows += len(batch)
            gaps += sum(sample.gap for sample in batch)
    with contextlib.suppress(ValueError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    return rows, gaps
