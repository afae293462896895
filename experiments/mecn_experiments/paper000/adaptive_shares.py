# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Who gets what under adaptive ECN (claim 000-20): the shares of the groups, and how often their flows wait.

`python -m mecn_experiments.paper000.adaptive_shares` runs adaptive ECN and a fixed max_p, with hosts that
stop for a timeout at a mark of a small window and with hosts that do not, and prints a table; `--write` puts
it into docs/experiments/000.md.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..bench import Bench
from ..documents import table_command
from ..execute import execute
from ..program import CHECKOUT, P4_PROGRAM, compile_program
from ..statistics import jain_index
from .parameters import GROUPS, Parameters
from .scenarios import ADAPTIVE_START_P, PLOT_TH, Point
from .simulate import plan_of, scenario_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..measured import Measured

DOCUMENT = CHECKOUT / "docs" / "experiments" / "000.md"
SEEDS = (1, 2, 3)
FLOWS = {30: 0.1, 60: 0.2, 120: 0.35, 240: 0.5}
"""Numbers of flows, and the best fixed max_p of claim 000-19."""


@dataclass(frozen=True, slots=True)
class Shares:
    """What one run says."""

    shares: tuple[float, ...]
    """Of the delivered data, by group: fragile, average, robust."""
    jain: float
    """Over all flows."""
    between: float
    """Jain's index of the groups: of flows that had their group's mean."""
    waits: tuple[float, ...]
    """By group: how often a mark at a small window made a flow wait for a timeout."""
    max_p: tuple[float, ...]
    """By group, at the end of the run; empty where it is fixed."""


def shares_of(measured: Measured) -> Shares:
    """A run's shares."""
    groups = [measured.flows[i :: len(GROUPS)] for i in range(len(GROUPS))]
    sums = [math.fsum(flow.acked_packets for flow in flows) for flows in groups]
    return Shares(
        tuple(one / math.fsum(sums) for one in sums),
        jain_index([flow.acked_packets for flow in measured.flows]),
        jain_index(sums),
        tuple(sum(flow.holds for flow in flows) / len(flows) for flows in groups),
        tuple(reversed(measured.steered[1:])),
    )


def line(name: Sequence[str], runs: Sequence[Shares]) -> str:
    """Means over the seeds, as a row of the table."""

    def mean(values: Iterable[float], scale: float, digits: int) -> str:
        listed = list(values)
        return f"{scale * math.fsum(listed) / len(listed):.{digits}f}"

    def by_group(column: Sequence[Sequence[float]], scale: float, digits: int) -> str:
        return " / ".join(mean(one, scale, digits) for one in zip(*column, strict=True))

    cells = (
        *name,
        by_group([run.max_p for run in runs], 1, 2) or "fixed",
        by_group([run.shares for run in runs], 100, 1),
        mean((run.jain for run in runs), 1, 3),
        mean((run.between for run in runs), 1, 3),
        by_group([run.waits for run in runs], 1, 0),
    )
    return f"| {' | '.join(cells)} |"


def table() -> str:
    """Runs everything; the table in Markdown."""
    lines = [
        "| flows | hosts wait | scheme | max_p of fragile / average / robust | shares, %"
        " | Jain's index | of the groups | waits of a flow |",
        "|---|---|---|---|---|---|---|---|",
    ]
    with Bench(compile_program(P4_PROGRAM)) as bench:
        for flows, best in FLOWS.items():
            for waiting in (True, False):
                parameters = Parameters(hold_at_one_segment=waiting, hold_below_one_segment=waiting)
                for name, point in (
                    ("adaptive ECN", Point("AECN", flows, ADAPTIVE_START_P, PLOT_TH)),
                    (f"ECN, {best:g}", Point("ECN", flows, best, PLOT_TH)),
                ):
                    print(f"{flows} flows, {name}", file=sys.stderr)
                    recipe = point.recipe(parameters)
                    scenario = scenario_of(recipe)
                    runs = [
                        shares_of(execute(scenario, plan_of(recipe, seed), seed, bench)) for seed in SEEDS
                    ]
                    lines.append(line((str(flows), "yes" if waiting else "no", name), runs))
    return "\n".join(lines)


def main() -> int:
    """Prints the table, or writes it into the document."""
    return table_command(__doc__, DOCUMENT, "shares", table)


if __name__ == "__main__":
    raise SystemExit(main())
