# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Installs wheels into an empty environment and uses what is there: python packaging/try_wheels.py [WHEELS].

Without WHEELS `make wheel` builds them first, which takes minutes; what they need comes from PyPI. Runs
`mecn demo` until its page tells of marks, `mecn simulate`, and `mecn experiment run 003`, away from the
checkout; the systemd units and manual pages are looked at where their tools are. Exit status 1 if one fails.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATIENCE_S = 120.0
SIMULATE = ("simulate", "003", "--duration", "5", "--seeds", "1", "--json")
EXPERIMENT = ("experiment", "run", "003", "--duration", "2", "--seeds", "1", "--sources", "2,5")


def run(*command: str | Path, where: Path) -> str:
    """A command to its end, as a user without the checkout would run it; what it prints."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")
    }
    done = subprocess.run(  # noqa: S603
        list(map(str, command)), cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"try_wheels.py: {' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def demo(mecn: Path, where: Path) -> int:
    """The marks that the demonstration's page tells of, some at least."""
    command = [str(mecn), "demo", "--no-open", "--web-port", "0", "--speed", "10x"]
    with subprocess.Popen(command, cwd=where, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        try:
            url = process.stdout.readline().split()[0]
            deadline = time.monotonic() + PATIENCE_S
            while time.monotonic() < deadline:
                with urllib.request.urlopen(f"{url}api/snapshot", timeout=PATIENCE_S) as answer:  # noqa: S310
                    ports = json.load(answer)["ports"]
                marks = sum(port["totals"].get(level, 0) for port in ports for level in ("incipient", "ce"))
                if marks > 50:
                    return int(marks)
                time.sleep(0.5)
        finally:
            process.send_signal(signal.SIGINT)
    sys.exit("try_wheels.py: the demonstration shows no marks")


def look(prefix: Path, where: Path) -> list[str]:
    """Units and pages, by their own tools; what was looked at."""
    seen = []
    units = sorted((prefix / "lib/systemd/system").glob("mecn-*.service"))
    if shutil.which("systemd-analyze"):
        # mecn-host is there only where it was built.
        run("systemd-analyze", "verify", *(unit for unit in units if "host" not in unit.name), where=where)
        seen.append(f"{len(units) - 1} units")
    pages = sorted((prefix / "share/man/man1").glob("*.1"))
    if shutil.which("man"):
        for page in pages:
            if "DESCRIPTION" not in run("man", "-l", page, where=where):
                sys.exit(f"try_wheels.py: {page.name} is empty")
        seen.append(f"{len(pages)} manual pages")
    completions = [*prefix.glob("share/bash-completion/completions/mecn"), *prefix.glob("share/*/*/_mecn")]
    if not all("_MECN_COMPLETE" in path.read_text() for path in completions):
        sys.exit("try_wheels.py: completions are empty")
    return [*seen, f"{len(completions)} completions"]


def main(wheels: Path) -> None:
    """Installs, runs, looks."""
    with tempfile.TemporaryDirectory(prefix="mecn-installed-") as work:
        prefix, away = Path(work, "prefix"), Path(work, "away")
        away.mkdir()
        run(sys.executable, HERE / "install.py", prefix, wheels.resolve(), where=away)
        mecn = prefix / "bin" / "mecn"
        marks = demo(mecn, away)
        used = json.loads(run(mecn, *SIMULATE, where=away))["measures"]["link_efficiency"]["mean"]
        run(mecn, *EXPERIMENT, where=away)
        if not (away / "results/003/index.html").exists():
            sys.exit("try_wheels.py: the experiment has left no page")
        seen = look(prefix, away)
    print(f"demo: {marks} marks; simulate: {100 * used:.0f} % of the link; 003: a page; {', '.join(seen)}")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    if len(sys.argv) == 1:
        subprocess.run(["make", "wheel"], cwd=HERE.parent, check=True)  # noqa: S607
    main(Path(sys.argv[1]) if len(sys.argv) == 2 else HERE.parent / "dist")
