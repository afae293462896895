# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`make bmv2`: compile with p4c, run the packet tests and a lab on simple_switch_grpc.

Exit status: 0 if all passed, 1 if something failed, 2 if p4lang's tools are missing, too old or do not run;
the reason is printed. Without root the packet tests and the lab are skipped, which is said.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from mecn_topo.lab import bmv2, bmv2_tools
from mecn_topo.lab.kernel import obstacle

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "p4src" / "mecn_v1model.p4"
CANNOT_RUN = 2


def run(title: str, command: list[str]) -> int:
    """Run one step and say so."""
    print(f"--- {title}: {' '.join(command)}", flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603


def main() -> int:
    """Run the steps that this machine can."""
    if (missing := bmv2_tools.missing()) is not None:
        print(f"make bmv2: cannot run: {missing}", file=sys.stderr)
        return CANNOT_RUN
    print(f"make bmv2: {bmv2_tools.versions()}", flush=True)
    with tempfile.TemporaryDirectory() as work:
        p4info = Path(work) / "mecn.p4info.txtpb"
        if run("compile", bmv2.compile_command(SOURCE, Path(work), p4info)) != 0:
            return 1
    failed = 0
    if (reason := obstacle()) is not None:
        print(f"--- packet tests and lab: skipped: {reason}")
        return 0
    failed += run("packet tests", [sys.executable, "ptf-tests/run.py", "--target", "bmv2"]) != 0
    command = [str(Path(sys.executable).parent / "mecn"), "lab", "run", "003", "--target", "bmv2"]
    failed += run("lab", [*command, *sys.argv[1:]]) != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
