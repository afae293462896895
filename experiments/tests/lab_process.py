# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn lab` as a process, for tests: started, looked at, and what is left of it."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from mecn_topo.lab.registry import NAMESPACES, Record, processes_of, records

# Other labs of this machine are none of these tests' business, nor the other way round.
REGISTRY = Path(tempfile.gettempdir()) / f"mecn-lab-registry-{os.getpid()}"
MAIN = [sys.executable, "-c", "from mecn_controller.commands.main import main; main()"]


@contextmanager
def own_registry() -> Iterator[Path]:
    """Labs take their notes in `REGISTRY`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MECN_LAB_REGISTRY", str(REGISTRY))
        yield REGISTRY
    shutil.rmtree(REGISTRY, ignore_errors=True)


class Labs:
    """Starts labs; kills them at the end of a `with`."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> "Labs":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.wait()

    def start(self, command: Sequence[str], folder: Path) -> tuple[subprocess.Popen[str], Record]:
        """The process and its record, when its flows are running."""
        process = subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            # A shell's background job, which these tests may be, ignores interrupts, and so would this.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self._processes.append(process)
        assert process.stderr is not None
        said = []
        for line in process.stderr:
            said.append(line)
            if "goodput" in line:
                break
        found = [record for record in records(REGISTRY) if record.owner == process.pid]
        assert len(found) == 1, said
        return process, found[0]


def left_of(record: Record) -> list[object]:
    """What is still there of a lab. Sockets of BMv2's notifications are in its folder."""
    left: list[object] = [name for name in record.namespaces if (NAMESPACES / name).exists()]
    left += [folder for folder in record.folders if Path(folder).exists()]
    return left + [path for path in (record.path,) if path.exists()] + list(processes_of(record))
