# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`make tofino`: compile for Tofino 1 and 2 with p4c's back end, and print stages and resources.

    make tofino [ARGS=FOLDER]        default: build/tofino, build/tofino2

Exit status: 0 if both fit, 1 if one does not, 2 if there is no p4c with that back end; the reason is printed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "p4src" / "mecn_tna.p4"
CANNOT_RUN = 2
TARGETS = {"tofino": "tna", "tofino2": "t2na"}
SUMMARY, RESOURCES = "table_summary.log", "mau.resources.log"
HOW = (
    "It is built from https://github.com/p4lang/p4c with cmake's option -DENABLE_TOFINO=ON; "
    "p4lang's packages are built without it."
)


def missing() -> str | None:
    """Why nothing can be compiled here; None if it can."""
    if shutil.which("p4c") is None:
        return f"p4c is not on PATH. {HOW}"
    done = subprocess.run(["p4c", "--target-help"], capture_output=True, text=True, check=False)  # noqa: S607
    if "tofino" not in done.stdout + done.stderr:
        return f"the p4c on PATH has no back end for Tofino. {HOW}"
    return None


def command(target: str, folder: Path) -> list[str]:
    """The compiler on one generation. It writes its logs if it is verbose."""
    return [
        "p4c", "--target", target, "--arch", TARGETS[target], "--std", "p4-16", "-I", str(SOURCE.parent),
        "--verbose", "1", "-o", str(folder), str(SOURCE),
    ]  # fmt: skip


def stages(text: str) -> list[str]:
    """The lines about stages at the head of the summary of tables; the last allocation counts."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.strip().partition(":")
        if colon and name.startswith(("Number of stages", "Critical path", "Number of tables")):
            found[name] = f"{name}:{value}"
    return list(found.values())


def report(folder: Path) -> list[str]:
    """What the compiler has left about stages and resources, as lines."""
    lines = []
    for path in sorted(folder.rglob(SUMMARY)):
        lines += stages(path.read_text(errors="replace"))
    for path in sorted(folder.rglob(RESOURCES)):
        lines += path.read_text(errors="replace").splitlines()
    return lines or [f"the compiler has left neither {SUMMARY} nor {RESOURCES} below {folder}"]


def main() -> int:
    """Compile for both generations."""
    if (reason := missing()) is not None:
        print(f"make tofino: cannot run: {reason}", file=sys.stderr)
        return CANNOT_RUN
    failed = False
    for target in TARGETS:
        folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build") / target
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        print(f"--- {' '.join(command(target, folder))}", flush=True)
        done = subprocess.run(command(target, folder), check=False)  # noqa: S603
        print("\n".join(report(folder)))
        print(f"--- {target}: {'compiled' if done.returncode == 0 else f'status {done.returncode}'}")
        failed |= done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
