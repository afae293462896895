# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Which experiments there are. Each lives in a package of its own, which is loaded when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from .errors import ExperimentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from .dataset import Dataset


class Progress(Protocol):
    """Whoever wants to know how far a run has come."""

    def stage(self, name: str, steps: int) -> None:
        """A new stage of so many steps begins; the one before is over."""

    def advance(self) -> None:
        """One step of the stage is done."""


class Measure(Protocol):
    """Head of a table's column."""

    @property
    def title(self) -> str:
        """Short name."""

    @property
    def unit(self) -> str:
        """Unit, empty for a pure number."""


class Scenario(Protocol):
    """What a table's row is about."""

    @property
    def name(self) -> str:
        """Name of the scheme with its thresholds."""


class Line(Protocol):
    """A row of a table."""

    @property
    def scenario(self) -> Scenario:
        """What it is about."""

    @property
    def n_sources(self) -> int:
        """Number of sources."""

    @property
    def cells(self) -> tuple[str, ...]:
        """One text for each measure."""


class Experiment(Protocol):
    """What the module `experiment` of an experiment's package has."""

    DATA_FILE: str

    def run(
        self, settings: Mapping[str, Any], output: Path, *, threads: int, source: Path, progress: Progress
    ) -> Dataset:
        """Runs everything."""

    def show(self, data_file: Path, output: Path, settings: Mapping[str, Any]) -> Dataset:
        """Draws again."""

    def tables(self, data: Dataset) -> Sequence[tuple[str, Sequence[Measure], Sequence[Line]]]:
        """Tables for the terminal."""


@dataclass(frozen=True)
class Entry:
    """An experiment's place in the list."""

    key: str
    title: str
    paper: str
    module: str

    def load(self) -> Experiment:
        """The experiment itself."""
        return cast("Experiment", import_module(self.module, __package__))


EXPERIMENTS = (
    Entry(
        "003",
        "ECN against multi-level ECN: queue, link efficiency, throughput against delay",
        "Quet et al., Guidelines for optimizing Multi-Level ECN, using fluid flow based TCP model",
        ".paper003.experiment",
    ),
)


def find(key: str) -> Entry:
    """The experiment of this key."""
    for entry in EXPERIMENTS:
        if entry.key == key:
            return entry
    known = ", ".join(entry.key for entry in EXPERIMENTS)
    raise ExperimentError(f"there is no experiment {key}; known: {known}")
