# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Logs of the command: lines for people or JSON lines, levels named as simple_switch names them."""

import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path

TRACE = 5
"""Below DEBUG: what becomes of each packet."""

LEVELS = {
    "trace": TRACE,
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "off": logging.CRITICAL + 1,
}

_NAMES = {number: name for name, number in LEVELS.items()}


def _fields(record: logging.LogRecord) -> dict[str, object]:
    fields = getattr(record, "fields", {})
    return {key: value for key, value in fields.items() if value is not None}


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S.%f")
        level = _NAMES.get(record.levelno, "info")[0].upper()
        packet = _fields(record).get("packet")
        where = "" if packet is None else f" [{packet}]"
        return f"[{time}] [{level}]{where} {record.getMessage()}"


class _JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds"),
            "level": _NAMES.get(record.levelno, "info"),
            "message": record.getMessage(),
            **_fields(record),
        }
        return json.dumps(line)


def configure(level: str, file: Path | None, *, json_lines: bool) -> logging.Handler:
    """Sends the logs of this package to a file or, without one, to stderr. Raises OSError.

    Close and remove the result when the command ends.
    """
    handler: logging.Handler = (
        logging.StreamHandler(sys.stderr)
        if file is None
        else logging.FileHandler(file, mode="w", encoding="utf-8")
    )
    handler.setFormatter(_JsonLines() if json_lines else _Text())
    logger = logging.getLogger("mecn_switch")
    logger.setLevel(LEVELS[level])
    logger.addHandler(handler)
    logger.propagate = False
    return handler


def release(handler: logging.Handler) -> None:
    """Undoes `configure`."""
    logger = logging.getLogger("mecn_switch")
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)
    logger.propagate = True
    handler.close()
