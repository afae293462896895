# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The same run in real time and in virtual time: paper 003's low thresholds, multi-level ECN.

Nothing but the P4 program and its engine is shared: the lab has Linux's TCP with `mecn-host`, the kernel's
timers and this machine's lateness; the virtual network has the TCP of hosts/tcp and exact time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..bench import Bench
from ..documents import put
from ..errors import ExperimentError
from ..paper003.simulate import simulate
from ..program import CHECKOUT
from .results import measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Row
    from ..paper003.parameters import Parameters
    from ..paper003.scenarios import Point
    from ..program import Program
    from .results import Measured

DOCUMENT = CHECKOUT / "docs" / "validation.md"
EFFICIENCY = 0.05
"""Largest relative difference of link efficiency."""
QUEUE = 0.15
"""Largest relative difference of the mean queue, or one packet."""
MARKS = 1.25
"""Largest factor between marks of a level; docs/validation.md says why it is not smaller."""
VIRTUAL_SEEDS = 10


START_SHARE = 1 / 6
"""Of a run: its beginning, left out of the second half of the table."""


@dataclass(frozen=True)
class Sides:
    """The rows of both sides over one span of time."""

    lab: Sequence[Row]
    virtual: Sequence[Row]
    whole_segments: Sequence[Row]
    """Of the virtual network whose hosts keep their windows in whole segments, as Linux does."""


@dataclass(frozen=True)
class Line:
    """A measure on both sides; means over the runs, and their extent."""

    name: str
    unit: str
    lab: float
    virtual: float
    whole_segments: float
    lab_range: tuple[float, float]
    virtual_range: tuple[float, float]
    limit: str = ""
    agrees: bool | None = None
    """None: shown without a limit."""

    @property
    def cells(self) -> list[str]:
        """As a row of a table."""

        def both(mean: float, extent: tuple[float, float]) -> str:
            low, high = extent
            return f"{mean:.4g}" if low == high else f"{mean:.4g} ({low:.4g} to {high:.4g})"

        ratio = "" if self.virtual == 0 else f"{self.lab / self.virtual:.3f}"
        verdict = "" if self.agrees is None else ("yes" if self.agrees else "no")
        name = f"{self.name}, {self.unit}" if self.unit else self.name
        lab, virtual = both(self.lab, self.lab_range), both(self.virtual, self.virtual_range)
        return [name, lab, virtual, ratio, self.limit, verdict, f"{self.whole_segments:.4g}"]


HEAD = ("measure", "lab", "virtual network", "lab / virtual", "limit", "within", "whole segments")


def virtual_rows(run: Point, parameters: Parameters, program: Program) -> list[Row]:
    """The virtual network's rows, one for each seed."""
    recipe = run.recipe(parameters)
    with Bench(program) as bench:
        return [simulate(recipe, seed, bench) for seed in range(1, VIRTUAL_SEEDS + 1)]


def both_virtual(run: Point, parameters: Parameters, program: Program) -> tuple[list[Row], list[Row]]:
    """The same with the experiment's windows, and with windows of whole segments."""
    linux = parameters.model_copy(update={"congestion_avoidance": "whole-segments"})
    return virtual_rows(run, parameters, program), virtual_rows(run, linux, program)


def without_start(measured: Measured) -> Row:
    """A run of the lab, measured from the end of its beginning."""
    recording = measured.recording
    plan = replace(recording.plan, warmup_s=START_SHARE * recording.plan.duration_s)
    return measure(measured.scenario, replace(recording, plan=plan), None).row


def compare(whole: Sides, later: Sides) -> list[Line]:
    """The table's lines. whole: the runs from their start; later: without their beginning."""

    def line(sides: Sides, name: str, column: str, unit: str = "", scale: float = 1.0) -> Line:
        def values(rows: Sequence[Row]) -> list[float]:
            return [scale * float(row[column]) for row in rows if row[column] is not None]

        ours, theirs = values(sides.lab), values(sides.virtual)
        if not ours:
            raise ExperimentError(f"the lab has not measured {column}")
        mine, other, linux = (float(np.mean(of)) for of in (ours, theirs, values(sides.whole_segments)))
        return Line(name, unit, mine, other, linux, (min(ours), max(ours)), (min(theirs), max(theirs)))

    def judged(of: Line, limit: str, agrees: bool) -> Line:
        return replace(of, limit=limit, agrees=agrees)

    efficiency = line(whole, "link efficiency", "link_efficiency", "%", 100)
    queue = line(whole, "mean queue", "queue_mean", "packets")
    near = abs(queue.lab - queue.virtual)
    found = [
        judged(efficiency, "5 %", abs(efficiency.lab / efficiency.virtual - 1) <= EFFICIENCY),
        judged(queue, "15 % or 1 packet", near <= max(QUEUE * queue.virtual, 1.0)),
    ]
    for name, column in (("incipient marks", "marked_incipient"), ("CE marks", "marked_ce")):
        marks = line(whole, name, column)
        within = marks.virtual > 0 and 1 / MARKS <= marks.lab / marks.virtual <= MARKS
        found.append(judged(marks, f"factor {MARKS:g}", within))
    return [
        *found,
        line(whole, "standard deviation of the queue", "queue_std", "packets"),
        line(whole, "time with an empty queue", "fraction_empty", "%", 100),
        line(whole, "one-way delay", "delay_mean_s", "ms", 1000),
        line(whole, "reductions for incipient marks", "reductions_incipient"),
        line(whole, "reductions for CE", "reductions_moderate"),
        line(whole, "Jain's index", "jain_index"),
        line(later, "after the start: link efficiency", "link_efficiency", "%", 100),
        line(later, "after the start: mean queue", "queue_mean", "packets"),
        line(later, "after the start: time with an empty queue", "fraction_empty", "%", 100),
        line(later, "after the start: incipient marks", "marked_incipient"),
        line(later, "after the start: CE marks", "marked_ce"),
    ]


def markdown(lines: Sequence[Line]) -> str:
    """The table for the document."""
    rows = [list(HEAD), ["---"] * len(HEAD), *(line.cells for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write(lines: Sequence[Line], path: Path = DOCUMENT) -> None:
    """Puts the table in its place in the document."""
    put(path, "crosscheck", markdown(lines))
