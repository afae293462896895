# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Multi-level ECN in the virtual network beside the second implementation, on paper 003's network.

    python experiments/tests/independent_comparison.py            # print the table
    python experiments/tests/independent_comparison.py --write    # and put it into docs/validation.md

The exit status is 1 if a row is outside its bounds. The virtual network is run by the command `mecn
simulate`, so the two share nothing but the numbers on its command line.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import pyarrow.parquet as pq  # type: ignore[import-untyped]
from mecn_experiments.documents import put
from mecn_experiments.execute import SHARED_TCP
from mecn_experiments.paper003.parameters import Parameters
from mecn_experiments.program import CHECKOUT

from independent_mecn import Setting, simulate

QUEUE_SHARE, QUEUE_PACKETS, EFFICIENCY_POINTS = 0.03, 0.1, 0.5
"""Bounds: the mean queues may differ by this share or so many packets, link efficiency by so many points."""
LOW, HIGH = (1.0, 2.0, 4.0), (30.0, 60.0, 90.0)
SPACINGS = ("uniform", "wait")
SOURCES = (2, 5, 10, 20, 30)
OWN = {"spacing": "wait", "least_timeout_s": 0.2, "waits_below_one": True, "idle_packet_bytes": 500}
"""Experiment 003's own settings where those of the others differ."""
GRID = (
    *(
        Setting(sources=n, thresholds=thresholds, spacing=spacing)
        for spacing in SPACINGS
        for thresholds in (LOW, HIGH)
        for n in SOURCES
    ),
    *(
        Setting(n, thresholds, warmup_s=warmup_s, **OWN)  # type: ignore[arg-type]
        for warmup_s in (20.0, 0.0)
        for thresholds in (LOW, HIGH)
        for n in SOURCES
    ),
)
HOSTS = (
    "congestion_avoidance=per-ack",
    "initial_window=1",
    "window_cap=68",
    "min_rto_s=1",
    "timer_granularity_s=0.1",
)
"""The virtual hosts' TCP where `mecn simulate` has another default or none is promised."""


RFC_6298 = {"retransmission_timer": "rfc6298", "initial_rto_s": 1.0}
"""The second implementation has no other timer."""


def own_hosts() -> tuple[str, ...]:
    """The hosts' TCP of experiment 003 but for the timer."""
    parameters = Parameters()
    named = (name for name in SHARED_TCP if name in Parameters.model_fields)
    values = {name: getattr(parameters, name) for name in named} | RFC_6298
    return tuple(f"{name}={json.dumps(value)}" for name, value in values.items())


DOCUMENT = CHECKOUT / "docs" / "validation.md"


@dataclass(frozen=True)
class Pair:
    """Means over the seeds: of the virtual network, of the second implementation."""

    setting: Setting
    queue: tuple[float, float]
    """Packets."""
    efficiency: tuple[float, float]
    """Percent of what the link can carry."""
    incipient: tuple[float, float]
    moderate: tuple[float, float]
    """Marked packets."""

    @property
    def agrees(self) -> bool:
        """Whether the mean queue and the efficiency are within the bounds."""
        ours, theirs = self.queue
        near = abs(ours - theirs) <= max(QUEUE_PACKETS, QUEUE_SHARE * theirs)
        return near and abs(self.efficiency[0] - self.efficiency[1]) <= EFFICIENCY_POINTS


def profile_of(setting: Setting) -> str:
    """The profile that the controller pushes for a setting."""
    low, middle, high = setting.thresholds
    return f"""\
name: second implementation
scheme: mecn
min_th: {low:g}
mid_th: {middle:g}
max_th: {high:g}
max_p: {setting.max_p:g}
weight: 0.002
spacing: {setting.spacing}
min_depth: {setting.fewest_waiting}
mark_point: tail
mean_service_time_us: 5333.333
idle_step_us: {8e6 * setting.idle_packet_bytes / 1.5e6:.3f}
"""


def virtual(setting: Setting, seeds: int) -> dict[str, float]:
    """Means of the measures over the seeds of `mecn simulate`."""
    with tempfile.TemporaryDirectory() as folder:
        profile, results = Path(folder) / "profile.yaml", Path(folder) / "results"
        profile.write_text(profile_of(setting))
        command = [
            str(Path(sys.executable).parent / "mecn"),
            "simulate",
            "003",
            "--sources",
            str(setting.sources),
        ]
        command += ["--profile", str(profile), "--duration", f"{setting.duration_s:g}", "--seeds", str(seeds)]
        command += [
            "--start-jitter",
            f"{setting.start_within_s:g}",
            "--warmup",
            f"{setting.warmup_s:g}",
            "-o",
            str(results),
        ]
        command += [
            word for pair in (own_hosts() if setting.waits_below_one else HOSTS) for word in ("--tcp", pair)
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        rows = pq.read_table(results / "runs.parquet").to_pylist()
    assert len(rows) == seeds
    names = ("queue_mean", "link_efficiency", "marked_incipient", "marked_ce")
    return {name: fmean(row[name] for row in rows) for name in names}


def compare(setting: Setting, seeds: int) -> Pair:
    """Both sides of one setting."""
    ours = virtual(setting, seeds)
    theirs = [simulate(setting, seed) for seed in range(1, seeds + 1)]
    return Pair(
        setting,
        (ours["queue_mean"], fmean(run.mean_queue for run in theirs)),
        (100 * ours["link_efficiency"], 100 * fmean(run.efficiency for run in theirs)),
        (ours["marked_incipient"], fmean(run.incipient for run in theirs)),
        (ours["marked_ce"], fmean(run.moderate for run in theirs)),
    )


def table(pairs: Sequence[Pair]) -> str:
    """In Markdown; each cell has the virtual network first."""
    lines = [
        "| spacing | hosts | from | thresholds | sources | mean queue, packets | link efficiency, %"
        " | incipient marks | moderate marks | agree |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for pair in pairs:
        setting = pair.setting
        thresholds = "/".join(f"{th:g}" for th in setting.thresholds)
        lines.append(
            f"| {setting.spacing} | {'of 003' if setting.waits_below_one else 'never wait'} |"
            f" {setting.warmup_s:g} s | {thresholds} | {setting.sources} |"
            f" {pair.queue[0]:.2f}, {pair.queue[1]:.2f} |"
            f" {pair.efficiency[0]:.2f}, {pair.efficiency[1]:.2f} |"
            f" {pair.incipient[0]:.0f}, {pair.incipient[1]:.0f} |"
            f" {pair.moderate[0]:.0f}, {pair.moderate[1]:.0f} | {'yes' if pair.agrees else 'no'} |"
        )
    return "\n".join(lines)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--write", action="store_true", help="put the table into docs/validation.md")
    options = parser.parse_args()
    pairs = []
    for number, setting in enumerate(GRID, 1):
        print(
            f"{number} of {len(GRID)}: {setting.spacing}, {setting.thresholds}, {setting.sources}",
            file=sys.stderr,
        )
        pairs.append(compare(setting, options.seeds))
    print(table(pairs))
    if options.write:
        put(DOCUMENT, "second implementation", table(pairs))
    return 0 if all(pair.agrees for pair in pairs) else 1


if __name__ == "__main__":
    sys.exit(main())
