# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the packet tests that run in pytest."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "virtual")]

from mecn_native import CompiledProgram  # noqa: E402

from target import Target, compile_program, configured  # noqa: E402


@pytest.fixture(scope="session")
def program() -> CompiledProgram:
    """The program, compiled once."""
    return compile_program()


@pytest.fixture
def target(program: CompiledProgram) -> Iterator[Target]:
    """A switch of its own for each test."""
    with configured(program) as switch:
        yield switch
