# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The data file: one Parquet file with a row for each run, and what made them in its metadata.

Nothing in it depends on when, where or in which order it was made: rows are kept in the order of their
recipes and seeds, so the same runs, parameters and versions give the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from .declaration import Job
from .errors import ExperimentError, NotMeasuredError
from .files import staged, writable_directory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .declaration import Paper, Parameters

FORMAT = "2"
_EXPERIMENT, _FORMAT, _PARAMETERS, _VERSIONS = (
    "mecn.experiment",
    "mecn.format",
    "mecn.parameters",
    "mecn.versions",
)

Row = dict[str, Any]
TEXT, COUNT, NUMBER, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()
"""Types of columns."""

MEASURED = frozenset(
    {
        "back_utilisation",
        "delay_mean_s",
        "delay_p95_s",
        "delay_std_s",
        "drops",
        "flow_loss",
        "fraction_idle",
        "goodput_bps",
        "group_delay_s",
        "group_goodput_bps",
        "group_throughput_bps",
        "jitter_s",
        "reductions_incipient",
        "reductions_loss",
        "reductions_moderate",
        "tail_drops",
        "throughput_bps",
        "trace_sent_bytes",
        "utilisation",
    }
)
"""Columns that are null where a run in real time could not measure them (docs/lab.md); simulated runs have
them all. Null in any other column has a meaning of its own."""


class StoredRow(dict[str, Any]):
    """A row of a data file; :class:`NotMeasuredError` tells of a measure that is asked for and missing."""

    def __getitem__(self, column: str) -> Any:  # noqa: ANN401
        value = super().__getitem__(column)
        if value is None and column in MEASURED:
            raise NotMeasuredError(column)
        return value


@dataclass(frozen=True)
class Dataset:
    """Rows of results with the parameters and versions that produced them."""

    experiment: str
    parameters: Mapping[str, Any]
    versions: Mapping[str, str]
    rows: Sequence[Row]
    read: set[str] = field(default_factory=set, compare=False)
    """Recipes of the rows that were selected so far."""

    def select(self, **conditions: object) -> list[Row]:
        """The rows whose columns have these values, in order."""
        found = [row for row in self.rows if all(row[key] == value for key, value in conditions.items())]
        self.read.update(row["recipe"] for row in found)
        return found

    def values(self, column: str, **conditions: object) -> list[float]:
        """One column of the selected rows; no row at all is an error of the data file."""
        rows = self.select(**conditions)
        if not rows:
            wanted = ", ".join(f"{key} = {value}" for key, value in conditions.items())
            raise ExperimentError(f"the data file has no run with {wanted}")
        return [float(row[column]) for row in rows]


def write_parquet(dataset: Dataset, schema: pa.Schema, path: Path) -> None:
    """Writes the file; the caller puts it in its place when it is whole."""
    metadata = {
        _EXPERIMENT: dataset.experiment,
        _FORMAT: FORMAT,
        _PARAMETERS: json.dumps(dataset.parameters, sort_keys=True),
        _VERSIONS: json.dumps(dataset.versions, sort_keys=True),
    }
    # Plain dictionaries: what was not measured is null in the file.
    rows = [dict(row) for row in sorted(dataset.rows, key=lambda row: (row["recipe"], row["seed"]))]
    table = pa.Table.from_pylist(rows, schema=schema.with_metadata(metadata))
    pq.write_table(table, path, compression="zstd", compression_level=9, row_group_size=1 << 20)


def read_parquet(path: Path, experiment: str) -> Dataset:
    """Reads a data file; raises :class:`ExperimentError` when it is not one of this experiment."""
    try:
        table = pq.read_table(path)
    except FileNotFoundError:
        raise ExperimentError(
            f"{path}: there is no such file; `mecn experiment run {experiment}` makes it"
        ) from None
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ExperimentError(f"{path}: cannot be read as Parquet: {reason}") from None
    raw = table.schema.metadata or {}
    metadata = {key.decode(): value.decode() for key, value in raw.items() if key.startswith(b"mecn.")}
    found = metadata.get(_EXPERIMENT)
    if found != experiment:
        raise ExperimentError(f"{path}: holds {found or 'no experiment'}, not experiment {experiment}")
    if metadata.get(_FORMAT) != FORMAT:
        raise ExperimentError(
            f"{path}: format {metadata.get(_FORMAT)} is not known here; run the experiment again"
        )
    return Dataset(
        experiment,
        json.loads(metadata[_PARAMETERS]),
        json.loads(metadata[_VERSIONS]),
        [StoredRow(row) for row in table.to_pylist()],
    )


class Store:
    """A data file that grows: what is in it is not run again, and what was run is kept, whatever happens."""

    def __init__(self, path: Path, paper: Paper, versions: Mapping[str, str]) -> None:
        """Opens the file, if there is one. Rows that other versions made count as missing."""
        self.path = path
        self.paper = paper
        self.versions = dict(versions)
        self.stale = 0
        """Rows in the file that other versions made; they go when the file is written."""
        self._rows: dict[Job, Row] = {}
        if path.exists():
            data = read_parquet(path, paper.key)
            if data.versions == self.versions:
                self._rows = {Job(row["recipe"], row["seed"]): row for row in data.rows}
            else:
                self.stale = len(data.rows)

    def missing(self, jobs: Sequence[Job]) -> list[Job]:
        """Those that have no row yet, in order."""
        return [job for job in jobs if job not in self._rows]

    def add(self, job: Job, row: Row) -> None:
        """Takes in the row of a finished run."""
        self._rows[job] = {**row, "recipe": job.recipe, "seed": job.seed}

    def save(self, parameters: Parameters) -> None:
        """Writes the file in one step, if there is anything."""
        if not self._rows:
            return
        with staged(writable_directory(self.path.parent)) as staging:
            write_parquet(self.data(parameters), self.paper.schema, staging / self.path.name)

    def data(self, parameters: Parameters) -> Dataset:
        """All rows that there are."""
        values = parameters.model_dump(mode="json")
        return Dataset(self.paper.key, values, self.versions, [*self._rows.values()])


def rows_of(data: Dataset, jobs: Sequence[Job]) -> Dataset | None:
    """The data of these runs only, in their order; None if one is missing."""
    by_job = {(row["recipe"], row["seed"]): row for row in data.rows}
    try:
        rows = [by_job[job.recipe, job.seed] for job in jobs]
    except KeyError:
        return None
    return Dataset(data.experiment, data.parameters, data.versions, rows)
