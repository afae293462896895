# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""bf-rt.json of `mecn-p4c` beside that of p4c's back end for Tofino, table by table, ids included."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = str(Path(sys.executable).with_name("mecn-p4c"))
PROGRAMS = Path(__file__).parent / "programs" / "tna"
MECN = Path(__file__).parents[3] / "p4src" / "mecn_tna.p4"
CASES = [(path, "tna") for path in sorted(PROGRAMS.glob("*.p4")) if path.stem != "frame"]
CASES += [(MECN, "tna"), (MECN, "t2na"), (PROGRAMS / "value_set.p4", "t2na")]
PLACED = ("Snapshot", "TblDbgCnt")
"""Types of tables that tell how p4c has placed a program; `mecn-p4c` places none."""


def no_p4c() -> str:
    """Why there is nothing to compare with; empty if there is."""
    if shutil.which("p4c") is None:
        return "p4c is not on PATH"
    said = subprocess.run(["p4c", "--target-help"], capture_output=True, text=True, check=False)
    return "" if "tofino" in said.stdout + said.stderr else "the p4c on PATH has no back end for Tofino"


def described(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tables and digests by name, without the tables that depend on the placement."""
    found = json.loads(path.read_text())
    tables = {t["name"]: t for t in found["tables"] if not t["table_type"].startswith(PLACED)}
    return tables, {learn["name"]: learn for learn in found["learn_filters"]}


def compile_ours(source: Path, arch: str, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Runs `mecn-p4c` for the description alone."""
    command = [
        COMMAND,
        "--arch",
        arch,
        "-I",
        str(source.parent),
        "--bf-rt-schema",
        str(out),
        *more,
        str(source),
    ]
    return subprocess.run(command, capture_output=True, text=True, cwd=out.parent, check=False)


@pytest.mark.parametrize(("source", "arch"), CASES, ids=lambda v: getattr(v, "stem", v))
def test_it_is_what_p4c_writes(source: Path, arch: str, tmp_path: Path) -> None:
    if reason := no_p4c():
        pytest.skip(reason)
    done = compile_ours(source, arch, tmp_path / "ours.json")
    assert done.returncode == 0, done.stderr
    target = {"tna": "tofino", "t2na": "tofino2"}[arch]
    command = ["p4c", "--target", target, "--arch", arch, "--std", "p4-16", "-Xp4c=--no-clot"]
    command += ["-I", str(source.parent), "-o", str(tmp_path / "p4c"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    ours, theirs = described(tmp_path / "ours.json"), described(tmp_path / "p4c" / "bfrt.json")
    assert ours[0].keys() == theirs[0].keys()
    assert ours == theirs


def test_it_is_for_programs_for_tofino(tmp_path: Path) -> None:
    source = tmp_path / "v1.p4"
    source.write_text("#include <core.p4>\n#include <v1model.p4>\n")
    done = compile_ours(source, "v1model", tmp_path / "bf-rt.json")
    assert (done.returncode, "--bf-rt-schema is for --arch tna and t2na" in done.stderr) == (1, True)
    done = compile_ours(source, "tna", tmp_path / "bf-rt.json")
    assert done.returncode == 1
    assert not (tmp_path / "bf-rt.json").exists()


def test_a_value_that_has_no_fields_is_an_error_at_its_place(tmp_path: Path) -> None:
    text = (PROGRAMS / "digest.p4").read_text()
    source = PROGRAMS / "digest.p4"
    broken = tmp_path / "digest.p4"
    broken.write_text(text.replace("Digest<learnt_t>(1)", "Digest<tuple<headers_t>>(1)"))
    shutil.copy(PROGRAMS / "frame.p4", tmp_path)
    done = compile_ours(broken, "tna", tmp_path / "bf-rt.json")
    assert done.returncode == 1, source
    assert "digest.p4:" in done.stderr
