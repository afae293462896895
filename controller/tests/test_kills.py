# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Commands that are killed at any time: what they leave is right, or the next one makes it so."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from mecn_controller.durable import write_durably
from mecn_controller.errors import ControllerError
from mecn_controller.runtime.history import History
from mecn_controller.telemetry.recording import new_file, parts_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.command import mecn
    from tests.meddler import Meddler
else:
    from mecn_controller_command import mecn

KILLS = int(os.environ.get("MECN_KILLS", "3"))
"""MECN_KILLS=200 for a longer run."""

PROFILES = (
    "{name: a, scheme: ecn, min_th: 1, max_th: 4, max_p: 0.1}",
    "{name: b, scheme: mecn, min_th: 1, mid_th: 2, max_th: 4, max_p: 0.2}",
)

RECORD = """
import sys, time
from pathlib import Path
from mecn_controller.telemetry import recording
from mecn_controller.telemetry.sample import Sample
recording.HELD_S = 0
recorder = recording.ParquetRecorder(Path(sys.argv[1]))
sample = Sample(1.0, port=1, source="counters", interval_s=1, passed=1, incipient=0, ce=0, early_drop=0)
while True:
    recorder.write([sample] * 10)
    print("x", end="", flush=True)
"""

WRITE = """
import sys
from pathlib import Path
from mecn_controller.durable import write_durably
while True:
    for letter in "ab":
        write_durably(Path(sys.argv[1]), letter * 100_000)
        print(letter, end="", flush=True)
"""


@pytest.fixture
def moments() -> random.Random:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    return random.Random(seed)


def killed(code: str, path: Path, after_s: float) -> str:
    """What a process says that does its work from the first letter on, until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.read(1)
        time.sleep(after_s)
        process.kill()
        said = first + process.stdout.read()
    assert process.returncode == -signal.SIGKILL
    return said


def test_recordings_keep_what_was_received(tmp_path: Path, moments: random.Random) -> None:
    for number in range(KILLS):
        path = tmp_path / f"{number}.parquet"
        said = killed(RECORD, path, moments.random() / 5)
        with pytest.raises(ControllerError, match="rows of a recording now that was killed"):
            new_file(path, force=False)
        rows = pq.read_table(path).num_rows
        # The last ten may have been written, and not told.
        assert 0 <= rows - 10 * len(said) <= 10
        assert not parts_of(path).exists()


def test_durable_files_are_whole(tmp_path: Path, moments: random.Random) -> None:
    path = tmp_path / "file"
    for _ in range(KILLS):
        said = killed(WRITE, path, moments.random() / 5)
        found = path.read_text()
        assert found in ("a" * 100_000, "b" * 100_000)
        other = {"a": "b", "b": "a"}[said[-1]]
        assert found[0] in (said[-1], other)
    write_durably(path, "c")
    assert path.read_text() == "c"


def test_apply_leaves_switch_and_history_in_agreement(
    loaded: Meddler, tmp_path: Path, moments: random.Random
) -> None:
    """Killed at any moment of its life; the next one settles what it began."""
    where = (
        "--port",
        "3",
        "--drain",
        "0",
        "--address",
        loaded.address,
        "--state-dir",
        str(tmp_path / "state"),
    )
    files = []
    for number, text in enumerate(PROFILES):
        files.append(tmp_path / f"{number}.yaml")
        files[-1].write_text(text)
    begin = time.monotonic()
    assert mecn("apply", files[0], *where).returncode == 0
    took = time.monotonic() - begin
    history = History(tmp_path / "state", loaded.address, 1)
    for turn in range(KILLS):
        command = [sys.executable, "-m", "mecn_controller", "apply", str(files[(turn + 1) % 2]), *where]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(took * (0.5 + moments.random() / 2))
            process.kill()
        done = mecn("apply", files[turn % 2], *where)
        assert done.returncode == 0, done.stderr
        stack = history.stack(3)
        assert not any(change.begun for change in stack)
        assert stack[-1].data["scheme"] == ("ecn", "mecn")[turn % 2]
        numbers = [change.number for change in stack]
        assert numbers == sorted(set(numbers))
    assert mecn("rollback", "--to", "0", *where).returncode == 0
