# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The same run in real time and in virtual time: paper 003's low thresholds, multi-level ECN.

The lab has Linux's TCP with `mecn-host`, the kernel's timers and this machine's lateness; the virtual network
has the TCP of hosts/tcp and exact time. With the embedded switch both share the P4 program and its engine,
with BMv2 nothing but the program's source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..bench import Bench
from ..documents import put
from ..errors import ExperimentError
from ..paper003.simulate import scenario_of, simulate
from ..program import CHECKOUT
from .console import report
from .results import measure
from .session import Session, program_for, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mecn_topo.lab import Options, Plan

    from ..dataset import Row
    from ..paper003.parameters import Parameters
    from ..paper003.scenarios import Point
    from ..program import Program
    from .results import Recorded

DOCUMENT = CHECKOUT / "docs" / "validation.md"
VIRTUAL_SEEDS = 10
START_SHARE = 1 / 6
"""Of a run: its beginning, left out of the second half of the table."""
LABS = {"embedded": "lab, embedded switch", "bmv2": "lab, BMv2"}
"""The columns of labs, by target."""


@dataclass(frozen=True)
class Limit:
    """How near a lab's mean must come to the virtual network's; docs/validation.md says why not nearer."""

    text: str
    least: float
    """Of the ratio."""
    most: float
    or_within: float = 0.0
    """Or so near, in the measure's unit."""

    def holds(self, lab: float, virtual: float) -> bool:
        """Whether both agree."""
        return self.least * virtual <= lab <= self.most * virtual or abs(lab - virtual) <= self.or_within


EFFICIENCY = Limit("5 %", 0.95, 1.05)
QUEUE = Limit("15 % or 1 packet", 0.85, 1.15, 1.0)
COUNTS = Limit("factor 1.25", 1 / 1.25, 1.25)


@dataclass(frozen=True)
class Measure:
    """A line of the table."""

    name: str
    column: str
    unit: str = ""
    scale: float = 1.0
    limit: Limit | None = None
    without_start: bool = False

    @property
    def title(self) -> str:
        """With the unit, and over which part of the runs."""
        named = f"{self.name}, {self.unit}" if self.unit else self.name
        return f"after the start: {named}" if self.without_start else named


MEASURES = (
    Measure("link efficiency", "link_efficiency", "%", 100, EFFICIENCY),
    Measure("mean queue", "queue_mean", "packets", limit=QUEUE),
    Measure("incipient marks", "marked_incipient", limit=COUNTS),
    Measure("CE marks", "marked_ce", limit=COUNTS),
    Measure("reductions for incipient marks", "reductions_incipient", limit=COUNTS),
    Measure("reductions for CE", "reductions_moderate", limit=COUNTS),
    Measure("standard deviation of the queue", "queue_std", "packets"),
    Measure("time with an empty queue", "fraction_empty", "%", 100),
    Measure("one-way delay", "delay_mean_s", "ms", 1000),
    Measure("Jain's index", "jain_index"),
    Measure("link efficiency", "link_efficiency", "%", 100, without_start=True),
    Measure("mean queue", "queue_mean", "packets", without_start=True),
    Measure("time with an empty queue", "fraction_empty", "%", 100, without_start=True),
    Measure("incipient marks", "marked_incipient", without_start=True),
    Measure("CE marks", "marked_ce", without_start=True),
    Measure("reductions for incipient marks", "reductions_incipient", without_start=True),
    Measure("reductions for CE", "reductions_moderate", without_start=True),
)


@dataclass(frozen=True)
class Sides:
    """The rows of all sides over one span of time."""

    labs: Mapping[str, Sequence[Row]]
    """By target."""
    virtual: Sequence[Row]
    whole_segments: Sequence[Row]
    """Of the virtual network whose hosts keep their windows in whole segments, as Linux does."""


@dataclass(frozen=True)
class Extent:
    """A measure on one side: mean, least and largest over the runs."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.mean:.4g}"
        return f"{self.mean:.4g} ({self.low:.4g} to {self.high:.4g})"


@dataclass(frozen=True)
class Line:
    """A measure on all sides."""

    measure: Measure
    virtual: Extent
    labs: Mapping[str, Extent]
    whole_segments: float

    @property
    def outside(self) -> list[str]:
        """The labs that are not within the limit."""
        limit = self.measure.limit
        if limit is None:
            return []
        return [of for of, lab in self.labs.items() if not limit.holds(lab.mean, self.virtual.mean)]

    @property
    def cells(self) -> list[str]:
        """As a row of a table."""
        found = [self.measure.title, str(self.virtual)]
        for lab in self.labs.values():
            ratio = "" if self.virtual.mean == 0 else f"{lab.mean / self.virtual.mean:.3f}"
            found += [str(lab), ratio]
        limit = self.measure.limit
        verdict = "" if limit is None else ", ".join(f"not {of}" for of in self.outside) or "yes"
        return [*found, "" if limit is None else limit.text, verdict, f"{self.whole_segments:.4g}"]


def head(targets: Sequence[str]) -> list[str]:
    """The table's head."""
    labs = [cell for target in targets for cell in (LABS[target], "/ virtual")]
    return ["measure", "virtual network", *labs, "limit", "within", "whole segments"]


# ---- Runs --------------------------------------------------------------------------------------------------


def virtual_rows(of: Point, parameters: Parameters, program: Program) -> list[Row]:
    """The virtual network's rows, one for each seed."""
    recipe = of.recipe(parameters)
    with Bench(program) as bench:
        return [simulate(recipe, seed, bench) for seed in range(1, VIRTUAL_SEEDS + 1)]


def both_virtual(of: Point, parameters: Parameters, program: Program) -> tuple[list[Row], list[Row]]:
    """The same with the experiment's windows, and with windows of whole segments."""
    linux = parameters.model_copy(update={"congestion_avoidance": "whole-segments"})
    return virtual_rows(of, parameters, program), virtual_rows(of, linux, program)


def lab_runs(
    of: Point,
    parameters: Parameters,
    options: Options,
    plan: Callable[[int, Path], Plan],
    runs: int,
    folder: Path,
) -> list[Recorded]:
    """The lab's runs on one target, one for each seed. Raises LabError."""
    program, found = program_for(options.target), []
    for seed in range(1, runs + 1):
        out = folder / f"{options.target}-{seed}"
        title = f"{LABS[options.target]}, run {seed} of {runs}"
        scenario = scenario_of(of.recipe(parameters))
        mean = replace(options, seed=seed, mean_packet_bytes=scenario.mtu)
        found.append(run(Session(title, scenario, mean, plan(seed, out), out), program))
        report(found[-1], title, out)
    return found


def with_start(measured: Recorded) -> Row:
    """A run of the lab that had its beginning left out, measured with it: all counts began at 0."""
    plan = replace(measured.recording.plan, warmup_s=0.0)
    recording = replace(measured.recording, plan=plan, before={})
    return measure(measured.scenario, recording, plan.captures).row


# ---- The table ---------------------------------------------------------------------------------------------


def compare(whole: Sides, later: Sides) -> list[Line]:
    """The table's lines. whole: the runs from their start; later: without their beginning."""
    return [_line(of, later if of.without_start else whole) for of in MEASURES]


def _line(of: Measure, sides: Sides) -> Line:
    def extent(rows: Sequence[Row], whose: str) -> Extent:
        values = [of.scale * float(row[of.column]) for row in rows if row[of.column] is not None]
        if not values:
            raise ExperimentError(f"{whose} has not measured {of.column}")
        return Extent(float(np.mean(values)), min(values), max(values))

    labs = {target: extent(rows, LABS[target]) for target, rows in sides.labs.items()}
    virtual = extent(sides.virtual, "the virtual network")
    return Line(of, virtual, labs, extent(sides.whole_segments, "the virtual network").mean)


def markdown(lines: Sequence[Line]) -> str:
    """The table for the document."""
    heads = head(list(lines[0].labs))
    rows = [heads, ["---"] * len(heads), *(line.cells for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write(lines: Sequence[Line], path: Path = DOCUMENT) -> None:
    """Puts the table in its place in the document."""
    put(path, "crosscheck", markdown(lines))
