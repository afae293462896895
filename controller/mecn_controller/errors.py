# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What can go wrong, as exceptions whose text is fit to be shown to a user.

It names the thing, and is one line.
"""

from __future__ import annotations

from dataclasses import dataclass


class ControllerError(Exception):
    """Base of every error that this package raises on purpose."""


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong with a profile.

    `line` and `column` count from 1, 0 when there is no file behind it.
    """

    line: int
    column: int
    message: str


class ProfileError(ControllerError):
    """A profile that cannot be used. `problems` is never empty; the text has one line for each."""

    def __init__(self, source: str, problems: list[Problem]) -> None:
        self.source = source
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(self._line(problem) for problem in self.problems))

    def _line(self, problem: Problem) -> str:
        if problem.line == 0:
            return f"{self.source}: {problem.message}"
        return f"{self.source}:{problem.line}:{problem.column}: {problem.message}"


class SwitchError(ControllerError):
    """The switch at `address` cannot be used, or refused what was asked of it."""

    def __init__(self, address: str, message: str) -> None:
        self.address = address
        super().__init__(f"{address}: {message}")


class UnreachableError(SwitchError):
    """Nothing answers P4Runtime at the address."""


class ElectionError(SwitchError):
    """Another controller holds the election id, or a higher one."""


class PipelineError(SwitchError):
    """The switch runs no program, or one without the tables of this data plane."""


class WriteError(SwitchError):
    """The switch refused a write."""


class VerifyError(SwitchError):
    """What was read back is not what was written."""
