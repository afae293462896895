# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import ExperimentError

if TYPE_CHECKING:
    from collections.abc import Iterator


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

    Each file is replaced in one step, so a reader sees an old or a new file and never a part of one.
    """
    staging = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=directory))
    try:
        yield staging
        for path in sorted(staging.iterdir()):
            path.replace(directory / path.name)
    except OSError as error:
        raise ExperimentError(f"{directory}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)
