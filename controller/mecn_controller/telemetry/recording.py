# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Samples as files: CSV, and Parquet in row groups. Both hold no more than one group in memory."""

from __future__ import annotations

import csv
import os
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from mecn_controller.errors import ControllerError
from mecn_controller.fixed_point import RTT_CLASSES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mecn_controller.telemetry.sample import Sample

ROW_GROUP = 10_000
"""Rows of a Parquet row group."""

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
    """Parquet, a row group each `ROW_GROUP` rows. Without its end the file cannot be read: call `close`."""

    def __init__(self, path: Path, row_group: int = ROW_GROUP) -> None:
        self._writer = pq.ParquetWriter(path, SCHEMA, compression="zstd")
        self._held: list[dict[str, object]] = []
        self._row_group = row_group

    def write(self, samples: Sequence[Sample]) -> None:
        """Add rows."""
        for sample in samples:
            self._held.append(_row(sample))
            if len(self._held) >= self._row_group:
                self._flush()

    def _flush(self) -> None:
        if self._held:
            self._writer.write_table(pa.Table.from_pylist(self._held, schema=SCHEMA))
            self._held.clear()

    def close(self) -> None:
        """Write the last row group and the file's end."""
        self._flush()
        self._writer.close()


def new_file(path: Path, *, force: bool) -> Path:
    """The path, if a recording may be written there; ControllerError if there is a file already."""
    if path.exists() and not force:
        raise ControllerError(f"{path}: exists; --force writes it anew")
    return path
