# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Installs mecn for all users: python packaging/install.py PREFIX [WHEELS].

PREFIX/lib/mecn is a virtual environment with the wheels (default: dist) and what they need; PREFIX/bin has
links to its commands, PREFIX/share manual pages and shell completions, PREFIX/lib/systemd/system the units.
The same again is an update. To remove it, remove these.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMANDS = ("mecn", "mecn-switch", "mecn-p4c")


def install(prefix: Path, wheels: Path) -> None:
    """Environment, links, pages, units."""
    found = sorted(wheels.glob("mecn*.whl"))
    if len(found) < 2:
        sys.exit(f"install.py: {wheels} has not both wheels, mecn and mecn-native: make wheel builds them")
    home = prefix / "lib" / "mecn"
    venv.create(home, with_pip=True, clear=True)
    python = home / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *map(str, found)], check=True)  # noqa: S603
    (prefix / "bin").mkdir(parents=True, exist_ok=True)
    host = HERE.parent / ".venv" / "bin" / "mecn-host"
    if host.is_file():
        (home / "bin" / "mecn-host").write_bytes(host.read_bytes())
        (home / "bin" / "mecn-host").chmod(0o755)
    for name in (*COMMANDS, *(["mecn-host"] if host.is_file() else [])):
        link = prefix / "bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to(home / "bin" / name)
    subprocess.run([str(python), str(HERE / "manual.py"), str(prefix / "share")], check=True)  # noqa: S603
    units = prefix / "lib" / "systemd" / "system"
    units.mkdir(parents=True, exist_ok=True)
    for unit in (HERE / "systemd").glob("*.service"):
        (units / unit.name).write_text(unit.read_text().replace("@BIN@", str(prefix / "bin")))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    install(Path(sys.argv[1]).resolve(), Path(sys.argv[2] if len(sys.argv) == 3 else "dist"))
