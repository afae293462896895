# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Structured logs: one JSON object per line on stdout, those of libraries included; on a terminal, words.

Every object has `time` (Unix seconds) and `event`. Secrets are not passed here; as a second line of defence
`conceal` names values that are replaced wherever they would appear.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from dataclasses import dataclass, field
from typing import TextIO

CONCEALED = "[concealed]"


@dataclass
class JsonLog:
    """Writes events; `logging` records too, once `install` was called."""

    stream: TextIO = field(default_factory=lambda: sys.stdout)
    lost: int = 0
    """Lines in a row that could not be written."""
    _secrets: list[str] = field(default_factory=list)

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
        # A log that cannot be written (a full disk, a reader that has gone) ends nobody's work.
        try:
            if self.lost:
                lost = {"time": time.time(), "event": "log lines lost", "lines": self.lost}
                self.stream.write(json.dumps(lost) + "\n")
            self.stream.write(line + "\n")
            self.stream.flush()
        except (OSError, ValueError):
            self.lost += 1
        else:
            self.lost = 0

    def install(self, level: int = logging.WARNING) -> None:
        """Take what libraries log from `level` on."""
        root = logging.getLogger()
        root.handlers = [_Handler(self)]
        root.setLevel(level)


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
