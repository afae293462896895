# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Prints packets per second and, where valgrind is there, instructions per packet of the switch engine."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOADS = ("mecn", "l3-10", "l3-1000", "l3-100000")
EXECUTIONS = ("compiled", "interpreted")
# Enough packets that the buffers have reached their size; the difference of both runs is counted.
FEW, MANY = 1_000, 3_000


def target() -> Path:
    """Cargo's target directory."""
    metadata = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--no-deps"],  # noqa: S607
        cwd=ROOT,
        env=os.environ,
        check=True,
        capture_output=True,
        text=True,
    )
    directory: str = json.loads(metadata.stdout)["target_directory"]
    return Path(directory)


def instructions(program: Path, load: str, packets: int, execution: str) -> int:
    """The instructions that valgrind counts for one run."""
    options = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-fd=1"]
    command = ["valgrind", *options, str(program), load, str(packets), execution]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    found = re.search(r"Collected : (\d+)", output)
    if found is None:
        raise RuntimeError(f"valgrind reported no instruction count:\n{output}")
    return int(found.group(1))


def main() -> int:
    """Measures all loads."""
    program = target() / "release" / "examples" / "pipeline"
    for load, execution in itertools.product(LOADS, EXECUTIONS):
        command = [str(program), load, "1000000", execution]
        run = subprocess.run(command, capture_output=True, text=True)  # noqa: S603
        print((run.stdout or run.stderr).strip(), flush=True)
        if run.returncode != 0:
            return 1
        if shutil.which("valgrind"):
            many, few = (instructions(program, load, packets, execution) for packets in (MANY, FEW))
            each = (many - few) / (MANY - FEW)
            print(f"{load}, {execution}: {each:.0f} instructions per packet", flush=True)
    if not shutil.which("valgrind"):
        print("instructions per packet: not counted, valgrind is not on PATH")
    return 0


if __name__ == "__main__":
    sys.exit(main())
