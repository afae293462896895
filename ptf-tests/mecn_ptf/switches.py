# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The programs that run the tests' P4 program, and how they are started."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "p4src" / "mecn_v1model.p4"
PIPELINE, P4INFO = "mecn.json", "mecn.p4info.txtpb"

DEVICE_ID = 1
ADDRESS = "127.0.0.1:9559"
THRIFT_PORT = 9090
"""In the namespace of the run nobody else listens."""

BMV2_TOOLS = {
    "p4c": "the P4 compiler",
    "simple_switch_grpc": "the reference switch behind P4Runtime",
    "simple_switch_CLI": "its command line, for queue settings",
}
BMV2_SOURCE = (
    "They come from p4lang, as packages p4lang-p4c and p4lang-bmv2 or built from source: see "
    "https://github.com/p4lang/p4c#readme and https://github.com/p4lang/behavioral-model#readme. "
    "BMv2 must be 1.15.1 or newer: before it, queue settings were wrong."
)


def installed(command: str) -> str:
    """A command of the environment that this runs in."""
    return str(Path(sys.executable).parent / command)


def missing_for_bmv2() -> str | None:
    """What is not on PATH, and how to get it; None if nothing is missing."""
    missing = [f"{tool} ({what})" for tool, what in BMV2_TOOLS.items() if shutil.which(tool) is None]
    return f"not on PATH: {', '.join(missing)}. {BMV2_SOURCE}" if missing else None


def embedded_compiler(folder: Path) -> list[str]:
    """Command that compiles the program with the project's own front end."""
    return [
        installed("mecn-p4c"), "-I", str(SOURCE.parent), str(SOURCE),
        "-o", str(folder / PIPELINE), "--p4runtime-files", str(folder / P4INFO),
    ]  # fmt: skip


def p4c_compiler(folder: Path) -> list[str]:
    """Command that compiles the program with p4c; it names the output after the source, in `-o`."""
    return [
        "p4c", "--target", "bmv2", "--arch", "v1model", "--std", "p4-16", "-I", str(SOURCE.parent),
        "--p4runtime-files", str(folder / P4INFO), "-o", str(folder), str(SOURCE),
    ]  # fmt: skip


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
        "--grpc-server-addr", ADDRESS, "--ctl-socket", str(ctl_socket),
    ]  # fmt: skip


def simple_switch_grpc(interfaces: Sequence[tuple[int, str]]) -> list[str]:
    """Command that starts BMv2 without a program. Its target's own options stand after `--`."""
    attached = [argument for port, name in interfaces for argument in ("-i", f"{port}@{name}")]
    return [
        "simple_switch_grpc", *attached, "--no-p4", "--device-id", str(DEVICE_ID),
        "--thrift-port", str(THRIFT_PORT), "--log-console", "-L", "warn",
        "--", "--grpc-server-addr", ADDRESS,
    ]  # fmt: skip
