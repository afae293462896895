# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The programs that run the tests' P4 program, and how they are started."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mecn_topo.lab import bmv2
from mecn_topo.lab.switches import grpc_address, thrift_port

from mecn_ptf.frames import CPU_PORT

SOURCE = Path(__file__).resolve().parents[2] / "p4src" / "mecn_v1model.p4"
PIPELINE, P4INFO = "mecn.json", "mecn.p4info.txtpb"

DEVICE_ID = 1
ADDRESS = grpc_address(DEVICE_ID)
"""In the namespace of the run nobody else listens."""


def addresses(kind: str) -> list[str]:
    """Where a target serves: BMv2 also Thrift, by which its queues are set, a moment after P4Runtime."""
    return [ADDRESS, f"127.0.0.1:{thrift_port(DEVICE_ID)}"] if kind == "bmv2" else [ADDRESS]


def installed(command: str) -> str:
    """A command of the environment that this runs in."""
    return str(Path(sys.executable).parent / command)


def embedded_compiler(folder: Path) -> list[str]:
    """Command that compiles the program with the project's own front end."""
    return [
        installed("mecn-p4c"), "-I", str(SOURCE.parent), str(SOURCE),
        "-o", str(folder / PIPELINE), "--p4runtime-files", str(folder / P4INFO),
    ]  # fmt: skip


def p4c_compiler(folder: Path) -> list[str]:
    """Command that compiles the program with p4c; it names the output after the source."""
    return bmv2.compile_command(SOURCE, folder, folder / P4INFO)


def compile_program(command: Sequence[str], folder: Path) -> str | None:
    """Compiles into `folder`; returns what the compiler said if it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr or done.stdout or f"exit status {done.returncode}"
    named_after_source = folder / f"{SOURCE.stem}.json"
    if named_after_source.exists():
        named_after_source.rename(folder / PIPELINE)
    return None


def mecn_switch(interfaces: Sequence[tuple[int, str]], ctl_socket: Path) -> list[str]:
    """Command that starts the embedded switch without a program."""
    attached = [argument for port, name in interfaces for argument in ("-i", f"{port}@{name}")]
    return [
        installed("mecn-switch"), *attached, "--no-p4", "--device-id", str(DEVICE_ID),
        "--grpc-server-addr", ADDRESS, "--cpu-port", str(CPU_PORT), "--ctl-socket", str(ctl_socket),
    ]  # fmt: skip


def simple_switch_grpc(interfaces: Sequence[tuple[int, str]]) -> list[str]:
    """Command that starts BMv2 without a program."""
    return [*bmv2.switch_command(DEVICE_ID, interfaces), "--cpu-port", str(CPU_PORT)]
