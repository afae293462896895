# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The examples of docs/p4runtime-for-thrift-users.md, each on the switch that it is for."""

import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest
from mecn_switch import P4RuntimeServer

from .compiled import compiled
from .test_shell import needs_shell, run

PAGE = Path(__file__).parents[3] / "docs/p4runtime-for-thrift-users.md"
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
CONFIG = compiled("thrift_users")

OLD, NEW, CTL = ("".join(text for kind, text in BLOCKS if kind == wanted) for wanted in ("", "python", "sh"))


@needs_shell
def test_examples_for_p4runtime_shell(server: P4RuntimeServer, tmp_path: Path) -> None:
    assert NEW.count("\n") > 60
    said = run(server, tmp_path, f"from p4runtime_sh.shell import *\n{NEW}", CONFIG)
    assert "3000 2\n" in said, said
    switch = server.switch
    assert [len(switch.entries(f"MyIngress.{table}")) for table in ("ipv4_lpm", "acl")] == [0, 1]
    [balanced] = switch.entries("MyIngress.ecmp")
    assert balanced.group is not None
    assert switch.counter_read("MyIngress.port_counter", 1) == (0, 0)


def test_commands_name_what_is_in_the_program() -> None:
    """Each command for the old tool and for ctl that names an object names one of the program."""
    names = {"MyIngress." + name for name in ("ipv4_lpm", "acl", "ecmp", "ipv4_forward", "drop", "next_hops")}
    names |= {"MyIngress." + name for name in ("port_counter", "acl_counter", "port_meter", "last_length")}
    used = set(re.findall(r"MyIngress\.\w+", OLD + CTL))
    assert used == names
    info = str(CONFIG.p4info)
    assert all(f'name: "{name}"' in info for name in names)


@pytest.mark.skipif(shutil.which("simple_switch_CLI") is None, reason="simple_switch is not installed")
def test_examples_for_simple_switch_cli(tmp_path: Path) -> None:
    pipeline, socket_path = tmp_path / "program.json", tmp_path / "n.ipc"
    pipeline.write_bytes(CONFIG.p4_device_config)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    command = ["simple_switch", "--thrift-port", port, "--notifications-addr", f"ipc://{socket_path}"]
    switch = subprocess.Popen([*command, str(pipeline)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        done = _cli(port, "")
        while "Obtaining JSON from switch...\nDone" not in done:
            assert switch.poll() is None, "simple_switch has ended"
            time.sleep(0.2)
            done = _cli(port, "")
        said = _cli(port, OLD)
    finally:
        switch.kill()
        switch.wait()
    assert len(re.findall("RuntimeCmd:", said)) == OLD.count("\n") + 1
    assert not re.search("error|invalid|unknown|traceback", said, flags=re.IGNORECASE), said


def _cli(port: str, commands: str) -> str:
    done = subprocess.run(
        ["simple_switch_CLI", "--thrift-port", port],
        input=commands,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout + done.stderr
