# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""simple_switch_CLI, kept open: it takes a second to start, and below a millisecond for a command."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time
from typing import Self

from .kernel import LabError

PROMPT = b"RuntimeCmd: "
ANSWER_S = 120.0
"""How long an answer may take. On a machine with fifty busy processes the first one takes more than 30 s."""
COMPLAINT = re.compile(r"^(Error|Invalid|Could not connect|Traceback|\*\*\* )", re.MULTILINE)


class ComplaintError(LabError):
    """It takes no such command, or the switch refuses it."""


class CommandLine:
    """Commands to the switch behind a Thrift port, one after the other. It knows the registers of the program
    that the switch has now. Raises LabError; ComplaintError where it can go on."""

    def __init__(self, thrift_port: int) -> None:
        command = ["simple_switch_CLI", "--thrift-port", str(thrift_port)]
        try:
            self._process = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                # Ctrl-C is for the process that asks.
                start_new_session=True,
            )
        except OSError as error:
            raise LabError(f"simple_switch_CLI: {error}") from None
        try:
            self._answer()
        except LabError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, command: str) -> str:
        """Runs a command; what it printed."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command.encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise LabError(f"simple_switch_CLI has ended: {error.strerror}") from None
        answer = self._answer()
        if COMPLAINT.search(answer):
            raise ComplaintError(f"simple_switch_CLI: {command}: {answer.strip()}")
        return answer

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        output, data, deadline = self._process.stdout.fileno(), b"", time.monotonic() + ANSWER_S
        while not data.endswith(PROMPT):
            ready, _, _ = select.select([output], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise LabError(f"simple_switch_CLI does not answer within {ANSWER_S:g} s")
            piece = os.read(output, 1 << 16)
            if not piece:
                raise LabError(f"simple_switch_CLI has ended: {data.decode(errors='replace').strip()}")
            data += piece
        return data.removesuffix(PROMPT).decode(errors="replace")
