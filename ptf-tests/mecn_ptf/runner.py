# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the packet tests on one target: `python ptf-tests/run.py --target embedded|veth|bmv2 [TEST ...]`.

The last line says how many tests passed, failed and were skipped. Exit status: 0 if all passed, 1 if a test
failed, or the compiler or the switch did, 2 if the target cannot run here; the reason is printed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from mecn_topo.lab import bmv2_tools

from mecn_ptf import switches
from mecn_ptf.frames import PORTS
from mecn_ptf.namespace import Namespace, NamespaceError, namespace, why_not

FOLDER = Path(__file__).resolve().parents[1]
RESULTS = FOLDER.parent / "build" / "ptf"
CANNOT_RUN = 2
"""Exit status where the machine lacks what a target needs."""
START_S = 30.0
QUEUE_LENGTH = 10_000
"""Frames that PTF keeps for each port until a test polls; more than any test has on their way."""


LAST_LINES = 10
"""Of the log of a switch that died."""


class CannotRunError(Exception):
    """The target cannot run here: what is missing, and how to get it."""


class RunFailedError(Exception):
    """What the target needs is here, and fails: program, compiler or switch; and what it said last."""


def ptf_command(platform: str, arguments: str, results: Path, tests: Sequence[str]) -> list[str]:
    """PTF on the tests of this folder."""
    return [
        switches.installed("ptf"), "--allow-user",
        "--test-dir", str(FOLDER / "tests"), "--pypath", str(FOLDER),
        "--platform-dir", str(FOLDER / "platforms"), "--platform", platform, "--platform-args", arguments,
        "--xunit", "--xunit-dir", str(results / "xunit"), "--log-file", str(results / "ptf.log"),
        "--debug", "info", "--qlen", str(QUEUE_LENGTH), *tests,
    ]  # fmt: skip


def cases(xunit: Path) -> list[ET.Element]:
    """The tests in PTF's JUnit files. One that fails in its body and again in tearDown is there twice."""
    suites = [ET.parse(path).getroot() for path in sorted(xunit.glob("TEST-*.xml"))]  # noqa: S314
    return [case for suite in suites for case in suite.iter("testcase")]


def counts(xunit: Path) -> Counter[str]:
    """Tests that passed, failed and were skipped."""
    outcomes: dict[str, str] = {}
    for case in cases(xunit):
        name = str(case.get("classname"))
        if case.find("failure") is not None or case.find("error") is not None:
            outcomes[name] = "failed"
        else:
            outcomes.setdefault(name, "passed" if case.find("skipped") is None else "skipped")
    return Counter(outcomes.values())


def skips(xunit: Path) -> list[str]:
    """Tests that were skipped, and why."""
    found = [(case.get("classname"), case.find("skipped")) for case in cases(xunit)]
    return [f"skipped {name}: {skipped.get('message')}" for name, skipped in found if skipped is not None]


def summary(target: str, total: Counter[str]) -> str:
    """The last line."""
    closing = f"ptf {target}: {total['passed']} passed, {total['failed']} failed"
    return f"{closing}, {total['skipped']} skipped" if total["skipped"] else closing


def compiled(command: Sequence[str], folder: Path) -> None:
    """Compiles the program into `folder`. Raises `RunFailedError`."""
    trouble = switches.compile_program(command, folder)
    if trouble is not None:
        raise RunFailedError(f"the program does not compile:\n{trouble}")


@contextmanager
def running(
    command: Sequence[str], inside: Namespace, log: Path, addresses: Sequence[str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A switch in the namespace, from when it answers at all its addresses to the end."""
    with log.open("w") as output:
        process = subprocess.Popen(inside.inside(command), stdout=output, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + START_S
            probe = inside.inside([sys.executable, "-c", PROBE, *addresses])
            while subprocess.run(probe, check=False, capture_output=True).returncode != 0:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RunFailedError(f"{command[0]} does not start:\n{log.read_text()}")
                time.sleep(0.1)
            yield process
        finally:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process, if it has not ended."""
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run_beside(switch: subprocess.Popen[bytes], log: Path, command: Sequence[str]) -> None:
    """Runs PTF to its end. Raises `RunFailedError` if the switch ends before."""
    tests = subprocess.Popen(command)
    try:
        while tests.poll() is None:
            if (status := switch.poll()) is not None:
                how = f"by signal {-status}" if status < 0 else f"with status {status}"
                last = log.read_text(errors="replace").splitlines()[-LAST_LINES:]
                raise RunFailedError(
                    "\n".join([f"the switch ended {how} in the middle; its last lines:", *last])
                )
            time.sleep(0.1)
    finally:
        end(tests)


PROBE = """
import socket, sys
for address in sys.argv[1:]:
    host, port = address.split(":")
    socket.create_connection((host, int(port)), 1).close()
"""


def run_embedded(results: Path, work: Path, tests: Sequence[str]) -> None:
    """In virtual time, in one process; no root."""
    compiled(switches.embedded_compiler(work), work)
    subprocess.run(ptf_command("mecn_embedded", str(work), results, tests), check=False)


def run_on_interfaces(kind: str, results: Path, work: Path, tests: Sequence[str]) -> None:
    """A switch in a process, on veth pairs, in a namespace of its own."""
    if kind == "bmv2":
        if (missing := bmv2_tools.missing()) is not None:
            raise CannotRunError(missing)
        print(f"ptf bmv2: {bmv2_tools.versions()}", flush=True)
    if (reason := why_not()) is not None:
        raise CannotRunError(reason)
    compiled((switches.embedded_compiler if kind == "veth" else switches.p4c_compiler)(work), work)
    settings: dict[str, object] = {
        "kind": kind, "address": switches.ADDRESS, "device_id": switches.DEVICE_ID, "folder": str(work),
        "ctl_socket": str(work / "ctl"),
    }  # fmt: skip
    with namespace(PORTS) as inside:
        attached = [(port, inside.switch_end(port)) for port in PORTS]
        command = (
            switches.mecn_switch(attached, work / "ctl")
            if kind == "veth"
            else switches.simple_switch_grpc(attached)
        )
        log = results / "switch.log"
        with running(command, inside, log, switches.addresses(kind)) as switch:
            interfaces = [f"--interface={port}@{inside.test_end(port)}" for port in PORTS]
            ptf = ptf_command("mecn_interfaces", json.dumps(settings), results, [*interfaces, *tests])
            run_beside(switch, log, inside.inside(ptf))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("--target", choices=("embedded", "veth", "bmv2"), default="embedded")
    parser.add_argument("tests", nargs="*", help="such as marking, or marking.LevelsAreCounted; default: all")
    parser.add_argument(
        "--results", type=Path, metavar="DIR", help="default: build/ptf/TARGET; emptied first"
    )
    options = parser.parse_args(arguments)
    # Ctrl-C and termination unwind the stack, so that processes and namespaces are removed.
    signal.signal(signal.SIGTERM, _interrupted)
    results = options.results or RESULTS / options.target
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    try:
        with tempfile.TemporaryDirectory(prefix="mecn-ptf-") as work:
            if options.target == "embedded":
                run_embedded(results, Path(work), options.tests)
            else:
                run_on_interfaces(options.target, results, Path(work), options.tests)
    except (CannotRunError, NamespaceError) as error:
        print(f"ptf {options.target}: cannot run: {error}", file=sys.stderr)
        return CANNOT_RUN
    except RunFailedError as error:
        print(f"ptf {options.target}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"ptf {options.target}: interrupted", file=sys.stderr)
        return 130
    total = counts(results / "xunit")
    print(*skips(results / "xunit"), f"Results: {results}", sep="\n")
    print(summary(options.target, total))
    return 0 if total["passed"] and not total["failed"] else 1


def _interrupted(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt
