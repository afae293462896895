# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Tables that commands put into documents, between `<!-- NAME: begin -->` and `<!-- NAME: end -->`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mecn_controller.durable import write_durably

from .errors import ExperimentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def put(document: Path, name: str, text: str) -> None:
    """Replaces what stands between the marks of that name; raises :class:`ExperimentError` without them."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = document.read_text(encoding="utf-8").partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        raise ExperimentError(f"{document}: {begin} and {end} are not there")
    write_durably(document, f"{before}{begin}\n{text}\n{end}{after}")


def table_command(description: str | None, document: Path, name: str, table: Callable[[], str]) -> int:
    """A command that prints a table, and with `--write` puts it into the document."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--write", action="store_true", help=f"put the table into {document.name}")
    arguments = parser.parse_args()
    text = table()
    print(text)
    if arguments.write:
        put(document, name, text)
    return 0
