# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The files of one run of a scenario, in real or in virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..files import staged
from .figures import draw
from .results import write

if TYPE_CHECKING:
    from pathlib import Path

    from .results import Recorded


def write_run(measured: Recorded, folder: Path, about: dict[str, Any]) -> None:
    """Writes Parquet files, summary and pictures. about: what made the run."""
    write(measured, folder, about)
    with staged(folder) as staging:
        for drawing in draw(measured):
            (staging / f"{drawing.key}.svg").write_text(drawing.svg, encoding="utf-8", newline="\n")
