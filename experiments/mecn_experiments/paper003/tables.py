# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of results for the terminal: which measures, in which units, with how many digits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..declaration import Table
from . import ablation
from .claims import choices
from .figures import values
from .scenarios import MAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..dataset import Dataset
    from ..statistics import Estimate
    from .parameters import Parameters
    from .scenarios import Family


@dataclass(frozen=True)
class Measure:
    """A column of a table."""

    column: str
    title: str
    unit: str
    scale: float
    digits: int

    def text(self, result: Estimate) -> str:
        """Mean and half width of the confidence interval in the measure's unit."""
        mean = f"{result.mean * self.scale:,.{self.digits}f}"
        if math.isnan(result.half_width):
            return mean
        return f"{mean} ±{result.half_width * self.scale:,.{self.digits}f}"


PERFORMANCE = (
    Measure("link_efficiency", "link efficiency", "%", 100, 1),
    Measure("queue_mean", "queue mean", "packets", 1, 2),
    Measure("queue_std", "queue std.", "packets", 1, 2),
    Measure("fraction_empty", "queue empty", "%", 100, 1),
    Measure("delay_mean_s", "delay mean", "ms", 1000, 1),
    Measure("delay_p95_s", "delay 95 %", "ms", 1000, 1),
    Measure("jitter_s", "jitter", "ms", 1000, 2),
)
SIGNALS = (
    Measure("marked_incipient", "marked incipient", "packets", 1, 0),
    Measure("marked_ce", "marked CE", "packets", 1, 0),
    Measure("early_drops", "early drops", "packets", 1, 0),
    Measure("tail_drops", "tail drops", "packets", 1, 0),
    Measure("jain_index", "Jain's index", "", 1, 3),
    Measure("retransmissions", "retransmitted", "packets", 1, 0),
    Measure("timeouts", "timeouts", "", 1, 0),
)


def tables(data: Dataset, parameters: Parameters) -> list[Table]:
    """ECN and MECN at low and at high thresholds, by number of sources; what choices and parts do; the packet
    tests."""
    return [
        *_by_sources(data, parameters),
        verdicts_by_choice(data, parameters),
        ablation.table(data, parameters),
        _packets(data),
    ]


def verdicts_by_choice(data: Dataset, parameters: Parameters) -> Table:
    """What 003-1 to 003-3 would be with other choices, at the seeds that all figures have; claims may have
    been decided with more."""
    return Table(
        "What the verdicts would be by what is measured, and by what ECN does at or above max_th"
        f" ({len({row['seed'] for row in data.rows})} seeds)",
        [
            ("claim", ""),
            ("settled, ECN drops", "as the claim"),
            ("settled, ECN marks", ""),
            ("whole run, ECN drops", ""),
            ("whole run, ECN marks", ""),
        ],
        [(claim, *verdicts) for claim, verdicts in choices(data, parameters).items()],
        "choices",
    )


def _packets(data: Dataset) -> Table:
    rows = data.select(family="table")
    cases = dict.fromkeys((row["case"], row["expected"]) for row in rows)
    lines = []
    for case, expected in cases:
        seen = sorted({row["observed"] for row in rows if row["case"] == case})
        table, bits = case.split(" ")
        lines.append(("1: echo" if table == "echo" else "2: response", bits, expected, " or ".join(seen)))
    columns = [("table", ""), ("bits", "CE,ECT or CWR,ECE"), ("expected", ""), ("observed", "")]
    return Table("Tables 1 and 2: packets through the compiled program", columns, lines)


def _by_sources(data: Dataset, parameters: Parameters) -> list[Table]:
    shown: tuple[tuple[str, Family, Sequence[Measure]], ...] = (
        ("Throughput, queue and delay", "section 4", PERFORMANCE),
        ("Marks, drops and fairness", "section 4", SIGNALS),
        ("Throughput, queue and delay from the start on", "whole", PERFORMANCE),
    )
    return [
        Table(
            title,
            [("scheme", ""), ("N", ""), *((measure.title, measure.unit) for measure in measures)],
            [
                (
                    scenario.name,
                    str(n),
                    *(
                        measure.text(values(data, parameters, scenario, n, measure.column, family=family))
                        for measure in measures
                    ),
                )
                for scenario in MAIN
                for n in sorted(parameters.sources)
            ],
        )
        for title, family, measures in shown
    ]
