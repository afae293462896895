# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn` in a process of its own, for tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
"""Of the controller."""


def mecn(*args: str | Path) -> subprocess.CompletedProcess[str]:
    """The command, to its end."""
    path = os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-m", "mecn_controller", *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )
