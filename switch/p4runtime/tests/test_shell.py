# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""p4runtime-shell against the server: an independent client, in an environment of its own."""

import os
import subprocess
from pathlib import Path

import pytest
from finsy.proto import p4r
from google.protobuf import text_format
from mecn_switch import P4RuntimeServer

from . import program

PYTHON = Path(os.environ.get("MECN_SHELL_PYTHON", Path(__file__).parents[3] / ".venv-shell/bin/python"))

needs_shell = pytest.mark.skipif(
    not PYTHON.exists(),
    reason="p4runtime-shell is not installed (`make shell-env` installs it in .venv-shell)",
)
pytestmark = needs_shell

PRELUDE = """\
import p4runtime_sh.shell as sh
from p4runtime_sh.p4runtime import P4RuntimeWriteException
from p4runtime_sh.shell import CounterEntry, DirectCounterEntry, TableEntry
import sys
address, config = sys.argv[1], sh.FwdPipeConfig(*sys.argv[2:4])
sh.setup(device_id=1, grpc_addr=address, election_id=(0, 1), config=config)
try:
    exec(sys.argv[4])
finally:
    sh.teardown()
"""

TABLES = """\
route = TableEntry("Ingress.route")(action="Ingress.forward")
route.match["addr"] = "10.0.0.0/8"
route.action["port"] = "3"
route.insert()
choice = TableEntry("classify")(action="set_mark")
choice.match["kind"] = "7"
choice.match["port"] = "0x1200&&&0xff00"
choice.match["mark"] = "5..9"
choice.action["mark"] = "2"
choice.priority = 4
choice.insert()
try:
    route.insert()
except P4RuntimeWriteException as error:
    assert "ALREADY_EXISTS" in str(error), error
else:
    raise AssertionError("inserted twice")
found = []
TableEntry("route").read(lambda entry: found.append(entry))
ports = [entry.action["port"].value for entry in found]
assert ports == [b"\\x03"], ports
route.action["port"] = "4"
route.modify()
print("modified")
"""

COUNTERS = """\
cell = CounterEntry("seen")
cell.index = 6
cell.packet_count = 12
cell.modify()
seen = []
CounterEntry("seen").read(lambda entry: seen.append(entry.packet_count))
assert seen == [0, 0, 0, 0, 0, 0, 12, 0], seen
route = TableEntry("route")(action="forward")
route.match["addr"] = "10.0.0.0/8"
route.action["port"] = "3"
route.insert()
counter = DirectCounterEntry("route_stats")
counter.table_entry.match["addr"] = "10.0.0.0/8"
counter.packet_count = 5
counter.modify()
counts = []
DirectCounterEntry("route_stats").read(lambda entry: counts.append(entry.packet_count))
assert counts == [5], counts
print("counted")
"""


def run(
    server: P4RuntimeServer, folder: Path, script: str, config: p4r.ForwardingPipelineConfig | None = None
) -> str:
    """Runs a script in the shell's environment on a program; returns what it prints."""
    config = config or program.config()
    info, pipeline = folder / "probe.p4info.txtpb", folder / "probe.json"
    info.write_text(text_format.MessageToString(config.p4info))
    pipeline.write_bytes(config.p4_device_config)
    done = subprocess.run(
        [PYTHON, "-c", PRELUDE, server.address, str(info), str(pipeline), script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_tables(server: P4RuntimeServer, tmp_path: Path) -> None:
    assert "modified" in run(server, tmp_path, TABLES)
    [departure] = server.switch.process(0, program.frame(addr=0x0A000001))
    assert departure.port == 4


def test_counters(server: P4RuntimeServer, tmp_path: Path) -> None:
    assert "counted" in run(server, tmp_path, COUNTERS)
    assert server.switch.counter_read("Ingress.seen", 6)[0] == 12


def test_interactive_session(server: P4RuntimeServer, tmp_path: Path) -> None:
    """What `make shell` does: no config given, so the shell takes the switch's."""
    run(server, tmp_path, "")
    done = subprocess.run(
        [PYTHON, "-m", "p4runtime_sh", "--grpc-addr", server.address, "--device-id", "1",
         "--election-id", "0,1"],
        input="tables\nexit\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "IPYTHONDIR": str(tmp_path), "TERM": "dumb"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Ingress.classify" in done.stdout


TYPIST = """\
import sys, pexpect
child = pexpect.spawn(sys.executable, ["-m", "p4runtime_sh", *sys.argv[1:]], timeout=60, encoding="utf-8")
child.expect(">>>")
child.send("table_en\\t")
child.expect("table_entry")
child.sendcontrol("u")
child.send("tables.nam\\t\\n")
child.expect(">>>")
child.sendline("print('still' + ' here')")
child.expect("still here")
child.sendline("exit")
child.expect(pexpect.EOF)
"""


def test_tab_completes(server: P4RuntimeServer, tmp_path: Path) -> None:
    run(server, tmp_path, "")
    assert (PYTHON.parents[1] / "etc/ipython/ipython_config.py").exists(), "run `make shell-env` again"
    done = subprocess.run(
        [PYTHON, "-c", TYPIST, "--grpc-addr", server.address, "--device-id", "1", "--election-id", "0,1"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "IPYTHONDIR": str(tmp_path), "TERM": "xterm"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stdout
