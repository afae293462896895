# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`make bmv2` and `make tofino` where tools are missing or broken; `make bmv2` as another user than root."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mecn_topo.lab import bmv2

CI = Path(__file__).resolve().parents[2] / ".ci"


def tool(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def run(script: str, path: Path | str, as_root: bool = True) -> tuple[int, str, str]:
    """With `path` as PATH."""
    code = "import os, runpy, sys; sys.argv = sys.argv[1:]; "
    code += "" if as_root else "os.geteuid = lambda: 1000; "
    code += "runpy.run_path(sys.argv[0], run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code, str(CI / script)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": str(path)},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("script", "words"), [("bmv2.py", "p4lang"), ("tofino.py", "p4c is not on PATH")])
def test_without_the_tools_it_says_so(tmp_path: Path, script: str, words: str) -> None:
    status, _, errors = run(script, tmp_path)
    assert status == 2
    assert "cannot run" in errors
    assert words in errors


@pytest.mark.skipif(bmv2.missing() is not None, reason=f"BMv2: {bmv2.missing()}")
def test_bmv2_compiles_and_says_what_it_cannot_test(tmp_path: Path) -> None:
    real = os.environ["PATH"]
    status, out, _ = run("bmv2.py", real, as_root=False)
    assert status == 0
    assert "--- compile: p4c --target bmv2 --arch v1model --std p4-16" in out
    assert "packet tests and lab: skipped: it needs root" in out
    tool(tmp_path, "p4c", '[ "$1" = --version ]')
    assert run("bmv2.py", f"{tmp_path}:{real}", as_root=False)[0] == 1


def test_a_p4c_without_tofino(tmp_path: Path) -> None:
    tool(tmp_path, "p4c", 'echo "bmv2-ss-p4org"')
    status, _, errors = run("tofino.py", tmp_path)
    assert status == 2
    assert "no back end for Tofino" in errors
    assert "-DENABLE_TOFINO=ON" in errors
