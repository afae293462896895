# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`make bmv2` and `make tofino`, with tools that only write down what they were called with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci"
SUMMARY = """\
Number of stages in table allocation: 12
  Number of stages for ingress table allocation: 11
  Number of stages for egress table allocation: 9
Critical path length through the table dependency graph: 10
Number of tables allocated: 40
+-------+-----------------+
"""


def tool(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" "{name} $*" >> "{folder}/calls"\n{text}\n')
    path.chmod(0o755)


def run(script: str, path: Path, *arguments: str, as_root: bool = True) -> tuple[int, str, str]:
    """With `path` before PATH; p4lang's tools of this machine, if any, are hidden by those in it."""
    code = "import os, runpy, sys; sys.argv = sys.argv[1:]; "
    code += "" if as_root else "os.geteuid = lambda: 1000; "
    code += "runpy.run_path(sys.argv[0], run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code, str(CI / script), *arguments],
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


def test_bmv2_compiles_and_says_what_it_cannot_test(tmp_path: Path) -> None:
    for name in ("p4c", "simple_switch_grpc", "simple_switch_CLI"):
        tool(tmp_path, name, "echo 1.15.1")
    status, out, _ = run("bmv2.py", tmp_path, as_root=False)
    assert status == 0
    assert "p4c --target bmv2 --arch v1model --std p4-16" in (tmp_path / "calls").read_text()
    assert "packet tests and lab: skipped: it needs root" in out
    tool(tmp_path, "p4c", '[ "$1" = --version ]')
    assert run("bmv2.py", tmp_path, as_root=False)[0] == 1


def test_a_p4c_without_tofino(tmp_path: Path) -> None:
    tool(tmp_path, "p4c", 'echo "bmv2-ss-p4org"')
    status, _, errors = run("tofino.py", tmp_path)
    assert status == 2
    assert "no back end for Tofino" in errors
    assert "-DENABLE_TOFINO=ON" in errors


def test_tofino_prints_stages_and_resources(tmp_path: Path) -> None:
    (tmp_path / "summary").write_text(SUMMARY)
    tool(
        tmp_path,
        "p4c",
        'case "$*" in *--target-help*) echo tofino; exit 0;; esac\n'
        'while [ "$1" != -o ]; do shift; done\n'
        '/bin/mkdir -p "$2/pipe/logs"\n'
        f'/bin/cat "{tmp_path}/summary" > "$2/pipe/logs/table_summary.log"\n'
        'echo "| 0 | 12 crossbar bytes |" > "$2/pipe/logs/mau.resources.log"',
    )
    status, out, _ = run("tofino.py", tmp_path, str(tmp_path / "out"))
    assert status == 0
    assert out.count("Number of stages for egress table allocation: 9") == 2
    assert out.count("12 crossbar bytes") == 2
    calls = (tmp_path / "calls").read_text()
    assert "--target tofino --arch tna" in calls
    assert "--target tofino2 --arch t2na" in calls
