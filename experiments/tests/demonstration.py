# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn demo` as a process, and what tests ask a live page."""

import json
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lab_process import MAIN

PATIENCE_S = 90


@contextmanager
def demonstration(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The page of a running demonstration; Ctrl-C ends it with status 0."""
    command = [*MAIN, "demo", "--web-port", "0", "--no-open", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("http://127.0.0.1:"), line
            yield line.split()[0], process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                status = process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        assert status == 0


def ask(url: str, data: object = None) -> Any:  # noqa: ANN401
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return json.load(answer)


def port_when(url: str, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        ports = ask(f"{url}api/snapshot")["ports"]
        if ports and condition(ports[0]):
            return dict(ports[0])
        time.sleep(0.2)
    raise AssertionError("it did not come about")
