# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What happens to the sessions of the reverse direction, whose acknowledgements share the forward queue.

`python -m mecn_experiments.beyond.reverse` runs the scenarios with data in both directions and prints how
long the forward average was at or above max_th, where what cannot be marked is dropped, and beside the
reverse sessions' goodput what they lost and how often they waited for a timer; `--write` puts the table into
docs/experiments/beyond.md.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..bench import Bench
from ..documents import table_command
from ..execute import execute
from ..paper002.parameters import PACKET_BYTES
from ..paper002.scenarios import profile_of
from ..paper002.simulate import plan_of, scenario_of
from ..program import CHECKOUT, P4_PROGRAM, compile_program
from .figures import BOTH_WAYS
from .parameters import Parameters
from .scenarios import PASSING, recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..declaration import Recipe
    from ..measured import History

DOCUMENT = CHECKOUT / "docs" / "experiments" / "beyond.md"
SEEDS = (1, 2, 3)
SCHEMES = ("ECN", "MECN", PASSING)


def time_above(history: History, level: float, begin_s: float) -> float:
    """The share of the time from `begin_s` on in which the forward average is at least `level` packets."""
    times = history.time_s
    spans = np.diff(times, append=times[-1])
    counted = times >= begin_s
    return float(spans[counted & (history.average >= level)].sum() / spans[counted].sum())


def measured(recipe: Recipe, seed: int, bench: Bench) -> tuple[float, float, float, float]:
    """Of one run: the share of the time above max_th, and of a reverse session goodput (bits per second),
    loss rate of its data, and timeouts."""
    plan = replace(plan_of(recipe, seed), trace=True)
    found = execute(scenario_of(recipe), plan, seed, bench)
    assert found.history is not None
    flows = found.flows[-recipe["back_ftp"] :]
    level = float(profile_of(recipe).model_dump()["max_th"])
    sent, received = (sum(getattr(flow, name) for flow in flows) for name in ("sent", "received"))
    return (
        time_above(found.history, level, plan.warmup_s),
        sum(flow.acked_packets for flow in flows) * PACKET_BYTES * 8 / found.window_s / len(flows),
        max(0.0, 1 - received / sent),
        sum(flow.timeouts for flow in flows) / len(flows),
    )


def line(names: Sequence[str], runs: Sequence[Sequence[float]]) -> str:
    """Means over the seeds, as a row of the table."""
    above, goodput, loss, timeouts = (math.fsum(values) / len(values) for values in zip(*runs, strict=True))
    cells = (*names, f"{100 * above:.1f}", f"{goodput / 1e3:.1f}", f"{100 * loss:.1f}", f"{timeouts:.0f}")
    return f"| {' | '.join(cells)} |"


def table() -> str:
    """Runs everything; the table in Markdown."""
    lines = [
        "| scenario | scheme | forward average at or above max_th, % of the time"
        " | goodput of a reverse session, kbps | loss of its data, % | its timeouts |",
        "|---|---|---|---|---|---|",
    ]
    with Bench(compile_program(P4_PROGRAM)) as bench:
        for scenario in BOTH_WAYS:
            for scheme in SCHEMES:
                print(f"{scenario.name}, {scheme}", file=sys.stderr)
                (recipe,) = recipes(Parameters(), [scheme], [scenario])
                runs = [measured(recipe["run"], seed, bench) for seed in SEEDS]
                lines.append(line((scenario.name, scheme), runs))
    return "\n".join(lines)


def main() -> int:
    """Prints the table, or writes it into the document."""
    return table_command(__doc__, DOCUMENT, "reverse", table)


if __name__ == "__main__":
    raise SystemExit(main())
