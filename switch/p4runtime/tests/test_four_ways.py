# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Every program in `stf`, compiled by both compilers and run by both switches: the same packets leave.

What differs stands in `differences.toml`, with the reason. What stands there and does not differ fails too.
"""

import fnmatch
import tomllib
from pathlib import Path

import pytest

from .bmv2 import missing
from .four_ways import WAYS, compare, steps_of
from .random_four_ways import differences

HERE = Path(__file__).parent
STF = HERE / "stf"
TESTS = sorted(STF.rglob("*.stf"))
DIFFERENCES = tomllib.loads((HERE / "differences.toml").read_text())["difference"]

needs_reference = pytest.mark.skipif(bool(missing()), reason=f"not on PATH: {missing()}")


def name_of(test: Path) -> str:
    return str(test.relative_to(STF).with_suffix(""))


def listed(program: str) -> dict[str, str]:
    """What is expected to differ, by way."""
    return {
        way: difference["what"]
        for difference in DIFFERENCES
        if difference["program"] == program
        for way in WAYS
        if any(fnmatch.fnmatch(way, pattern) for pattern in difference["ways"])
    }


@needs_reference
@pytest.mark.parametrize("test", TESTS, ids=name_of)
def test_same_packets(test: Path) -> None:
    found = compare(test.with_suffix(".p4"), steps_of(test.read_text(), str(test)))
    different = {way: outcome.what for way, outcome in found.items() if outcome.what}
    told = "\n".join(f"{way}: {outcome.what}: {outcome.text}" for way, outcome in found.items())
    assert different == listed(name_of(test)), told


@needs_reference
def test_random_programs(tmp_path: Path) -> None:
    """What own compiler makes, on both switches: p4c takes too long for random programs."""
    found = differences(range(200), tmp_path, ["mecn-p4c"])
    assert [str(difference) for difference in found] == []


def test_differences_have_programs_and_reasons() -> None:
    programs = {name_of(test) for test in TESTS}
    assert {difference["program"] for difference in DIFFERENCES} <= programs
    assert all(difference["reason"] for difference in DIFFERENCES)
