# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Samples as files: CSV, and Parquet in row groups. Both hold no more than one group in memory, and survive
`kill -9` but for the last seconds."""

from __future__ import annotations

import csv
import os
import shutil
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from mecn_controller.durable import alone, put_in_place
from mecn_controller.errors import ControllerError
from mecn_controller.fixed_point import RTT_CLASSES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mecn_controller.telemetry.sample import Sample

ROW_GROUP = 10_000
"""Rows of a Parquet row group."""

HELD_S = 30.0
"""Rows are on the disk after this time at the latest, seconds."""

SCHEMA = pa.schema(
    [
        pa.field("time", pa.float64(), nullable=False),
        pa.field("port", pa.uint16(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("interval_s", pa.float64(), nullable=False),
        pa.field("passed", pa.uint64(), nullable=False),
        pa.field("incipient", pa.uint64(), nullable=False),
        pa.field("ce", pa.uint64(), nullable=False),
        pa.field("early_drop", pa.uint64(), nullable=False),
        pa.field("bytes_left", pa.uint64()),
        pa.field("begin_us", pa.uint64()),
        pa.field("end_us", pa.uint64()),
        pa.field("average", pa.float64()),
        pa.field("min_depth", pa.uint32()),
        pa.field("max_depth", pa.uint32()),
        *(pa.field(f"flows_{number}", pa.float64()) for number in range(RTT_CLASSES)),
        pa.field("gap", pa.bool_(), nullable=False),
    ]
)
"""Columns of both formats; what they mean: `sample.Sample`."""


def _row(sample: Sample) -> dict[str, object]:
    row = sample.to_json()
    flows = row.pop("flows")
    for number in range(RTT_CLASSES):
        row[f"flows_{number}"] = flows[number] if number < len(flows) else None
    return row


class Recorder(Protocol):
    """A file that takes samples."""

    def write(self, samples: Sequence[Sample]) -> None:
        """Add rows."""

    def close(self) -> None:
        """Write what is still held back; the file is whole afterwards."""


class CsvRecorder:
    """Comma-separated values (RFC 4180) with a heading. Each batch is handed to the system at once."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", newline="", encoding="utf-8")
        self._writer = csv.DictWriter(self._file, SCHEMA.names)
        self._writer.writeheader()
        self._file.flush()

    def write(self, samples: Sequence[Sample]) -> None:
        """Add rows."""
        for sample in samples:
            row = _row(sample)
            self._writer.writerow({**row, "gap": int(bool(row["gap"]))})
        self._file.flush()

    def close(self) -> None:
        """Make sure that it is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()


class ParquetRecorder:
    """Parquet. What is `HELD_S` old is on the disk, whatever happens: until the end the rows are in a folder
    of parts beside the file, each a Parquet file of its own, and `close` puts them together.

    What a recording has left that was killed is put together by the next for the same file, or by `recover`.
    """

    def __init__(self, path: Path, row_group: int = ROW_GROUP) -> None:
        self._path, self._row_group = path, row_group
        self._parts = parts_of(path)
        self._parts.mkdir()
        self._lock = ExitStack()
        self._lock.enter_context(alone(self._parts))
        self._held: list[dict[str, object]] = []
        self._written = 0
        self._since = time.monotonic()

    def write(self, samples: Sequence[Sample]) -> None:
        """Add rows."""
        for sample in samples:
            self._held.append(_row(sample))
        if len(self._held) >= self._row_group or time.monotonic() - self._since >= HELD_S:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            new = self._parts / "new"
            pq.write_table(pa.Table.from_pylist(self._held, schema=SCHEMA), new, compression="zstd")
            put_in_place(new, self._parts / f"{self._written:08}.parquet")
            self._written += 1
            self._held.clear()
        self._since = time.monotonic()

    def close(self) -> None:
        """Write the rows that are held back, and make the parts one file."""
        with self._lock:
            self._flush()
            _put_together(self._path, self._row_group)


def parts_of(path: Path) -> Path:
    """The folder where a recording's rows are until its end."""
    return path.with_name(path.name + ".parts")


def _put_together(path: Path, row_group: int) -> int:
    """Makes the parts one file and removes them; the number of rows."""
    folder, rows = parts_of(path), 0
    whole = folder / "whole"
    with pq.ParquetWriter(whole, SCHEMA, compression="zstd") as writer:
        held: list[pa.Table] = []
        for part in sorted(folder.glob("*.parquet")):
            held.append(pq.read_table(part))
            rows += held[-1].num_rows
            if sum(table.num_rows for table in held) >= row_group:
                writer.write_table(pa.concat_tables(held))
                held.clear()
        if held:
            writer.write_table(pa.concat_tables(held))
    put_in_place(whole, path)
    shutil.rmtree(folder)
    return rows


def recover(path: Path) -> int | None:
    """Put together what a recording has left that was killed; its rows, None if there is nothing.

    ControllerError if that recording is still under way.
    """
    if not parts_of(path).is_dir():
        return None
    try:
        with alone(parts_of(path)):
            return _put_together(path, ROW_GROUP)
    except BlockingIOError:
        raise ControllerError(f"{path}: another recording writes this file") from None


def new_file(path: Path, *, force: bool) -> Path:
    """The path, if a recording may be written there; ControllerError if there is a file already."""
    rows = recover(path)
    if rows is not None and not force:
        raise ControllerError(f"{path}: has the {rows} rows of a recording now that was killed; name another")
    if path.exists() and not force:
        raise ControllerError(f"{path}: exists; --force writes it anew")
    return path
