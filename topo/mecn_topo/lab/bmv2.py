# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""BMv2: what it needs, how its switch is started, and its queues, which only its own command line can set.

That command, simple_switch_CLI, speaks Thrift, which the switch serves a moment after P4Runtime. It knows the
registers of the program that was loaded when it started.
"""

from __future__ import annotations

import socket
import subprocess
import time
from typing import TYPE_CHECKING

from ..addressing import address_plan
from .bmv2_tools import missing
from .kernel import LabError
from .switches import grpc_address, port_links, thrift_port

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ..description import Scenario
    from .kernel import Commands
    from .switches import PortLink

__all__ = [
    "check",
    "compile_command",
    "configure",
    "missing",
    "packets_per_second",
    "queue_commands",
    "run_cli",
    "switch_command",
    "unsuitable",
    "wait_for_thrift",
]

THRIFT_S = 10.0
"""How long Thrift may take after P4Runtime answers."""


def unsuitable(scenario: Scenario) -> str | None:
    """Why BMv2's queues cannot be those of a scenario; None if they can."""
    plan = address_plan(scenario.topology)
    for placed in scenario.placements:
        for of in port_links(scenario.topology, plan, placed.switch):
            if of.port == placed.port and of.to_host:
                return (
                    f"the profile of {placed.switch} towards {of.neighbour}: with BMv2 a host's link is "
                    "slower than its port, whose queue stays empty; put a switch there, or use the embedded "
                    "switch"
                )
    return None


def compile_command(source: Path, folder: Path, p4info: Path) -> list[str]:
    """p4c on a program; the output in `folder` is named after the source."""
    return [
        "p4c", "--target", "bmv2", "--arch", "v1model", "--std", "p4-16", "-I", str(source.parent),
        "--p4runtime-files", str(p4info), "-o", str(folder), str(source),
    ]  # fmt: skip


def switch_command(number: int, ports: Sequence[tuple[int, str]]) -> list[str]:
    """`simple_switch_grpc` as switch number k. Its target's own options stand after `--`."""
    attached = [argument for port, name in ports for argument in ("-i", f"{port}@{name}")]
    return [
        "simple_switch_grpc", *attached, "--no-p4", "--device-id", str(number),
        "--thrift-port", str(thrift_port(number)), "--log-console", "-L", "warn",
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


def configure(number: int, ports: Sequence[PortLink], packet_bytes: int, commands: Commands) -> None:
    """Gives the queues of a switch their sizes; and those towards other switches their rates.

    A host's link is slower than its port anyway: there netem makes the rate. The switch must have a program.
    Raises LabError.
    """
    text = ""
    for of in ports:
        pps = None if of.to_host else packets_per_second(of.settings.rate_bps or 0, packet_bytes)
        text += queue_commands(of.port, of.settings.limit_packets or 0, pps)
    command = ["simple_switch_CLI", "--thrift-port", str(thrift_port(number))]
    said = commands.run(command, text)
    if _is_complaint(said):
        raise LabError(f"simple_switch_CLI: {said.strip()}")
