# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Run every test of the project.

The last line is `N passed, N failed`, and `, N skipped` where tests were. `cargo test` runs the Rust tests,
PTF the packet tests (in process; where this is root also on network interfaces, and on BMv2 where p4lang's
tools are on PATH), pytest the others. Each suite prints as it goes. A suite that ends without having counted
a single test, or with a status that its counts do not explain, counts as one failure: testing nothing is no
success.

What needs neither the clock nor interfaces, Rust and most tests of the experiments, runs aside.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CARGO_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
PYTEST_SUMMARY = re.compile(r"^=+ (.*) in [\d.]+s.*=+$")
PTF_SUMMARY = re.compile(r"^ptf \w+: (\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
PTF_CANNOT_RUN = re.compile(r"^ptf (veth|bmv2): cannot run: ")
PYTEST_COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)")
LIVE = (
    "test_demo",
    "test_document_commands",
    "test_end_to_end",
    "test_lab",
    "test_lab_bmv2",
    "test_lab_papers",
    "test_wheel",
)
"""Tests of the experiments that start switches, labs or builds, and so would disturb others beside them."""
PRINTING = threading.Lock()
CANNOT_RUN = 2
"""Exit status of ptf-tests/run.py where the machine lacks what a target needs."""


@dataclass
class Outcome:
    """Counts of one suite."""

    counts: Counter[str] = field(default_factory=Counter)

    def read_cargo(self, line: str) -> None:
        """Add the counts of one line of `cargo test`, if it has any."""
        if match := CARGO_RESULT.match(line):
            self.counts["passed"] += int(match[1])
            self.counts["failed"] += int(match[2])
            self.counts["skipped"] += int(match[3])

    def read_pytest(self, line: str) -> None:
        """Add the counts of pytest's closing line."""
        if summary := PYTEST_SUMMARY.match(line):
            for number, word in PYTEST_COUNT.findall(summary[1]):
                key = {"passed": "passed", "skipped": "skipped", "xfailed": "skipped"}.get(word, "failed")
                self.counts[key] += int(number)

    def read_ptf(self, line: str) -> None:
        """Add the counts of the packet tests' closing line; a target that cannot run is one skip."""
        if summary := PTF_SUMMARY.match(line):
            for key, number in zip(("passed", "failed", "skipped"), summary.groups("0"), strict=True):
                self.counts[key] += int(number)
        elif PTF_CANNOT_RUN.match(line):
            self.counts["skipped"] += 1


def run(name: str, command: list[str], *, aside: bool = False) -> Outcome:
    """Run one suite and count its tests.

    Its output is passed on as it comes; if it runs aside, with low priority, all of it at the end.
    """
    if aside:
        command = ["nice", *command]
    kept = [f"--- {name}: {' '.join(command)}\n"]
    outcome = Outcome()
    with subprocess.Popen(  # noqa: S603
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "CARGO_TERM_COLOR": "never", "PY_COLORS": "0", "COLUMNS": "120"},
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            kept.append(line)
            if not aside:
                _say(kept)
            outcome.read_cargo(line)
            outcome.read_pytest(line)
            outcome.read_ptf(line)
    tested = outcome.counts["passed"] + outcome.counts["failed"]
    skipped_as_a_whole = tested == 0 and outcome.counts["skipped"] > 0 and process.returncode == CANNOT_RUN
    if not skipped_as_a_whole and (
        tested == 0 or (process.returncode != 0 and outcome.counts["failed"] == 0)
    ):
        kept.append(f"--- {name}: exit status {process.returncode} with {tested} tests run\n")
        outcome.counts["failed"] += 1
    _say(kept)
    return outcome


def _say(lines: list[str]) -> None:
    """Print these lines together, and forget them."""
    with PRINTING:
        print("".join(lines), end="", flush=True)
    lines.clear()


def packet_tests(target: str) -> list[str]:
    """Command that runs the packet tests."""
    return [sys.executable, "ptf-tests/run.py", "--target", target]


def main() -> int:
    """Run the suites on two processors; the exit status is 0 only if nothing failed."""
    tests = ROOT / "experiments" / "tests"
    virtual = sorted(str(file.relative_to(ROOT)) for file in tests.glob("test_*.py") if file.stem not in LIVE)
    pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    # The extension module has no Rust tests of its own and cannot be linked without Python.
    cargo = [
        "cargo",
        "test",
        "--workspace",
        "--exclude",
        "mecn-native",
        "--locked",
        "--no-fail-fast",
        "--quiet",
    ]
    with ThreadPoolExecutor(1) as pool:
        aside = [
            pool.submit(run, "Experiments", [*pytest, *virtual], aside=True),
            pool.submit(run, "Rust", cargo, aside=True),
        ]
        suites = [
            run("Python", [*pytest, *(f"--ignore={file}" for file in virtual)]),
            run("Packet tests in process", packet_tests("embedded")),
            run("Packet tests on interfaces", packet_tests("veth")),
            run("Packet tests on BMv2", packet_tests("bmv2")),
            run("Linux host", [sys.executable, ".ci/host_tests.py"]),
        ]
        suites += [each.result() for each in aside]
    total = sum((suite.counts for suite in suites), Counter())
    closing = f"{total['passed']} passed, {total['failed']} failed"
    if total["skipped"]:
        closing += f", {total['skipped']} skipped"
    print(closing)
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
