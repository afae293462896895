# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""BMv2: what it needs, how its switch is started, and its queues, which only its own command line can set."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from .kernel import LabError
from .switches import grpc_address, thrift_port

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .kernel import Commands
    from .switches import PortLink

TOOLS = {
    "p4c": "the P4 compiler",
    "simple_switch_grpc": "the reference switch behind P4Runtime",
    "simple_switch_CLI": "its command line, for queue settings",
}
SOURCE = (
    "They come from p4lang, as packages p4lang-p4c and p4lang-bmv2 or built from source: see "
    "https://github.com/p4lang/p4c#readme and https://github.com/p4lang/behavioral-model#readme. "
    "BMv2 must be 1.15.1 or newer: before it, queue settings were wrong."
)


def missing() -> str | None:
    """What is not on PATH, and how to get it; None if nothing is missing."""
    found = [f"{tool} ({what})" for tool, what in TOOLS.items() if shutil.which(tool) is None]
    return f"not on PATH: {', '.join(found)}. {SOURCE}" if found else None


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


def run_cli(number: int, text: str) -> str:
    """simple_switch_CLI on switch number k. It says in words what went wrong, and ends with 0."""
    return check(
        subprocess.run(  # noqa: S603
            ["simple_switch_CLI", "--thrift-port", str(thrift_port(number))],  # noqa: S607
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
    )


def check(done: subprocess.CompletedProcess[str]) -> str:
    """The output of simple_switch_CLI; raises LabError if it reports an error."""
    if done.returncode != 0 or "Error" in done.stdout or "Invalid" in done.stdout:
        raise LabError(f"simple_switch_CLI: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def configure(number: int, ports: Sequence[PortLink], packet_bytes: int, commands: Commands) -> None:
    """Gives the queues of a switch their sizes; and those towards other switches their rates.

    A host's link is slower than its port anyway: there netem makes the rate. Raises LabError.
    """
    text = ""
    for of in ports:
        pps = None if of.to_host else packets_per_second(of.settings.rate_bps or 0, packet_bytes)
        text += queue_commands(of.port, of.settings.limit_packets or 0, pps)
    command = ["simple_switch_CLI", "--thrift-port", str(thrift_port(number))]
    said = commands.run(command, text)
    if "Error" in said or "Invalid" in said:
        raise LabError(f"simple_switch_CLI: {said.strip()}")
