# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The lab and Mininet on BMv2: what is measured, a session, and what is left after each way to end.

They need root, p4lang's tools, and Mininet where it is named. Each runs in a network namespace of its own.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from mecn_experiments.lab.mininet import system_python
from mecn_topo.lab import RealCommands, bmv2
from mecn_topo.lab.hosts import PAPER_TCP, best_available, mecn_host
from mecn_topo.lab.kernel import obstacle
from mecn_topo.lab.registry import NAMESPACES, Record, processes_of, records

from lab_process import MAIN, REGISTRY, Labs, left_of, own_registry

REASON = obstacle("unshare") or bmv2.missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=f"nothing of this runs here: {REASON}")
MININET = None if system_python() else "Mininet is not installed (Debian, Ubuntu: apt install mininet)"

TOPOLOGY = """\
name: one flow
overhead_bytes: -14
mtu: 1000
hosts: [S, D]
switches: [R1, R2]
links:
  - {between: [R1, R2], rate: 1.6mbit, delay: 15ms, queue_limit: 100}
  - {between: [S, R1], rate: 16mbit, delay: 3ms}
  - {between: [R2, D], rate: 16mbit, delay: 2ms}
profiles:
  - {switch: R1, towards: R2, profile: mecn.yaml}
"""
PROFILE = "name: low\nscheme: mecn\nmin_th: 3\nmid_th: 6\nmax_th: 12\nmax_p: 0.3\nweight: 0.05\n"
ROOT = Path(__file__).resolve().parents[2]
ALONE = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]


@pytest.fixture(autouse=True, scope="module")
def registry() -> Iterator[Path]:
    with own_registry() as folder:
        yield folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "mecn.yaml").write_text(PROFILE)
    (tmp_path / "one.yaml").write_text(TOPOLOGY)
    return tmp_path / "one.yaml"


def lab(file: Path, seconds: int, *more: str) -> list[str]:
    run = ["lab", "run", str(file), "--target", "bmv2", "--duration", str(seconds), "--traffic", "plain"]
    return [*MAIN, *run, "-o", str(file.parent / "out"), *more]


def test_a_run_and_its_marks_on_the_wire(file: Path) -> None:
    """The queue is BMv2's, propagation that of the links; marks that it counts are those that arrive."""
    done = subprocess.run(lab(file, 5), capture_output=True, text=True, check=False, cwd=file.parent)
    assert done.returncode == 0, done.stderr
    summary: dict[str, Any] = json.loads((file.parent / "out" / "summary.json").read_text())
    measures = summary["measures"]
    assert summary["about"]["target"] == "bmv2"
    assert measures["sent_packets"] > 100, "1.6 Mbit/s are 200 packets a second"
    marked = measures["marked_ce"] + measures["marked_incipient"]
    assert marked > 0
    assert max(pq.read_table(file.parent / "out" / "run.parquet").to_pylist()[0]["trace_qdepth"]) > 3
    # The link behind the queue has counted what it sent; what it lost is known to nobody.
    assert 0.1 < measures["utilisation"] < 1.1
    assert measures["tail_drops"] is None
    assert "process of the links" not in done.stderr
    if shutil.which("tcpdump"):
        received = summary["wire"]["S-D"]["data received"]
        # The capture goes on a little after the last look at the counters.
        assert received.get("CE", 0) + received.get("ECT(1)", 0) >= marked
        # 20 ms of propagation, and 0.5, 5 and 0.5 ms for 1000 bytes.
        assert measures["delay_mean_s"] >= 0.026
    assert records(REGISTRY) == []


@pytest.fixture
def started(file: Path) -> Iterator[Callable[[], tuple[subprocess.Popen[str], Record]]]:
    """Starts a long run; gives its process and its record when its flow is running."""
    with Labs() as labs:
        yield lambda: labs.start(lab(file, 300, "--no-capture"), file.parent)


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left(
    started: Callable[[], tuple[subprocess.Popen[str], Record]], number: signal.Signals
) -> None:
    process, record = started()
    lines = " ".join(command_line(pid) for pid in processes_of(record))
    for part in ("simple_switch_grpc", "mecn-switch wires", "simple_switch_CLI"):
        assert part in lines
    process.send_signal(number)
    assert process.wait() == (-number if number == signal.SIGKILL else 130)
    while record.path.exists():  # the watchdog is at work
        time.sleep(0.05)
    assert left_of(record) == []


@pytest.mark.parametrize(
    ("victim", "said"),
    [("mecn-switch wires", "the process of the links has ended"), ("simple_switch_grpc", "switch R")],
)
def test_a_part_that_dies_ends_the_run(
    started: Callable[[], tuple[subprocess.Popen[str], Record]], victim: str, said: str
) -> None:
    process, record = started()
    pid = next(pid for pid in processes_of(record) if victim in command_line(pid))
    os.kill(pid, signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == 1, errors
    assert said in errors
    assert left_of(record) == []


@pytest.mark.skipif(MININET is not None, reason=str(MININET))
@pytest.mark.skipif(
    shutil.which("iperf3") is None, reason="iperf3 is not on PATH (Debian: apt install iperf3)"
)
def test_a_session_in_mininet(file: Path) -> None:
    """All hosts reach each other, one sends, and its marks are seen; with multi-level ECN where it can be."""
    tcp, why_not = best_available(PAPER_TCP, RealCommands())
    watch = " ".join(f"'{word}'" for word in [*MAIN, "watch", "--once", "--json"])
    (file.parent / "script").write_text(
        "pingall\n"
        "D iperf3 --server --one-off --daemon\n"
        "D until ss -ltn | grep -q :5201; do sleep 0.1; done\n"
        "S iperf3 --client D --time 4 --interval 0\n"
        f"sh {watch} --address 127.0.0.1:9559 --device-id 1\n"
        "queue R1 R2\n"
        "sh ss -0 -e\n"
        f"S {mecn_host() or 'true'} status --netns /proc/self/ns/net\n"
    )
    run = [*MAIN, "mininet", str(file), "--target", "bmv2", "--tcp", tcp.congestion]
    process = subprocess.Popen(
        [*ALONE, *run, "--script", str(file.parent / "script")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    said, _ = process.communicate()
    assert process.returncode == 0, said
    assert "0% dropped (2/2 received)" in said
    assert "receiver" in said, f"iperf3's last line; {why_not}"
    (shown,) = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
    if tcp.congestion == "mecn":
        counters = [line.split() for line in said.splitlines() if line.startswith("reductions")]
        reductions = {name: int(count) for _, name, count in counters}
        assert reductions["incipient"] + reductions["moderate"] > 0
        assert reductions["classic"] == 0
    assert "simple_switch_CLI" not in said, "an error of it"
    assert "scheme mecn" in said
    row = next(line.split() for line in said.splitlines() if line.startswith("1  "))
    assert int(row[1]) > 100, "packets"
    assert int(row[3]) + int(row[4]) > 0, "marks"
    assert shown
    slots = re.findall(r"\*:(R\d-eth\d)\s.*?frm_nr:(\d+)", said, re.DOTALL)
    assert {name for name, _ in slots} == {"R1-eth1", "R1-eth2", "R2-eth1", "R2-eth2"}, said
    assert all(int(count) > 1000 for _, count in slots), "offloads leave 32 (docs/targets.md)"
    name = f"mininet-{process.pid}"
    assert not (REGISTRY / f"{name}.json").exists()
    assert list(NAMESPACES.glob(f"{name}*")) == []


# ---- A switch that somebody else has started ---------------------------------------------------------------

DOCUMENT = ROOT / "docs" / "lab.md"
# Namespaces of these names may be another's: these are in a folder of their own.
OWN_NAMES = "mkdir -p /run/netns; mount -t tmpfs none /run/netns; exec"


def block(name: str) -> str:
    """The commands between two marks of the document."""
    text = DOCUMENT.read_text().split(f"<!-- {name}: begin -->")[1].split(f"<!-- {name}: end -->")[0]
    return text.split("```sh\n")[1].split("```")[0]


@pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("iperf3", "ethtool")),
    reason="iperf3 or ethtool is not on PATH (Debian: apt install iperf3 ethtool)",
)
def test_the_documents_own_switch(tmp_path: Path) -> None:
    """Both terminals of docs/lab.md, as written; the second begins when the switch of the first listens."""
    (tmp_path / "one").write_text(block("own switch"))
    (tmp_path / "two").write_text(block("own controller"))
    script = (
        f"sh -e {tmp_path}/one >{tmp_path}/said 2>&1 & switch=$!\n"
        f"while ! grep -q :C383 /proc/net/tcp /proc/net/tcp6; do kill -0 $switch || exit 3; sleep 0.2; done\n"
        f"sh -e {tmp_path}/two\n"
    )
    # The switch ends with the process namespace.
    apart = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    command = [*apart, "sh", "-c", f'ip link set lo up; {OWN_NAMES} sh -c "$1"', "sh"]
    done = subprocess.run([*command, script], capture_output=True, text=True, check=False, cwd=ROOT)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said + (tmp_path / "said").read_text()
    assert "multi-level ECN, 1/2/4 is in force" in said
    assert "receiver" in said
    row = next(line.split() for line in said.splitlines() if line.startswith("2  "))
    assert int(row[1]) > 100, "packets"
    assert int(row[3]) + int(row[4]) > 0, "marks"
    assert "port 2  DSCP any: mecn" in said, "of mecn watch"
