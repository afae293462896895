# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn-host status | head -1`: it ends quietly when nobody reads on."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from .peer import up


def into_closed_pipe(program: str, *arguments: str) -> None:
    """By SIGPIPE, as other commands do, and without a word."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [program, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")


@pytest.mark.parametrize("command", [["probe"], ["completions", "bash"], ["help", "up"]])
def test_what_needs_nothing(program: str, command: list[str]) -> None:
    """Commands that print without anything being up."""
    into_closed_pipe(program, *command)


@pytest.mark.usefixtures("tun")
@pytest.mark.parametrize("options", [[], ["--json"], ["--prometheus"]])
def test_status(program: str, options: list[str]) -> None:
    """Of a namespace that is up, and stays so."""
    up(program)
    into_closed_pipe(program, "status", *options)
    subprocess.run([program, "status"], check=True, capture_output=True)
