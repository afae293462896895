# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""BMv2: what it needs, how its switch is started, and its queues, which only its own command line can set.

That command, simple_switch_CLI, speaks Thrift, which the switch serves a moment after P4Runtime. It knows the
registers of the program that was loaded when it started.
"""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..addressing import address_plan
from .bmv2_tools import missing
from .kernel import LabError
from .links import directions
from .switches import grpc_address, thrift_port

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..description import Scenario

__all__ = [
    "check",
    "compile_command",
    "configure",
    "missing",
    "packets_per_second",
    "queue_commands",
    "queues",
    "run_cli",
    "switch_command",
    "wait_for_thrift",
]

THRIFT_S = 10.0
"""How long Thrift may take after P4Runtime answers."""


def compile_command(source: Path, folder: Path, p4info: Path) -> list[str]:
    """p4c on a program; the output in `folder` is named after the source."""
    return [
        "p4c", "--target", "bmv2", "--arch", "v1model", "--std", "p4-16", "-I", str(source.parent),
        "--p4runtime-files", str(p4info), "-o", str(folder), str(source),
    ]  # fmt: skip


def compile_program(source: Path) -> tuple[str, str]:
    """P4Info as text and BMv2 JSON of a program, by p4c. Raises LabError."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        p4info = folder / "program.p4info.txtpb"
        command = compile_command(source, folder, p4info)
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode != 0:
            raise LabError(f"p4c: {(done.stderr or done.stdout).strip()}")
        return p4info.read_text(), (folder / f"{source.stem}.json").read_text()


def switch_command(number: int, ports: Sequence[tuple[int, str]], folder: Path | None = None) -> list[str]:
    """`simple_switch_grpc` as switch number k. Its target's own options stand after `--`.

    folder: for the socket of its notifications; two switches with one device id would share the default.
    """
    attached = [argument for port, name in ports for argument in ("-i", f"{port}@{name}")]
    notifications = [] if folder is None else ["--notifications-addr", f"ipc://{folder}/bmv2-{number}.ipc"]
    return [
        "simple_switch_grpc", *attached, "--no-p4", "--device-id", str(number),
        "--thrift-port", str(thrift_port(number)), *notifications, "--log-console", "-L", "warn",
        "--", "--grpc-server-addr", grpc_address(number),
    ]  # fmt: skip


def queue_commands(port: int, limit: int, pps: int | None) -> str:
    """What simple_switch_CLI reads for a queue's settings. Packets per second; 0 is no limit."""
    return f"set_queue_depth {limit} {port}\nset_queue_rate {pps or 0} {port}\n"


def packets_per_second(rate_bps: int, packet_bytes: int) -> int:
    """The nearest rate that BMv2 can have: whole packets, each as long as the mean one."""
    return max(1, round(rate_bps / (8 * packet_bytes)))


def wait_for_thrift(number: int, timeout_s: float = THRIFT_S) -> None:
    """Waits until switch number k serves Thrift. Raises LabError."""
    deadline = time.monotonic() + timeout_s
    while True:
        with socket.socket() as probe:
            probe.settimeout(1)
            if probe.connect_ex(("127.0.0.1", thrift_port(number))) == 0:
                return
        if time.monotonic() > deadline:
            raise LabError(
                f"simple_switch_grpc does not serve Thrift on port {thrift_port(number)}, the only way to "
                "set its queues: was BMv2 built without Thrift?"
            )
        time.sleep(0.02)


def run_cli(number: int, text: str) -> str:
    """simple_switch_CLI on switch number k. It says in words what went wrong, and ends with 0."""
    command = ["simple_switch_CLI", "--thrift-port", str(thrift_port(number))]
    try:
        done = subprocess.run(  # noqa: S603
            command, input=text, capture_output=True, text=True, check=False, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(f"simple_switch_CLI: {error}") from None
    return check(done)


def check(done: subprocess.CompletedProcess[str]) -> str:
    """The output of simple_switch_CLI; raises LabError if it reports an error."""
    if done.returncode != 0 or _is_complaint(done.stdout):
        raise LabError(f"simple_switch_CLI: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def _is_complaint(text: str) -> bool:
    return any(word in text for word in ("Error", "Invalid", "Unknown syntax"))


def queues(scenario: Scenario, switch: str, packet_bytes: int) -> list[tuple[int, int, int | None]]:
    """Port, limit in packets, and rate in packets per second of each queue of a switch.

    A queue without a profile has no rate: the link behind it makes that, by the lengths of the packets.
    """
    found = []
    for of in directions(scenario, address_plan(scenario.topology)):
        if of.sender == switch and of.port is not None:
            link = scenario.topology.links[of.link]
            pps = packets_per_second(link.rate_bps, packet_bytes) if of.rate_bps is None else None
            found.append((of.port, link.queue_limit, pps))
    return sorted(found)


def configure(number: int, rows: Sequence[tuple[int, int, int | None]]) -> None:
    """Gives the queues of a switch, which must have a program, what :func:`queues` says. Raises LabError."""
    run_cli(number, "".join(queue_commands(*row) for row in rows))
