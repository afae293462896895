# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Points of the figures beside the same in ns-2 (`experiments/ns2/paper002.tcl`).

`python -m mecn_experiments.paper002.against_ns2` runs both sides and prints a table; `--write` puts it into
docs/experiments/002.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..bench import Bench
from ..bottleneck import ns2_missing
from ..documents import put
from ..errors import ExperimentError
from ..program import CHECKOUT, P4_PROGRAM, compile_program
from .measures import ecn_gain, goodput, group_goodput_ratio, loss, mean
from .parameters import Parameters
from .scenarios import PD2_MS, TELNETS, Point, buffer_packets, min_th
from .simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..dataset import Row
    from .scenarios import Scheme

SCRIPT = CHECKOUT / "experiments" / "ns2" / "paper002.tcl"
DOCUMENT = CHECKOUT / "docs" / "experiments" / "002.md"
SEEDS = (1, 2, 3)
MEASURES: Mapping[str, tuple[str, Callable[[Row], float], float, str]] = {
    "web": ("web goodput", goodput("web"), 1e-3, "kbps"),
    "ftp": ("FTP goodput", goodput("ftp"), 1e-3, "kbps"),
    "back-ftp": ("reverse FTP goodput", goodput("back-ftp"), 1e-3, "kbps"),
    "udp_loss": ("UDP loss rate", loss("udp"), 100, "%"),
    "ecn_gain": ("ECN over others", ecn_gain, 1, ""),
    "group_ratio": ("goodput2 / goodput1", group_goodput_ratio, 1, ""),
}
"""By the name of a line that the script prints: what it is, the same of our rows, factor and unit."""


@dataclass(frozen=True, slots=True)
class Case:
    """A point, and which measures are compared."""

    figure: str
    name: str
    point: Point
    measures: tuple[str, ...]


def _cases() -> tuple[Case, ...]:
    cases = []
    few: tuple[Scheme, ...] = ("dt", "r1", "r1e")
    for scheme in few:
        point = Point(scheme=scheme, ftp=5, web=10, telnet=TELNETS)
        cases.append(Case("3", f"{scheme}, 10 web, 5 FTP", point, ("web", "ftp")))
    sack = Point(scheme="dt", ftp=5, web=10, telnet=TELNETS, sack=True)
    cases.append(Case("6", "dt, 10 web, 5 FTP, SACK", sack, ("web", "ftp")))
    for scheme in few:
        point = Point(scheme=scheme, ftp=10, udp="cbr-random", udp_flows=20)
        cases.append(Case("7", f"{scheme}, 20 CBR, 10 FTP", point, ("udp_loss",)))
    for n in (2, 7, 20):
        point = Point(scheme="r1e", ftp=2 * n, mixed=True)
        cases.append(Case("9", f"r1e, n = {n}", point, ("ecn_gain",)))
    for scheme, figure in zip(few, ("11", "13"), strict=False):
        point = Point(scheme=scheme, ftp=6, round_trips_ms=(300.0, PD2_MS))
        cases.append(Case(figure, f"{scheme}, PD1 300 ms", point, ("group_ratio",)))
    for scheme in few:
        point = Point(scheme=scheme, ftp=25, back_ftp=10)
        cases.append(Case("19", f"{scheme}, 25 FTP, 10 reverse", point, ("ftp", "back-ftp")))
    return tuple(cases)


CASES = _cases()


def run_ns2(point: Point, seed: int) -> dict[str, float]:
    """The numbers that the script prints."""
    recipe = point.recipe(Parameters())
    options: dict[str, object] = {
        "seed": seed,
        "scheme": point.scheme,
        "sack": int(point.sack),
        "ftp": point.ftp,
        "web": point.web,
        "telnet": point.telnet,
        "udp": point.udp_flows,
        "back_ftp": point.back_ftp,
        "mixed": int(point.mixed),
        "trips": " ".join(f"{trip:g}" for trip in point.round_trips_ms),
        "rate_bps": recipe["rate_bps"],
        "delay_ms": recipe["delay_ms"],
        "buffer": buffer_packets(recipe),
        "min_th": min_th(recipe),
    }
    command = ["ns", str(SCRIPT), *(str(part) for option in options.items() for part in option)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    values = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    if done.returncode or not values:
        raise ExperimentError(f"ns-2 failed on {point}: {done.stderr.strip() or done.stdout}")
    return {name: float(value) for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Means over the seeds."""

    case: Case
    measure: str
    ours: float
    theirs: float

    @property
    def difference(self) -> float:
        """Relative to ns-2."""
        return self.ours / self.theirs - 1


def compare(cases: Sequence[Case], seeds: Sequence[int] = SEEDS) -> list[Comparison]:
    """Runs both sides of every case."""
    jobs = [(case, seed) for case in cases for seed in seeds]
    with Bench(compile_program(P4_PROGRAM)) as bench, ThreadPoolExecutor(max_workers=2) as pool:
        rows = list(pool.map(lambda job: simulate(job[0].point.recipe(Parameters()), job[1], bench), jobs))
        theirs = list(pool.map(lambda job: run_ns2(job[0].point, job[1]), jobs))
    found = []
    for i, case in enumerate(cases):
        part = slice(i * len(seeds), (i + 1) * len(seeds))
        for measure in case.measures:
            _, read, _, _ = MEASURES[measure]
            found.append(
                Comparison(
                    case, measure, mean(map(read, rows[part])), mean(one[measure] for one in theirs[part])
                )
            )
    return found


def table(comparisons: Sequence[Comparison]) -> str:
    """The comparisons in Markdown."""
    lines = ["| figure | point | measure | ours | ns-2 | difference |", "|---|---|---|---|---|---|"]
    for one in comparisons:
        name, _, factor, unit = MEASURES[one.measure]
        ours, theirs = (f"{value * factor:.4g} {unit}".strip() for value in (one.ours, one.theirs))
        lines.append(
            f"| {one.case.figure} | {one.case.name} | {name} | {ours} | {theirs} |"
            f" {100 * one.difference:+.1f} % |"
        )
    return "\n".join(lines)


def main() -> int:
    """Prints the table, or writes it into the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/experiments/002.md")
    arguments = parser.parse_args()
    if reason := ns2_missing():
        print(f"against_ns2: {reason}", file=sys.stderr)
        return 1
    text = table(compare(CASES))
    print(text)
    if arguments.write:
        put(DOCUMENT, "ns-2", text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
