# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`make test-long`: what takes too long for every change. Prints one table; exit status 1 if a run failed.

An entry is a command, how often it runs, and beside how many busy loops. What it prints is in build/long; its
last line is the table's. A word as argument runs only the entries whose titles have it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "build" / "long"
BUSY_LOOP = [sys.executable, "-c", "while True: pass"]


@dataclass(frozen=True)
class Entry:
    """A command that is run some times."""

    title: str
    command: tuple[str, ...]
    runs: int = 1
    busy_loops: int = 0
    folder: str = "."
    environment: tuple[tuple[str, str], ...] = ()


PTF_ON_BMV2 = (sys.executable, "ptf-tests/run.py", "--target", "bmv2")
KILLS = (sys.executable, "-m", "pytest", "-q", "controller/tests/test_reconcile.py", "-k", "killed_at")
PYTEST = (sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider")
KILLED = (("MECN_KILLS", "200"),)
FOUR_WAYS = (sys.executable, "-m", "tests.random_four_ways", "5000")
TABLES = (sys.executable, "-m", "tests.random_tables", "4000")
ENTRIES = (
    Entry("packet tests on BMv2", PTF_ON_BMV2, runs=10),
    Entry("the same beside four busy loops", PTF_ON_BMV2, runs=10, busy_loops=4),
    Entry("200 controllers killed on either switch", KILLS, environment=KILLED),
    Entry(
        "200 kills of apply, record and files",
        (*PYTEST, "controller/tests/test_kills.py"),
        environment=KILLED,
    ),
    Entry("200 kills of mecn-switch", (*PYTEST, "switch/p4runtime/tests/test_ending.py"), environment=KILLED),
    Entry(
        "200 kills of an experiment",
        (*PYTEST, "experiments/tests/test_end_to_end.py", "-k", "killed"),
        environment=KILLED,
    ),
    Entry("kills of labs", (*PYTEST, "experiments/tests/test_lab.py", "-k", "killed"), runs=50),
    Entry(
        "growth of costs at five sizes",
        (*PYTEST, "switch/p4runtime/tests/test_growth.py"),
        environment=(("MECN_SIZES", "5"),),
    ),
    Entry("random programs in four ways", FOUR_WAYS, folder="switch/p4runtime"),
    Entry("random tables and packets in four ways", TABLES, folder="switch/p4runtime"),
    Entry("wheels in an empty environment", (sys.executable, "packaging/try_wheels.py")),
    Entry("second implementation of MECN", (sys.executable, "experiments/tests/independent_comparison.py")),
)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Processes that take all the time they get."""
    processes = [subprocess.Popen(BUSY_LOOP) for _ in range(loops)]  # noqa: S603
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def call(entry: Entry, log: Path) -> int:
    """One run of the command; its status. An interrupt ends it in order, so that it can clean up."""
    environment = {**os.environ, **dict(entry.environment)}
    with (
        log.open("w") as output,
        subprocess.Popen(  # noqa: S603
            entry.command, cwd=ROOT / entry.folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.terminate()
            process.wait()
            raise


def interrupted(_number: int, _frame: object) -> NoReturn:
    """Termination unwinds the stack as Ctrl-C does."""
    raise KeyboardInterrupt


def run(entry: Entry) -> tuple[str, bool]:
    """All runs of an entry; its row of the table, and whether all ended with status 0."""
    times, failures, endings = [], 0, Counter[str]()
    with busy(entry.busy_loops):
        for number in range(1, entry.runs + 1):
            print(f"--- {entry.title}, {number} of {entry.runs}", flush=True)
            log = OUTPUT / f"{entry.title.replace(' ', '-')}-{number}.log"
            begin = time.monotonic()
            status = call(entry, log)
            times.append(time.monotonic() - begin)
            failures += status != 0
            lines = log.read_text(errors="replace").splitlines()
            last = lines[-1] if lines else "no output"
            endings[last] += 1
            print(f"    {times[-1]:.0f} s, status {status}: {last}", flush=True)
    ending = "; ".join(f"{count} x {last}" for last, count in endings.items())
    row = f"| {entry.title} | {entry.runs} | {failures} | {min(times):.0f} to {max(times):.0f} | {ending} |"
    return row, failures == 0


def main() -> int:
    """Run the entries."""
    words = sys.argv[1:]
    chosen = [entry for entry in ENTRIES if not words or any(word in entry.title for word in words)]
    if not chosen:
        print(f"make test-long: no entry has {' or '.join(words)} in its title", file=sys.stderr)
        return 2
    OUTPUT.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGTERM, interrupted)
    try:
        rows = [run(entry) for entry in chosen]
    except KeyboardInterrupt:
        print("make test-long: interrupted", file=sys.stderr)
        return 130
    print("\n| what | runs | failed | s each | last line |\n|---|---|---|---|---|")
    print(*(row for row, _ in rows), sep="\n")
    return 0 if all(passed for _, passed in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
