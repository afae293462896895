# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Our network, with the P4 program as the router, beside ns-2 on scenarios that both can do.

`python -m mecn_experiments.validation` runs all and prints the table; `--write` puts it into
docs/validation.md.
"""

from __future__ import annotations

import argparse
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .bench import Bench
from .bottleneck import Bottleneck, Outcome, Scheme, ns2_missing, run_ns2, run_virtual
from .documents import put
from .program import CHECKOUT, P4_PROGRAM, compile_program

if TYPE_CHECKING:
    from collections.abc import Sequence

SEEDS = (1, 2, 3, 4, 5)
GOODPUT_TOLERANCE = 0.02
"""Relative difference of the means over the seeds."""
QUEUE_TOLERANCE = 0.10
QUEUE_PACKETS = 1.0
"""The mean queues may differ by that share or by that many packets."""
DOCUMENT = CHECKOUT / "docs" / "validation.md"


def _paper000(scheme: Scheme, flows: int, max_p: float) -> Bottleneck:
    return Bottleneck(
        name=f"000 {scheme}, {flows} flows, max_p {max_p:g}",
        scheme=scheme,
        flows=flows,
        delays_ms=(145.0, 45.0, 5.0),
        access_total_bps=600_000_000,
        rate_bps=10_000_000,
        delay_ms=5.0,
        max_th=30,
        max_p=max_p,
        second_start_s=2.0,
    )


def _paper001(scheme: Scheme, flows: int, thresholds: tuple[int, int]) -> Bottleneck:
    low, high = thresholds
    return Bottleneck(
        name=f"001 {scheme}, {flows} flows, {low}/{high}",
        scheme=scheme,
        flows=flows,
        delays_ms=(1.0,),
        access_total_bps=100_000_000 * flows,
        rate_bps=1_000_000,
        delay_ms=50.0,
        min_th=low,
        max_th=high,
        buffer=100,
        packet_bytes=576,
        window=100,
        until_s=300,
    )


def _paper004(scheme: Scheme, weight: float) -> Bottleneck:
    return Bottleneck(
        name=f"004 {scheme}, 2 flows, w {weight:g}",
        scheme=scheme,
        flows=2,
        delays_ms=(2.0,),
        access_total_bps=20_000_000,
        rate_bps=1_500_000,
        delay_ms=27.5,
        min_th=10,
        max_th=30,
        weight=weight,
        buffer=200,
        window=200,
        until_s=300,
    )


TESTED = (
    _paper000("ecn", 120, 0.5),
    _paper000("ecnm", 60, 0.1),
    _paper000("red", 120, 0.5),
    _paper001("ecn", 4, (5, 15)),
    _paper001("red", 4, (5, 15)),
    _paper001("red-gentle", 4, (5, 15)),
    _paper004("ecn", 0.002),
    _paper004("red", 0.002),
)
"""What the test runs: each scheme of each paper's set-up, which takes a third of the time of all."""

_BURSTS = _paper004("red-gentle", 0.02)
"""Losses come in bursts here."""


def _as_published(scenario: Bottleneck) -> Bottleneck:
    """The same with RED's spacing of 1993 in place of ns-2's default."""
    return replace(scenario, name=f"{scenario.name}, wait_ false", spacing="uniform")


_DEFAULT = (
    *TESTED,
    _paper000("ecn", 30, 0.5),
    _paper000("ecn", 120, 0.1),
    _paper000("ecnm", 30, 0.5),
    _paper000("ecnm", 120, 0.1),
    _paper000("red", 30, 0.5),
    _paper000("red", 120, 0.1),
    _paper000("red-gentle", 30, 0.1),
    _paper000("red-gentle", 120, 0.02),
    _paper001("ecn", 1, (5, 15)),
    _paper001("ecn", 4, (40, 70)),
    _paper001("red", 1, (5, 15)),
    _paper001("red", 4, (40, 70)),
    _BURSTS,
)

SCENARIOS = (
    *_DEFAULT,
    *(_as_published(scenario) for scenario in _DEFAULT if scenario.name != "000 ecnm, 120 flows, max_p 0.1"),
)
"""Where both sides should agree."""

APART = (
    _as_published(_paper000("ecnm", 120, 0.1)),
    replace(
        _as_published(_BURSTS),
        name=f"{_as_published(_BURSTS).name}, RFC 5681's threshold",
        ours={"loss_cuts_window": False},
    ),
)
"""Where they do not: shown in the table, and docs/validation.md says what is known of the reasons."""


def _crowd(scheme: Scheme, flows: int, but: str = "", **ours: object) -> Bottleneck:
    """Paper 000's network with ns-2's TCP of 2001; ours: where our hosts' is to differ."""
    name = f"{scheme}, {flows} flows{but}"
    return replace(_paper000(scheme, flows, 0.5), name=name, era="2001", jitter_s=0.1, ours=ours)


CROWDS = (
    *(_crowd("red", flows) for flows in (30, 120, 240, 480)),
    _crowd(
        "red",
        120,
        ", RFC 6298's timer here",
        retransmission_timer="rfc6298",
        initial_rto_s=1.0,
        max_rto_s=60.0,
    ),
    _crowd("ecn", 120),
    _crowd("ecn", 120, ", ECN-capable retransmissions here", ecn_retransmissions=True),
)
"""Many flows, where retransmission timers decide."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Means over the seeds."""

    scenario: Bottleneck
    goodput: tuple[float, float]
    """Ours and ns-2's, bits per second."""
    queue: tuple[float, float]
    """Ours and ns-2's, packets."""

    @property
    def goodput_difference(self) -> float:
        """Relative to ns-2."""
        return self.goodput[0] / self.goodput[1] - 1

    @property
    def queue_difference(self) -> float:
        """Packets."""
        return self.queue[0] - self.queue[1]

    @property
    def agrees(self) -> bool:
        """Whether both differences are within their tolerances."""
        allowed = max(QUEUE_PACKETS, QUEUE_TOLERANCE * self.queue[1])
        return abs(self.goodput_difference) <= GOODPUT_TOLERANCE and abs(self.queue_difference) <= allowed


def run_both(
    scenarios: Sequence[Bottleneck], seeds: Sequence[int]
) -> list[tuple[Bottleneck, Sequence[Outcome], Sequence[Outcome]]]:
    """Every scenario with the outcomes of our network and of ns-2."""
    jobs = [(scenario, seed) for scenario in scenarios for seed in seeds]
    with Bench(compile_program(P4_PROGRAM)) as bench, ThreadPoolExecutor(max_workers=2) as pool:
        ours = list(pool.map(lambda job: run_virtual(job[0], job[1], bench), jobs))
        theirs = list(pool.map(lambda job: run_ns2(*job), jobs))
    parts = [slice(i * len(seeds), (i + 1) * len(seeds)) for i in range(len(scenarios))]
    return [(scenario, ours[part], theirs[part]) for scenario, part in zip(scenarios, parts, strict=True)]


def _means(name: str, ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> tuple[float, float]:
    """A measure of both sides."""
    mine, other = (math.fsum(getattr(o, name) for o in side) / len(side) for side in (ours, theirs))
    return mine, other


def compare(scenarios: Sequence[Bottleneck], seeds: Sequence[int] = SEEDS) -> list[Comparison]:
    """Runs both sides of every scenario."""
    return [
        Comparison(scenario, _means("goodput_bps", ours, theirs), _means("queue_mean", ours, theirs))
        for scenario, ours, theirs in run_both(scenarios, seeds)
    ]


def crowd_table(seeds: Sequence[int] = SEEDS) -> str:
    """What many flows lose, send again and wait for, means in Markdown; ours first in each cell."""
    measures = {
        "goodput, Mbps": ("goodput_bps", 1e6, 2),
        "mean queue": ("queue_mean", 1, 2),
        "drops": ("drops", 1, 0),
        "retransmissions": ("retransmissions", 1, 0),
        "timeouts": ("timeouts", 1, 0),
        "locked-out flows": ("locked_out", 1, 1),
    }
    lines = ["| scenario | " + " | ".join(measures) + " |", "|---" * (1 + len(measures)) + "|"]
    for scenario, ours, theirs in run_both(CROWDS, seeds):
        cells = []
        for name, unit, digits in measures.values():
            mine, other = _means(name, ours, theirs)
            cells.append(f"{mine / unit:.{digits}f}, {other / unit:.{digits}f}")
        lines.append(f"| {scenario.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table(comparisons: Sequence[Comparison]) -> str:
    """The comparisons in Markdown."""
    lines = [
        "| scenario | goodput, Mbps: ours | ns-2 | difference"
        " | mean queue, packets: ours | ns-2 | difference | agree |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines.extend(
        f"| {c.scenario.name} | {c.goodput[0] / 1e6:.3f} | {c.goodput[1] / 1e6:.3f} |"
        f" {100 * c.goodput_difference:+.1f} % | {c.queue[0]:.2f} | {c.queue[1]:.2f} |"
        f" {c.queue_difference:+.2f} | {'yes' if c.agrees else 'no'} |"
        for c in comparisons
    )
    return "\n".join(lines)


def main() -> int:
    """Prints the table, or writes it into the document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/validation.md")
    arguments = parser.parse_args()
    if reason := ns2_missing():
        print(f"validation: {reason}", file=sys.stderr)
        return 1
    comparisons = sorted(compare((*SCENARIOS, *APART)), key=lambda c: c.scenario.name)
    tables = {"table": table(comparisons), "crowds": crowd_table()}
    for marker, text in tables.items():
        print(text)
        if arguments.write:
            put(DOCUMENT, marker, text)
    return 0 if all(c.agrees for c in comparisons if c.scenario not in APART) else 1


if __name__ == "__main__":
    raise SystemExit(main())
