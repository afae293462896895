# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The table of results: which measures, in which units, with how many digits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..statistics import Estimate, estimate
from .scenarios import MAIN, Scenario

if TYPE_CHECKING:
    from ..dataset import Dataset
    from .parameters import Parameters


@dataclass(frozen=True)
class Measure:
    """A column of the table."""

    column: str
    title: str
    unit: str
    scale: float
    digits: int
    meaning: str

    def text(self, result: Estimate) -> str:
        """Mean and half width of the confidence interval in the measure's unit."""
        mean = f"{result.mean * self.scale:,.{self.digits}f}"
        if math.isnan(result.half_width):
            return mean
        return f"{mean} ±{result.half_width * self.scale:,.{self.digits}f}"


PERFORMANCE = (
    Measure(
        "link_efficiency",
        "link efficiency",
        "%",
        100,
        1,
        "acknowledged packets, retransmissions not counted, over what the link could have carried",
    ),
    Measure(
        "queue_mean", "queue mean", "packets", 1, 2, "mean over time, the packet in transmission not counted"
    ),
    Measure("queue_std", "queue std.", "packets", 1, 2, "standard deviation over time"),
    Measure("fraction_empty", "queue empty", "%", 100, 1, "share of the time in which no packet waits"),
    Measure("delay_mean_s", "delay mean", "ms", 1000, 1, "one-way delay of data packets, sender to receiver"),
    Measure("delay_p95_s", "delay 95 %", "ms", 1000, 1, "95th percentile of the same"),
    Measure(
        "jitter_s", "jitter", "ms", 1000, 2, "mean difference of the delays of a flow's consecutive packets"
    ),
)
SIGNALS = (
    Measure(
        "marked_incipient",
        "marked incipient",
        "packets",
        1,
        0,
        "packets that R1 changed from ECT(0) to ECT(1)",
    ),
    Measure("marked_ce", "marked CE", "packets", 1, 0, "packets that R1 changed to CE"),
    Measure("early_drops", "early drops", "packets", 1, 0, "packets that R1 dropped before the queue"),
    Measure("tail_drops", "tail drops", "packets", 1, 0, "packets that found the buffer full"),
    Measure("jain_index", "Jain's index", "", 1, 3, "fairness of the flows' goodputs, 1 is even"),
    Measure("retransmissions", "retransmitted", "packets", 1, 0, "segments sent again"),
    Measure("timeouts", "timeouts", "", 1, 0, "retransmission timeouts of all flows"),
)


@dataclass(frozen=True)
class Line:
    """A row of the table."""

    scenario: Scenario
    n_sources: int
    cells: tuple[str, ...]


def lines(data: Dataset, parameters: Parameters, measures: tuple[Measure, ...]) -> list[Line]:
    """The rows for the main scenarios, in their order."""
    return [
        Line(
            scenario,
            n,
            tuple(
                measure.text(estimate(data.values(measure.column, scenario=scenario.name, n_sources=n)))
                for measure in measures
            ),
        )
        for scenario in MAIN
        for n in sorted(parameters.sources)
    ]
