# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What programs cost grows no faster than they do, and ends at a budget.

MECN_SIZES=5 for more and larger sizes: each is twice the one before.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from . import hostile
from .costs import Cost, cost

SIZES = int(os.environ.get("MECN_SIZES", "2"))
"""Sizes that are measured of each input."""

MOST_SECONDS = 20.0
MOST_KIB = 1 << 20
"""Of any input, whether it is refused or loads: twice what arrays may take (512 MiB)."""

FLOOR_SECONDS = 0.3
FLOOR_KIB = 40_000
"""Below these nothing is compared: the interpreter alone takes as much."""

Kind = Literal["json", "p4", "p4info"]

LINEAR: tuple[tuple[Kind, Callable[[int], str], int], ...] = (
    ("json", hostile.nested_comparisons, 120),
    ("json", hostile.compared_stacks, 250),
    ("json", hostile.counter_arrays, 8),
    ("json", hostile.register_arrays, 16),
    ("json", hostile.wide_parameters, 2_000),
    ("json", hostile.many_headers, 150),
    ("p4", hostile.stacks, 2),
    ("p4", hostile.sums, 25),
    ("p4", hostile.comparisons, 25),
    ("p4", hostile.assignments, 4_000),
    ("p4", hostile.states, 500),
    ("p4", hostile.tables, 100),
)
"""Each is twice as long at twice the size; with the size to begin with."""

EXPLODING: tuple[tuple[Kind, Callable[[int], str], int], ...] = (
    ("json", hostile.nested_unions, 16),
    ("p4info", hostile.p4info_structs, 16),
    ("p4", hostile.sub_deparsers, 16),
    ("p4", hostile.sub_parsers, 16),
    ("p4", hostile.sub_controls, 16),
    ("p4", hostile.functions, 16),
    ("p4", hostile.strings, 16),
    ("p4", hostile.tuples, 16),
    ("p4", hostile.structs, 16),
    ("p4", hostile.generics, 16),
    ("p4", hostile.macros, 24),
)
"""Each asks for twice as much with each step of its size (unions: for the fourth power)."""


def name_of(value: object) -> str | None:
    return getattr(value, "__name__", None)


def bounded(kind: Kind, text: str, folder: Path) -> Cost:
    found = cost(kind, text, str(folder))
    print(f"{len(text)} bytes: {found.seconds:.2f} s, {found.kib >> 10} MiB, {found.said[:100]}")
    assert found.seconds < MOST_SECONDS
    assert found.kib < MOST_KIB
    return found


@pytest.mark.parametrize(("kind", "text", "size"), LINEAR, ids=name_of)
def test_costs_grow_as_the_input_does(
    kind: Kind, text: Callable[[int], str], size: int, tmp_path: Path
) -> None:
    """Three times for twice the length, as a machine that is busy measures with errors."""
    before: Cost | None = None
    for step in range(SIZES):
        found = bounded(kind, text(size << step), tmp_path)
        if before is not None and found.said == "loaded":
            assert found.seconds < 3 * max(before.seconds, FLOOR_SECONDS)
            assert found.kib < 3 * max(before.kib, FLOOR_KIB)
        before = found


@pytest.mark.parametrize(("kind", "text", "size"), EXPLODING, ids=name_of)
def test_what_explodes_ends_at_a_budget(
    kind: Kind, text: Callable[[int], str], size: int, tmp_path: Path
) -> None:
    for step in range(SIZES):
        found = bounded(kind, text(size << step), tmp_path)
    assert "more than" in found.said, found.said
