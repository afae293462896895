# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Files that are whole or not there, whenever the process is killed or the power goes."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def sync(path: Path) -> None:
    """Wait until a file's contents, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def put_in_place(new: Path, path: Path) -> None:
    """Give a complete file its name, in place of one that had it; OSError leaves that as it was.

    The contents reach the disk before the name does: else a file may be empty after a power cut.
    """
    sync(new)
    new.replace(path)
    sync(path.parent)


def write_durably(path: Path, text: str) -> None:
    """Put `text` in place of a file's contents, all or nothing; OSError leaves the file as it was.

    The file keeps its permissions; a new one has those of any new file.
    """
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        new = Path(folder) / path.name
        new.write_text(text, encoding="utf-8", newline="\n")
        with contextlib.suppress(FileNotFoundError):
            new.chmod(path.stat().st_mode & 0o7777)
        put_in_place(new, path)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep a folder locked (flock) against others who ask for the same; BlockingIOError if one has it.

    The lock goes with the process, however that ends.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
