# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Topologies in Mininet: the plan, and a network on the real thing where it is installed."""

import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from mecn_experiments.lab.mininet import system_python
from mecn_topo import builtin
from mecn_topo.lab import PAPER_TCP
from mecn_topo.lab.kernel import obstacle
from mecn_topo.mn.plan import make_plan

RENO = replace(PAPER_TCP, congestion="reno")
ROOT = Path(__file__).resolve().parents[2]


def why_not() -> str | None:
    if (reason := obstacle()) is not None:
        return reason
    return None if system_python() else "Mininet is not installed (Debian, Ubuntu: apt install mininet)"


def test_a_plan_for_the_embedded_switch(tmp_path: Path) -> None:
    plan = make_plan(builtin("003", 1), RENO, tmp_path)
    one = plan["switches"][0]
    assert (one["name"], one["settings"]["device_id"], one["settings"]["grpc_port"]) == ("R1", 1, 9559)
    assert one["port_options"]["1"][:3] == [
        "--port-rate=1=1500kbit",
        "--port-limit=1=200",
        "--port-delay=1=40ms",
    ]
    assert "--port-in-delay=2=2ms" in one["port_options"]["2"]
    assert plan["links"][0] == {"a": "R1", "b": "R2", "port_a": 1, "port_b": 1}
    assert plan["links"][1] == {"a": "S1", "b": "R1", "port_a": None, "port_b": 2}
    assert [host["name"] for host in plan["hosts"]] == ["S1", "D1"]
    assert not any("tc" in command for command in plan["commands"])
    route = plan["commands"][-2]
    assert route[:3] == ["ip", "-n", f"mininet-{os.getpid()}-D1"]
    assert route[route.index("congctl") + 1] == "reno"


def test_a_plan_for_bmv2_has_a_node_in_each_link(tmp_path: Path) -> None:
    plan = make_plan(builtin("003", 1), RENO, tmp_path, target="bmv2")
    one, _, wires = plan["switches"]
    assert one["settings"]["command"][0] == "simple_switch_grpc"
    assert "--" not in one["settings"]["command"], "the class adds interfaces, then the target's own options"
    assert one["settings"]["thrift_port"] == 9090
    assert plan["links"][:3] == [
        {"a": "R1", "b": "wires", "port_a": 1, "port_b": 1},
        {"a": "R2", "b": "wires", "port_a": 1, "port_b": 2},
        {"a": "S1", "b": "wires", "port_a": None, "port_b": 3},
    ]
    words = " ".join(wires["settings"]["command"])
    assert "--wire wires-eth1 wires-eth2 delay=40ms --wire wires-eth2 wires-eth1 rate=1500kbit" in words
    assert "--wire wires-eth3 wires-eth4 rate=10mbit delay=2ms" in words
    assert {"R1-eth1", "wires-eth1", "wires-eth6"} <= set(plan["interfaces"])
    assert not any("netem" in command for command in plan["commands"])


def test_netem_can_make_the_links(tmp_path: Path) -> None:
    plan = make_plan(builtin("003", 1), RENO, tmp_path, target="bmv2", by="netem")
    assert [of["name"] for of in plan["switches"]] == ["R1", "R2"]
    shaped = [" ".join(command) for command in plan["commands"] if "netem" in command]
    assert "tc qdisc replace dev R1-eth1 root netem limit 100000 delay 40000us" in shaped
    host = f"ip netns exec {plan['hosts'][0]['netns']} tc qdisc replace dev S1-eth0 root netem"
    assert any(command.startswith(host) for command in shaped)


@pytest.mark.skipif(why_not() is not None, reason=f"Mininet cannot run here: {why_not()}")
def test_a_network_with_a_command_line(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("name: other\nscheme: threshold\nthreshold: 7\n")
    script = tmp_path / "script"
    script.write_text(
        "ports\n"
        f'D1 {sys.executable} -c \'import socket; s = socket.create_server(("", 5000)); c, _ = s.accept(); '
        'print("got", len(c.recv(100)))\' &\n'
        f"S1 {sys.executable} -c 'import socket, time; time.sleep(3); "
        's = socket.create_connection(("10.0.2.1", 5000)); s.send(bytes(42)); print(s.getsockname())\'\n'
        f"profile R1 R2 {tmp_path / 't.yaml'}\n"
        "queue R1 R2\nprofile R1 nowhere x\nqueue\n"
    )
    code = "from mecn_controller.commands.main import main; main()"
    command = [sys.executable, "-c", code, "mininet", "003", "--sources", "1", "--tcp", "reno"]
    done = subprocess.run(
        [*command, "--script", str(script)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "R1 port 1 towards R2: 1500kbit, 40ms, at most 200 packets" in said
    assert "('10.0.1.1', " in said, "a connection through both switches"
    assert "other is in force" in said
    assert '"rate": "1500kbit"' in said
    assert "scheme threshold" in said
    assert "there is no port of R1 towards nowhere" in said
    assert "usage: queue SWITCH TOWARDS" in said
    assert not any(name.startswith(("R1-eth", "R2-eth")) for _, name in socket.if_nameindex())


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to come so far")
@pytest.mark.parametrize(
    ("python", "reason"),
    [
        ("echo \"ModuleNotFoundError: No module named 'mininet'\" >&2; exit 1", "apt install mininet"),
        ("echo \"ModuleNotFoundError: No module named 'distutils'\" >&2; exit 1", "python3-setuptools"),
    ],
)
def test_without_mininet_it_says_so(
    python: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python that MININET_PYTHON names is used, or why it cannot be is said; no other takes its place."""
    from click.testing import CliRunner
    from mecn_experiments.lab import mininet as module

    (tmp_path / "python").write_text(f"#!/bin/sh\n{python}\n")
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setenv("MININET_PYTHON", str(tmp_path / "python"))
    done = CliRunner().invoke(module.mininet, ["003", "--tcp", "reno"])
    assert done.exit_code == 2
    assert reason in done.output
    assert f"{tmp_path}/python: ModuleNotFoundError" in done.output
