# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a run on interfaces makes is gone after it, however it ends; needs root."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mecn_topo.lab import bmv2_tools

from mecn_ptf import runner, switches
from mecn_ptf.namespace import namespace, why_not

REASON = why_not()
needs_root = pytest.mark.skipif(REASON is not None, reason=str(REASON))


def namespaces() -> str:
    return subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout


@needs_root
def test_namespace_has_both_ends_of_each_port_and_is_removed_after_an_error() -> None:
    def body() -> None:
        with namespace([1, 2]) as made:
            assert made.name in namespaces()
            links = subprocess.run(
                made.inside(["ip", "-br", "link"]), capture_output=True, text=True, check=True
            ).stdout
            for port in (1, 2):
                assert f"{made.switch_end(port)}@" in links
                assert f"{made.test_end(port)}@" in links
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        body()
    assert f"mecn-ptf-{os.getpid()}" not in namespaces()


@contextmanager
def begun(target: str, folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A run, from when its tests begin; with the pids of the switch and of PTF. All is gone at the end."""
    results = folder / "results"
    command = [switches.installed("python"), str(runner.FOLDER / "run.py"), "--target", target]
    process = subprocess.Popen(
        [*command, "--results", str(results)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A shell's background job, which these tests may be, ignores interrupts, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    name = f"mecn-ptf-{process.pid}"
    deadline = time.monotonic() + 120
    while not (results / "ptf.log").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    inside = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=True)
    processes = [int(pid) for pid in inside.stdout.split()]
    assert len(processes) >= 2, "the switch and PTF"
    yield process, processes
    assert name not in namespaces()
    for pid in processes:
        assert not Path(f"/proc/{pid}").exists()


@needs_root
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    with begun("veth", tmp_path) as (process, _):
        process.send_signal(number)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 130, output


@needs_root
@pytest.mark.parametrize("target", ["veth", "bmv2"])
def test_switch_that_dies_is_reported_and_nothing_is_left(target: str, tmp_path: Path) -> None:
    if target == "bmv2" and (missing := bmv2_tools.missing()) is not None:
        pytest.skip(f"no BMv2 here: {missing}")
    with begun(target, tmp_path) as (process, processes):
        names = {pid: Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in processes}
        (switch,) = [pid for pid, name in names.items() if "--grpc-server-addr" in name]
        os.kill(switch, signal.SIGKILL)
        output, _ = process.communicate(timeout=60)
        assert process.returncode == 1, output
        assert f"ptf {target}: the switch ended by signal 9 in the middle; its last lines:" in output
