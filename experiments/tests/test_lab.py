# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Labs in real time, as root, with plain sockets: what they measure, and that nothing of them stays."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from click.testing import CliRunner
from demonstration import PATIENCE_S, ask, demonstration, port_when
from mecn_experiments.lab.cli import lab
from mecn_topo.lab.kernel import obstacle
from mecn_topo.lab.registry import Record, processes_of, records, start_time

from lab_process import MAIN, REGISTRY, Labs, left_of, own_registry

REASON = obstacle()
needs_root = pytest.mark.skipif(REASON is not None, reason=f"a lab cannot run here: {REASON}")

TOPOLOGY = """\
name: one flow
overhead_bytes: -14
mtu: 1000
hosts: [S, D]
switches: [R1, R2]
links:
  - {between: [R1, R2], rate: 4mbit, delay: 5ms, queue_limit: 100}
  - {between: [S, R1], rate: 40mbit, delay: 1ms}
  - {between: [R2, D], rate: 40mbit, delay: 1ms}
profiles:
  - {switch: R1, towards: R2, profile: threshold.yaml}
"""
PROFILE = "name: threshold 8\nscheme: threshold\nthreshold: 8\n"
COMMAND = [*MAIN, "lab"]


@pytest.fixture(autouse=True, scope="module")
def registry() -> Iterator[Path]:
    with own_registry() as folder:
        yield folder


def described(folder: Path) -> Path:
    (folder / "threshold.yaml").write_text(PROFILE)
    path = folder / "one.yaml"
    path.write_text(TOPOLOGY)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return described(tmp_path)


def arguments(file: Path, seconds: int, *more: str) -> list[str]:
    return [
        *COMMAND, "run", str(file), "--duration", str(seconds), "--traffic", "plain", "--tcp", "reno",
        "-o", str(file.parent / "out"), *more,
    ]  # fmt: skip


@pytest.fixture
def started(file: Path) -> Iterator[Callable[[int], tuple[subprocess.Popen[str], Record]]]:
    """Starts a lab of so many seconds; gives its process and its record when its flows are running."""
    with Labs() as labs:
        yield lambda seconds: labs.start(arguments(file, seconds, "--no-capture"), file.parent)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of one run, as a shell's background job: what it starts ignores interrupts."""
    file = described(tmp_path_factory.mktemp("lab"))
    done = subprocess.run(
        arguments(file, 4),
        capture_output=True,
        text=True,
        check=False,
        cwd=file.parent,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert done.returncode == 0, done.stderr
    return file.parent / "out"


@needs_root
def test_the_page_is_reached_from_outside_and_changes_the_queue(file: Path) -> None:
    command = arguments(file, 12, "--no-capture", "--web", "127.0.0.1:0")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        words = process.stdout.readline().split()
        assert words[:3] == ["the", "live", "page:"]
        port = port_when(words[3], lambda port: port["totals"].get("ce", 0) > 5)
        assert port["average"] > 0, "reports come, although the profile does not ask for them"
        ask(f"{words[3]}api/policies/0", {"changes": {"threshold": 20}})
        port_when(words[3], lambda port: port["policies"][0]["severe_from"] > 20)
        _, said = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, said


@needs_root
def test_the_demonstration_runs_linux_hosts() -> None:
    with demonstration("--real", "--flows", "2") as (url, _):
        port_when(url, lambda port: sum(port["totals"].values()) > 100_000)
    assert [record for record in records(REGISTRY) if not record.is_running] == []


@needs_root
def test_a_run(folder: Path) -> None:
    assert [record for record in records(REGISTRY) if not record.is_running] == []
    summary: dict[str, Any] = json.loads((folder / "summary.json").read_text())
    measures = summary["measures"]
    assert measures["sent_packets"] > 500, "4 Mbit/s are 500 packets a second"
    assert 0.3 < measures["link_efficiency"] < 1.1
    assert measures["marked_ce"] > 0
    assert measures["marked_incipient"] == 0
    assert 8 < measures["queue_max"] <= 100
    assert len(measures["goodputs_bps"]) == 1
    (row,) = pq.read_table(folder / "run.parquet").to_pylist()
    assert row["marked_ce"] == measures["marked_ce"]
    assert max(row["trace_qdepth"]) > 8
    flows = pq.read_table(folder / "flows.parquet").to_pydict()
    assert set(flows["flow"]) == {"S-D"}
    assert max(flows["cwnd_packets"]) > 8
    assert flows["bytes_acked"] == sorted(flows["bytes_acked"])
    assert {path.name for path in folder.glob("*.svg")} == {
        "queue.svg", "cwnd.svg", "goodput.svg", "marks.svg",
    }  # fmt: skip
    assert summary["about"]["tcp"]["congestion"] == "reno"


@needs_root
@pytest.mark.skipif(shutil.which("tcpdump") is None, reason="tcpdump is not on PATH")
def test_the_codepoints_are_on_the_wire(folder: Path) -> None:
    """tcpdump at both hosts: every mark that the switch counted reaches the receiver, and ECE comes back."""
    summary = json.loads((folder / "summary.json").read_text())
    wire, measures = summary["wire"]["S-D"], summary["measures"]
    assert wire["data sent"].get("CE", 0) == 0
    assert wire["data sent"]["ECT(0)"] > 500
    # The capture goes on a little after the last look at the counters.
    assert wire["data received"]["CE"] >= measures["marked_ce"] > 0
    assert wire["echoes (CWR,ECE)"]["01"] > 0
    # Propagation 7 ms; transmission of 1000 bytes 0.2, 2 and 0.2 ms.
    assert measures["delay_mean_s"] >= 0.0094
    if shutil.which("tshark"):
        count = ["tshark", "-r", str(folder / "D.pcap"), "-Y", "ip.dsfield.ecn == 3 && tcp.len > 0", "-T",
                 "fields", "-e", "ip.id"]  # fmt: skip
        said = subprocess.run(count, capture_output=True, text=True, check=True).stdout
        assert len(said.splitlines()) == wire["data received"]["CE"]


@needs_root
def test_two_runs_of_one_command(tmp_path: Path) -> None:
    """One process builds two networks, one after the other; what is there is not run again."""
    options = ["--duration", "2", "--sources", "1", "--traffic", "plain", "--no-capture", "-o", str(tmp_path)]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, "run", "003", "--scheme", "ECN", "--seeds", "2", *options, *more],
            capture_output=True,
            text=True,
            check=False,
        )

    done = run()
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("ECN 1/4, 1 flows, reno") == 2
    assert "fig6 is not drawn: 2 of its 4 runs are missing" in done.stderr
    rows = pq.read_table(tmp_path / "003.parquet").to_pylist()
    assert [(row["scenario"], row["n_sources"], row["seed"]) for row in rows] == [
        ("ECN 1/4", 1, 1),
        ("ECN 1/4", 1, 2),
    ]
    assert all(row["sent_packets"] > 0 for row in rows)
    done = run()
    assert done.returncode == 0, done.stderr
    assert "2 runs, 2 are there" in done.stderr
    assert "ECN 1/4" not in done.stdout
    done = run("--linux-tcp")
    assert done.returncode == 2
    assert "hosts (the paper's TCP, plain, embedded, not Linux's TCP, plain, embedded)" in done.stderr


@needs_root
def test_a_terminated_lab_leaves_nothing(
    started: Callable[[int], tuple[subprocess.Popen[str], Record]],
) -> None:
    process, record = started(120)
    process.terminate()
    assert process.wait() == 130
    assert left_of(record) == []


@needs_root
def test_a_killed_lab_leaves_nothing(
    started: Callable[[int], tuple[subprocess.Popen[str], Record]],
) -> None:
    process, record = started(120)
    process.kill()
    process.wait()
    while record.path.exists():  # the watchdog is at work
        time.sleep(0.05)
    assert left_of(record) == []


@needs_root
def test_what_a_killed_watchdog_leaves_is_removed_by_the_command(
    started: Callable[[int], tuple[subprocess.Popen[str], Record]],
) -> None:
    process, record = started(120)
    (watchdog,) = [
        int(path.name)
        for path in Path("/proc").iterdir()
        if path.name.isdigit()
        and start_time(int(path.name)) is not None
        and str(record.path).encode() in (path / "cmdline").read_bytes()
    ]
    os.kill(watchdog, signal.SIGKILL)
    process.kill()
    process.wait()
    assert left_of(record) != []
    done = subprocess.run([*COMMAND, "down"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{record.path.stem}: removed" in done.stdout
    assert left_of(record) == []


@needs_root
def test_commands_inside_and_an_interrupt(
    started: Callable[[int], tuple[subprocess.Popen[str], Record]],
) -> None:
    process, record = started(120)
    assert len(record.namespaces) == 2
    assert processes_of(record)
    name = record.path.stem
    run = [*COMMAND, "exec", "--lab", name]
    inside = subprocess.run(
        [*run, "--host", "S", "--", "ip", "-o", "addr", "show", "eth0"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "10.0.1.1/24" in inside.stdout
    shown = subprocess.run(
        [*run, "--", sys.executable, "-c", "from mecn_controller.commands.main import main; main()", "show"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "threshold" in shown.stdout
    listed = subprocess.run([*COMMAND, "list"], capture_output=True, text=True, check=True).stdout
    assert f"{name}  one flow: running, process {process.pid}; 2 namespaces" in listed
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert left_of(record) == []


def test_without_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    done = CliRunner().invoke(lab, ["run", "003"])
    assert (done.exit_code, done.output) == (
        2,
        "mecn lab: cannot run: it needs root: network namespaces and packet sockets\n",
    )


@needs_root
def test_what_cannot_be_run_is_said_before_anything_is_made(file: Path, registry: Path) -> None:
    before = list(registry.glob("*"))
    for more, words in (
        (["run", str(file), "--tcp", "bbr9"], "Invalid value for '--tcp'"),
        (["run", "none.yaml"], "none.yaml: cannot be read"),
        (["run", str(file), "fig6"], "fig6: figures are of a paper's runs"),
        (["run", str(file), "--again"], "--again is for a paper's runs"),
        (["run", "003", "--seed", "7"], "--seed is for files"),
        (["run", "003", "--scheme", "RED"], "no run has scheme = RED; there are ECN, MECN"),
        (["run", "004", "--sources", "5"], "the numbers of flows of 004 are the runs' own"),
        (["run", "004", "--duration", "2"], "duration_s (2.0)"),
        (
            ["run", "002", "fig3"],
            "a lab cannot make all of these 35 runs: web sessions (35 runs)",
        ),
        (["run", str(file), "--warmup", "50", "--duration", "20"], "--warmup must be less"),
    ):
        done = CliRunner().invoke(lab, more)
        assert done.exit_code == 2, done.output
        assert words in done.output
    assert list(registry.glob("*")) == before
