# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Build `mecn-host` and test it on the running kernel; exit status 2, with the reason, where it cannot."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

CARGO = shutil.which("cargo") or "cargo"
HOST = Path(__file__).resolve().parent.parent / "hosts" / "bpf"
CANNOT_RUN = 2


def obstacle() -> str | None:
    """What keeps the tests from running here."""
    missing = [tool for tool in ("clang", "bpftool", "ip") if not shutil.which(tool)]
    if missing:
        return f"not on PATH: {', '.join(missing)}"
    if os.geteuid() != 0:
        return "needs root"
    if not Path("/sys/kernel/btf/vmlinux").exists():
        return "the kernel has no BTF"
    return None


def main() -> int:
    """Run cargo's tests, then those on the kernel."""
    if reason := obstacle():
        print(f"mecn-host: cannot run: {reason}")
        print("=== 1 skipped in 0s ===")
        return CANNOT_RUN
    cargo = subprocess.run([CARGO, "test", "--quiet", "--locked"], cwd=HOST, check=False)  # noqa: S603
    subprocess.run([CARGO, "build", "--quiet", "--locked"], cwd=HOST, check=True)  # noqa: S603
    metadata = subprocess.run(  # noqa: S603
        [CARGO, "metadata", "--format-version", "1", "--no-deps", "--locked"],
        cwd=HOST,
        check=True,
        capture_output=True,
        text=True,
    )
    program = Path(json.loads(metadata.stdout)["target_directory"]) / "debug" / "mecn-host"
    kernel = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "hosts/bpf/tests/kernel"],
        cwd=HOST.parent.parent,
        env={**os.environ, "MECN_HOST": str(program)},
        check=False,
    )
    return cargo.returncode or kernel.returncode


if __name__ == "__main__":
    sys.exit(main())
