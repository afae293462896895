# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The MECN program compiled to files, for tests that start `mecn-switch` as a process."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mecn_controller import Route, parse_profile
from mecn_controller.runtime.session import apply_sync
from mecn_native import compile_p4

SOURCE = Path(__file__).resolve().parents[3] / "p4src" / "mecn_v1model.p4"


@dataclass(frozen=True)
class ProgramFiles:
    """BMv2 JSON and P4Info."""

    pipeline: Path
    p4info: Path

    @property
    def arguments(self) -> tuple[str, ...]:
        return str(self.pipeline), "--p4info", str(self.p4info)


def compile_to(folder: Path) -> ProgramFiles:
    program = compile_p4(SOURCE, [SOURCE.parent])
    files = ProgramFiles(folder / "mecn.json", folder / "mecn.p4info.txtpb")
    files.pipeline.write_text(program.bmv2_json)
    files.p4info.write_text(program.p4info)
    return files


@contextmanager
def switch_process(*arguments: str, user: int | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`mecn-switch` and the address that it says it listens on."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "mecn_switch.cli",
            "--device-id",
            "1",
            "--grpc-server-addr",
            "127.0.0.1:0",
            *arguments,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        user=user,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "P4Runtime on " in line, process.communicate()
        yield process, line.rpartition(" ")[2].strip()
    finally:
        process.kill()
        process.communicate()


def push(address: str, routes: Sequence[Route], profile: Mapping[str, object] | None, port: int = 2) -> None:
    """Routes, and a profile for a port."""
    profiles = [] if profile is None else [(parse_profile({"name": "test", **profile}), port)]
    apply_sync(profiles, address=address, routes=routes)
