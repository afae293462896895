# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The STF runner: packet tests in the language of p4c's Simple Test Framework, on the embedded switch.

The way of a test: text -> `syntax` (statements with positions) -> `runner` (resolves names with `names`,
reads values with `values`, drives the switch) -> `report` (what was expected, what came). `docs/stf.md`
describes the language.
"""

from .errors import Problem, TestFailure, Unsupported
from .runner import Result, run
from .syntax import parse

__all__ = ["Problem", "Result", "TestFailure", "Unsupported", "parse", "run"]
