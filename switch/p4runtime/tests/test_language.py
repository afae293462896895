# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The language, rule by rule: each program in `stf/language` with the packets that its rule asks for.

The expectations are derived by hand from the P4-16 specification (sections are those of 1.2.5) and from
v1model's documentation, not from what the switch does.
"""

from pathlib import Path

import pytest
from mecn_switch import cli

HERE = Path(__file__).parent / "stf" / "language"
PROGRAMS = sorted(HERE.glob("*/*.p4"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_rule(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = program.with_suffix(".stf")
    status = cli.main(["stf", "--strict-ports", str(program), str(test)])
    output = capsys.readouterr()
    assert (status, output.err) == (0, "")
    assert f"{test}: passed" in output.out


def test_every_test_has_a_program() -> None:
    assert {path.with_suffix(".p4") for path in HERE.glob("*/*.stf")} == set(PROGRAMS)
    assert PROGRAMS
