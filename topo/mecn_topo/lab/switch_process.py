# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A switch in a process of its own, on TCP ports of its own: for tests and measurements beside others.

The lab gives its switches fixed ports, because each lab has the machine to itself.
"""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from . import bmv2
from .kernel import LabError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

START_S = 60.0
"""How long a switch may take until it answers; on a busy machine a second or two."""
LAST_LINES = 15


class SwitchDiedError(LabError):
    """A switch ended by itself; with its last log lines."""


def free_port() -> int:
    """A TCP port on loopback where nobody listens.

    Outside the range from which Linux takes ports for connections: nobody gets it by chance meanwhile.
    """
    while True:
        port = random.randrange(10_000, 32_000)  # noqa: S311
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


class SwitchProcess:
    """A switch without a program that serves P4Runtime on loopback as device 1, while `with` lasts."""

    def __init__(self, command: Sequence[str]) -> None:
        """`command`: without the options that say where it listens and which device it is."""
        self._folder = Path(tempfile.mkdtemp(prefix="mecn-switch-"))
        self._command = list(command)
        self._port = free_port()
        self.address = f"127.0.0.1:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Of the process, which must have been started."""
        assert self._process is not None
        return self._process.pid

    def threads(self) -> list[int]:
        """Ids of its threads."""
        return [int(folder.name) for folder in Path(f"/proc/{self.pid}/task").iterdir()]

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            # What the switch says last explains what failed without it.
            self.check()
        finally:
            self.stop()

    def start(self) -> Self:
        """Start it, and wait until it answers. Raises LabError."""
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603
                self._command, cwd=self._folder, stdout=log, stderr=subprocess.STDOUT
            )
        try:
            self._wait_for(self._port)
        except BaseException:
            self.stop()
            raise
        return self

    def _wait_for(self, port: int) -> None:
        deadline = time.monotonic() + START_S
        while not _listens(port):
            self.check()
            if time.monotonic() > deadline:
                raise LabError(f"{self._command[0]} does not answer on port {port}:\n{self.last_lines()}")
            time.sleep(0.02)

    def stop(self) -> None:
        """End it, and remove its log."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def check(self) -> None:
        """Raises SwitchDiedError if it has ended by itself, but for a regular end."""
        assert self._process is not None
        status = self._process.poll()
        if status:
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise SwitchDiedError(f"{self._command[0]} ended with {how}; its log:\n{self.last_lines()}")

    def last_lines(self) -> str:
        """The end of its log."""
        lines = (self._folder / "log").read_text(errors="replace").splitlines()
        return "\n".join(lines[-LAST_LINES:]) or "(empty)"


def _attached(ports: Sequence[tuple[int, str]]) -> list[str]:
    return [argument for number, name in ports for argument in ("-i", f"{number}@{name}")]


class EmbeddedProcess(SwitchProcess):
    """`mecn-switch`."""

    def __init__(self, ports: Sequence[tuple[int, str]] = (), options: Sequence[str] = ()) -> None:
        command = [sys.executable, "-m", "mecn_switch.cli", *_attached(ports), "--no-p4", "--device-id", "1"]
        super().__init__([*command, "--log-level", "warn", *options])
        self._command += ["--grpc-server-addr", self.address]
        if "--use-files" not in options:
            self._command += ["--ctl-socket", str(self.control_socket)]

    @property
    def control_socket(self) -> Path:
        """Where `mecn-switch ctl` finds it."""
        return self._folder / "ctl"


class Bmv2Process(SwitchProcess):
    """`simple_switch_grpc`. The options of its target stand after `--`."""

    def __init__(
        self,
        ports: Sequence[tuple[int, str]] = (),
        options: Sequence[str] = (),
        target_options: Sequence[str] = (),
    ) -> None:
        command = ["simple_switch_grpc", *_attached(ports), "--no-p4", "--device-id", "1", *options]
        super().__init__(command)
        self._thrift_port = free_port()
        # Two switches with one device id would share a socket for notifications in /tmp.
        self._command += ["--notifications-addr", f"ipc://{self._folder}/notifications.ipc"]
        self._command += ["--thrift-port", str(self._thrift_port), "--log-console", "-L", "warn"]
        self._command += ["--", "--grpc-server-addr", self.address, *target_options]

    def cli(self, text: str) -> str:
        """What simple_switch_CLI says to these commands. The switch must have a program."""
        self._wait_for(self._thrift_port)
        command = ["simple_switch_CLI", "--thrift-port", str(self._thrift_port)]
        done = subprocess.run(  # noqa: S603
            command, input=text, capture_output=True, text=True, check=False, timeout=60
        )
        return bmv2.check(done)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
