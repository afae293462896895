# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The runner: command lines, what is missing, and how results are counted."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest
from mecn_topo.lab import bmv2_tools

from mecn_ptf import runner, switches

CASE = '<testcase classname="{}" name="runTest">{}</testcase>'


def test_bmv2_is_started_as_its_command_line_wants() -> None:
    command = switches.simple_switch_grpc([(1, "switch1"), (2, "switch2")])
    target_options = command.index("--")
    assert command[0] == "simple_switch_grpc"
    assert command[1:5] == ["-i", "1@switch1", "-i", "2@switch2"]
    assert "--no-p4" in command[:target_options]
    assert command[target_options + 1 :] == ["--grpc-server-addr", "127.0.0.1:9559", "--cpu-port", "510"]


def test_p4c_compiles_for_bmv2_into_the_folder(tmp_path: Path) -> None:
    command = switches.p4c_compiler(tmp_path)
    joined = " ".join(command)
    assert "--target bmv2 --arch v1model --std p4-16" in joined
    assert f"--p4runtime-files {tmp_path / 'mecn.p4info.txtpb'} -o {tmp_path}" in joined
    assert command[-1].endswith("p4src/mecn_v1model.p4")


def test_missing_tools_are_named_with_where_they_come_from(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert runner.main(["--target", "bmv2", "--results", str(tmp_path / "results")]) == runner.CANNOT_RUN
    said = capsys.readouterr().err
    for word in ("p4c (", "simple_switch_grpc (", "simple_switch_CLI (", "github.com/p4lang"):
        assert word in said


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Scripts with the names of p4lang's tools, alone on PATH; what each prints is good enough."""
    made = {}
    for name, says in (("p4c", "p4c 1.2.5"), ("simple_switch_grpc", "1.15.1-abc"), ("simple_switch_CLI", "")):
        made[name] = tmp_path / name
        script(made[name], f"echo '{says}'")
    monkeypatch.setenv("PATH", str(tmp_path))
    return made


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_only_what_is_missing_is_named(tools: dict[str, Path]) -> None:
    assert bmv2_tools.missing() is None
    tools["p4c"].unlink()
    missing = bmv2_tools.missing()
    assert missing is not None
    assert missing.startswith("not on PATH: p4c (the P4 compiler). ")


@pytest.mark.parametrize(
    ("tool", "text", "words"),
    [
        ("simple_switch_grpc", "echo 1.15.0-9674187f", "is version 1.15.0, and 1.15.1 is the oldest"),
        ("simple_switch_grpc", "echo no number", "is version unknown"),
        ("simple_switch_grpc", "echo 'libbmpi.so.0: cannot open' >&2; exit 127", "libbmpi.so.0: cannot open"),
        ("simple_switch_CLI", "echo \"No module named 'thrift'\" >&2; exit 1", "No module named 'thrift'"),
        ("p4c", "exit 3", "does not run, status 3: it says nothing"),
    ],
)
def test_what_is_too_old_or_half_installed_is_named(
    tools: dict[str, Path], tool: str, text: str, words: str
) -> None:
    script(tools[tool], text)
    trouble = bmv2_tools.missing()
    assert trouble is not None
    assert trouble.startswith(f"{tool} at {tools[tool]} ")
    assert words in trouble


def test_compiler_errors_are_reported(tmp_path: Path) -> None:
    trouble = switches.compile_program(["sh", "-c", "echo broken >&2; exit 1"], tmp_path)
    assert trouble == "broken\n"
    with pytest.raises(runner.RunFailedError, match="broken"):
        runner.compiled(["sh", "-c", "echo broken >&2; exit 1"], tmp_path)


def test_program_of_the_front_end_is_where_the_platforms_look(tmp_path: Path) -> None:
    assert switches.compile_program(switches.embedded_compiler(tmp_path), tmp_path) is None
    assert (tmp_path / switches.PIPELINE).stat().st_size > 0
    assert (tmp_path / switches.P4INFO).stat().st_size > 0


def test_results_are_counted(tmp_path: Path) -> None:
    suites = [
        CASE.format("one", ""),
        CASE.format("two", "<failure/>"),
        CASE.format("three", "<error/>") + CASE.format("three", "<failure/>"),
        CASE.format("four", "<skipped message='why'/>"),
        CASE.format("five", "") + CASE.format("six", ""),
    ]
    for number, cases in enumerate(suites):
        (tmp_path / f"TEST-{number}.xml").write_text(f"<testsuite>{cases}</testsuite>")
    total = runner.counts(tmp_path)
    assert total == Counter(passed=3, failed=2, skipped=1)
    assert runner.summary("veth", total) == "ptf veth: 3 passed, 2 failed, 1 skipped"
    assert runner.skips(tmp_path) == ["skipped four: why"]
    assert runner.counts(tmp_path / "nothing") == Counter()


def test_unknown_test_is_no_success(tmp_path: Path) -> None:
    command = [switches.installed("python"), str(runner.FOLDER / "run.py")]
    command += ["--results", str(tmp_path / "results"), "no_such_test"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "did not match any tests" in done.stdout + done.stderr
