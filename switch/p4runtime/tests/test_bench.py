# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`make bench-switch` prints its table; the figures of so few packets mean nothing."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest
from mecn_topo.lab import bmv2

from .namespaces import why_not

BENCH = Path(__file__).resolve().parents[1] / "bench" / "compare.py"
TINY = ("--rounds", "1", "--seconds", "0.2", "--packets", "20")


def test_every_figure_of_every_switch_comes_out() -> None:
    command = [sys.executable, str(BENCH), *TINY, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    between_hosts = why_not() is None and shutil.which("ethtool") is not None
    assert len(rows) == (13 if between_hosts else 3)
    wanted = {"mecn-switch"} if bmv2.missing() else {"mecn-switch", "simple_switch_grpc"}
    for name, values in rows.items():
        # The hosts' checksums are not finished by BMv2, so nothing arrives with offloads on.
        found = {"mecn-switch"} if "as shipped" in name else wanted
        assert set(values) == found, name
        assert all(len(rounds) == 1 for rounds in values.values())


def processes(mark: str, word: str) -> list[int]:
    """Those that have a word in their environment, and another in their command."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment, command = (folder / "environ").read_bytes(), (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has ended
        if mark.encode() in environment and word.encode() in command:
            found.append(int(folder.name))
    return found


def test_a_switch_that_dies_is_named_with_its_log_and_nothing_is_left() -> None:
    mark = uuid.uuid4().hex
    command = [sys.executable, str(BENCH), *TINY]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "MECN_BENCH_TEST": mark},
    ) as bench:
        while not (switches := processes(mark, "mecn_switch.cli")):
            assert bench.poll() is None, bench.communicate()
            time.sleep(0.05)
        os.kill(switches[0], signal.SIGKILL)
        out, errors = bench.communicate(timeout=600)
    assert (bench.returncode, out) == (1, "")
    assert "ended with signal 9; its log:" in errors
    assert "Traceback" not in errors
    assert processes(mark, "") == []


REASON = why_not()


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_short_soak_loses_nothing() -> None:
    """Growth is judged in runs of two minutes and more."""
    short = ("--minutes", "0.1", "--pages", "5", "--readers", "2", "--rate", "300")
    command = [sys.executable, str(BENCH.with_name("soak.py")), *short]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("nothing was lost, nothing grew\n")
    assert "writes: 50 % / 99 % / longest" in done.stdout
