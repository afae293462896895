# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mecn_controller.durable import alone, put_in_place

from .errors import ExperimentError

if TYPE_CHECKING:
    from collections.abc import Iterator

STAGING = ".unfinished-"
LEFT_OVER_S = 60
"""A staging folder that nobody has locked and that is older was left by a process that was killed."""


def writable_directory(path: Path) -> Path:
    """Makes the directory if need be and makes sure that files can be created in it, before any work is
    done."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise ExperimentError(f"{path}: cannot be written: {error.strerror or error}") from None
    return path


@contextmanager
def staged(directory: Path) -> Iterator[Path]:
    """A hidden directory beside the final files; on success its files move into place, on any failure they
    vanish.

    Each file is replaced in one step, so a reader sees an old or a new file and never a part of one. What
    processes left that were killed is removed.
    """
    _remove_leftovers(directory)
    staging = Path(tempfile.mkdtemp(prefix=STAGING, dir=directory))
    try:
        with alone(staging):
            yield staging
            for path in sorted(staging.iterdir()):
                put_in_place(path, directory / path.name)
    except OSError as error:
        raise ExperimentError(f"{directory}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _remove_leftovers(directory: Path) -> None:
    for left in directory.glob(f"{STAGING}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > LEFT_OVER_S:
                with alone(left):
                    shutil.rmtree(left, ignore_errors=True)


@contextmanager
def only_writer(directory: Path) -> Iterator[None]:
    """Refuses a second run that would write the same files: the later one would drop the other's rows."""
    try:
        with alone(writable_directory(directory)):
            yield
    except BlockingIOError:
        raise ExperimentError(f"{directory}: another run writes here; wait for its end, or give -o") from None
