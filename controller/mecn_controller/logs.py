# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Structured logs: one JSON object per line on stdout, those of libraries included; on a terminal, words.

Every object has `time` (Unix seconds) and `event`. Secrets are not passed here; as a second line of defence
`conceal` names values that are replaced wherever they would appear.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import queue
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TextIO

CONCEALED = "[concealed]"


WAITING = 1000
"""Lines that wait for a reader that stalls; what comes then is lost."""


@dataclass
class JsonLog:
    """Writes events; `logging` records too, once `install` was called.

    A thread does the writing: a log that cannot be written (a full disk, a reader that stalls or has gone)
    ends and delays nobody's work.
    """

    stream: TextIO = field(default_factory=lambda: sys.stdout)
    lost: int = 0
    """Lines that could not be written since the last that could."""
    _secrets: list[str] = field(default_factory=list)
    _waiting: queue.Queue[str | threading.Event] = field(default_factory=lambda: queue.Queue(WAITING))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _writer: threading.Thread | None = None

    def conceal(self, secret: str) -> None:
        """Never let this text appear."""
        if secret:
            self._secrets += [secret, json.dumps(secret)[1:-1]]

    def __call__(self, event: str, **fields: object) -> None:
        """Write one event."""
        if not self.stream.closed and self.stream.isatty():
            said = " ".join(str(value) for value in fields.values() if value)
            line = f"{time.strftime('%H:%M:%S')}  {event:<10} {said}".rstrip()
        else:
            line = json.dumps({"time": time.time(), "event": event, **fields}, default=str)
        for secret in self._secrets:
            line = line.replace(secret, CONCEALED)
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_all, name="log", daemon=True)
            self._writer.start()
        try:
            self._waiting.put_nowait(line + "\n")
        except queue.Full:
            self._lose()

    def flush(self, timeout_s: float = 1.0) -> None:
        """Wait until what was logged is written, so long at most."""
        written = threading.Event()
        with contextlib.suppress(queue.Full):
            self._waiting.put(written, timeout=timeout_s)
            written.wait(timeout_s)

    def _write_all(self) -> None:
        while True:
            line = self._waiting.get()
            if isinstance(line, threading.Event):
                line.set()
                continue
            lost = self.lost
            if lost:
                notice = {"time": time.time(), "event": "log lines lost", "lines": lost}
                line = json.dumps(notice) + "\n" + line
            try:
                _write(self.stream, line)
            except (OSError, ValueError):
                self._lose()
            else:
                with self._lock:
                    self.lost -= lost

    def _lose(self) -> None:
        with self._lock:
            self.lost += 1

    def install(self, level: int = logging.WARNING) -> None:
        """Take what libraries log from `level` on."""
        root = logging.getLogger()
        root.handlers = [_Handler(self)]
        root.setLevel(level)


def _write(stream: TextIO, text: str) -> None:
    """All of it. Files are written past Python's buffer, whose lock a stalled thread would hold at exit."""
    try:
        descriptor = stream.fileno()
    except io.UnsupportedOperation:
        stream.write(text)
        return
    rest = text.encode()
    while rest:
        rest = rest[os.write(descriptor, rest) :]


class _Handler(logging.Handler):
    def __init__(self, log: JsonLog) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        fields: dict[str, object] = {
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            fields["exception"] = logging.Formatter().formatException(record.exc_info)
        self._log("log", **fields)
