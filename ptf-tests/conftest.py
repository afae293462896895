# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the packet tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from mecn_native import CompiledProgram

from target import Target, compile_program, configured


@pytest.fixture(scope="session")
def program() -> CompiledProgram:
    """The program, compiled once."""
    return compile_program()


@pytest.fixture
def target(program: CompiledProgram) -> Iterator[Target]:
    """A switch of its own for each test."""
    with configured(program) as switch:
        yield switch
