# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Mininet for real: multi-level ECN between its hosts, and what is left after each way to end.

It needs root and Mininet; the first test `mecn-host` and iperf3, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from mecn_experiments.lab.mininet import NODES, system_python
from mecn_topo.lab import registry
from mecn_topo.lab.hosts import mecn_host
from mecn_topo.lab.kernel import obstacle
from scapy.layers.inet import IP, TCP
from scapy.utils import PcapReader

TOPOLOGY = """
name: one switch
overhead_bytes: -14
hosts: [S1, D1]
switches: [R1]
links:
  - {between: [S1, R1], rate: 100mbit, delay: 1ms}
  - {between: [R1, D1], rate: 8mbit, delay: 9ms, queue_limit: 200}
profiles:
  - {switch: R1, towards: D1, profile: mecn.yaml}
"""
MECN = "name: low\nscheme: mecn\nmin_th: 3\nmid_th: 6\nmax_th: 12\nmax_p: 0.3\nweight: 0.05\n"
THRESHOLD = "name: other\nscheme: threshold\nthreshold: 7\n"
MAIN = "from mecn_controller.commands.main import main; main()"
READY = "the network is up"


def why_not() -> str | None:
    if (reason := obstacle()) is not None:
        return reason
    return None if system_python() else "Mininet is not installed (Debian, Ubuntu: apt install mininet)"


REASON = why_not()
pytestmark = pytest.mark.skipif(REASON is not None, reason=f"Mininet cannot run here: {REASON}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.yaml").write_text(TOPOLOGY)
    (tmp_path / "mecn.yaml").write_text(MECN)
    (tmp_path / "other.yaml").write_text(THRESHOLD)
    return tmp_path


def command(folder: Path, script: str, tcp: str) -> list[str]:
    (folder / "script").write_text(script)
    mininet = [sys.executable, "-c", MAIN, "mininet", str(folder / "one.yaml"), "--tcp", tcp]
    return [*mininet, "--script", str(folder / "script")]


def children(pid: int) -> dict[int, str]:
    """Processes that a process has started, and those that they have, with command lines."""
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if parent == pid:
                    found |= {int(entry.name): line, **children(int(entry.name))}
        except OSError:
            continue
    return found


def test_the_page_is_served_and_a_taken_port_is_avoided(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        page = f"127.0.0.1:{probe.getsockname()[1]}"
    ask = f"{sys.executable} -c 'from urllib.request import urlopen as u; print(u(\"http://{page}/api/snapshot\").read())'"
    script = f"ports\nsh {ask}\nS1 command -v mecn-switch\nS1 command -v python3\nqueue R1 D1\n"
    with socket.socket() as taken:
        # It may be taken already.
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", 9559))
            taken.listen()
        done = subprocess.run(
            [*command(folder, script, "reno"), "--web", page],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
        )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert f"*** The live page: http://{page}/" in said
    assert '"status": "primary"' in said
    assert '"severe_from": 12.0' in said
    assert re.search(r"^R1: --address 127.0.0.1:95(?!59)\d\d --device-id 1", said, re.MULTILINE), said
    assert "scheme mecn" in said, "the profile, by the address that ports tells"
    assert str(Path(sys.executable).parent / "mecn-switch") in said
    assert str(Path(sys.executable).parent / "python3") not in said, "the system's Python comes first"


def test_hosts_run_multi_level_ecn(folder: Path) -> None:
    """Marks that the switch counts are those on the wire; each is echoed, heard, and answered."""
    program = mecn_host()
    if program is None:
        pytest.skip("mecn-host is not built (make host)")
    if subprocess.run([program, "probe"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this kernel cannot run mecn-host; see mecn-host probe")
    if missing := [tool for tool in ("iperf3", "tcpdump") if shutil.which(tool) is None]:
        pytest.skip(f"not on PATH: {', '.join(missing)}")
    script = (
        f"D1 tcpdump --immediate-mode -i D1-eth0 -s 96 -w {folder}/D1.pcap tcp >/dev/null 2>&1 &\n"
        "D1 iperf3 --server --one-off --daemon\n"
        "D1 sleep 0.5\n"
        "S1 iperf3 --client D1 --time 3 --interval 0\n"
        "queue R1 D1\n"
        f"S1 {program} status --json --netns /proc/self/ns/net > {folder}/S1.json\n"
        f"D1 {program} status --json --netns /proc/self/ns/net > {folder}/D1.json\n"
        f"profile R1 D1 {folder}/other.yaml\n"
        "queue R1 D1\n"
    )
    done = subprocess.run(command(folder, script, "mecn"), capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said

    rows = [line.split() for line in said.splitlines() if line.startswith("2  ")]
    counted = Counter({1: int(rows[0][3]), 3: int(rows[0][4])})
    with PcapReader(str(folder / "D1.pcap")) as packets:
        data = [packet for packet in packets if packet[IP].dst == "10.0.2.1" and len(packet[TCP].payload)]
    arrived = Counter(packet[IP].tos & 3 for packet in data)
    assert arrived[1] > 0
    assert arrived[3] > 0
    assert {level: arrived[level] for level in (1, 3)} == counted, said

    def counters(host: str) -> dict[str, int]:
        (namespace,) = json.loads((folder / f"{host}.json").read_text())["namespaces"]
        return {f"{of['metric']} {of.get('label_value', '')}": of["value"] for of in namespace["counters"]}

    sender, receiver = counters("S1"), counters("D1")
    for level in ("incipient", "moderate"):
        assert receiver[f"segments_echoed {level}"] == sender[f"acks_heard {level}"] > 0
    assert sender["acks_heard classic"] == 0
    assert sender["reductions incipient"] + sender["reductions moderate"] > 0

    assert "scheme mecn" in said.partition("other is in force")[0]
    assert "scheme threshold" in said.partition("other is in force")[2]
    assert_nothing_is_left([])


@pytest.mark.parametrize(
    ("victim", "number", "status"),
    [
        ("mecn", signal.SIGTERM, 128 + signal.SIGTERM),
        ("all", signal.SIGINT, 128 + signal.SIGINT),
        ("nodes.py", signal.SIGKILL, 1),
        ("mecn", signal.SIGKILL, -signal.SIGKILL),
    ],
    ids=["terminated", "ctrl-c", "network killed", "command killed"],
)
def test_nothing_is_left(folder: Path, victim: str, number: signal.Signals, status: int) -> None:
    """While a host runs a command; another one there ignores the end of its shell."""
    script = f"D1 nohup sleep 1000 >/dev/null 2>&1 &\npy print('{READY}', flush=True)\nS1 sleep 1000\n"
    process = subprocess.Popen(
        command(folder, script, "auto"),
        stdout=subprocess.PIPE,
        stderr=(folder / "errors").open("w"),
        text=True,
        start_new_session=True,
        # A shell's background job, which these tests may be, ignores interrupts, and so would this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    for line in process.stdout:
        if READY in line:
            break
    started = children(process.pid)
    said = (folder / "errors").read_text()
    assert any("sleep 1000" in line for line in started.values()), said
    assert any("mecn-switch" in line for line in started.values()), started
    if victim == "all":
        os.killpg(process.pid, number)
    else:
        (nodes,) = [pid for pid, line in started.items() if line.split()[1:2] == [str(NODES)]]
        os.kill(process.pid if victim == "mecn" else nodes, number)
    process.wait()
    said = (folder / "errors").read_text()
    assert process.returncode == status, said
    if victim == "nodes.py":
        assert "killed by SIGKILL, and the network removed" in said
    assert_nothing_is_left(list(started))


def assert_nothing_is_left(processes: list[int]) -> None:
    """Processes, namespaces, multi-level ECN, links, notes. What ends by a watchdog is waited for."""
    program = mecn_host()
    deadline = time.monotonic() + 60
    while True:
        left: list[object] = [pid for pid in processes if registry.start_time(pid) is not None]
        left += list(registry.FOLDER.glob("mininet-*"))
        if registry.NAMESPACES.exists():
            left += [path for path in registry.NAMESPACES.iterdir() if path.name.startswith("mininet-")]
        left += [name for _, name in socket.if_nameindex() if name.startswith("R1-eth")]
        if program is not None:
            said = subprocess.run([program, "status"], capture_output=True, text=True, check=False).stdout
            left += [line for line in said.splitlines() if "mininet-" in line]
        if not left:
            return
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
