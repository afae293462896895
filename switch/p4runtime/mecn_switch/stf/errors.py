# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Positions in a test, and what can be wrong there."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """A place in a test. Lines and columns count from 1; `source` is the line."""

    file: str
    line: int
    column: int
    source: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Problem(Exception):  # noqa: N818
    """Something about a place in a test; `str` gives position, text, the line and a caret.

    A message of several lines goes on after the caret.
    """

    kind = "error"

    def __init__(self, position: Position, message: str) -> None:
        super().__init__(position, message)
        self.position = position
        self.message = message

    def __str__(self) -> str:
        source = self.position.source
        # Tabs stay tabs, so that the caret stands below its place however wide they are shown.
        lead = "".join("\t" if c == "\t" else " " for c in source[: self.position.column - 1])
        text, newline, details = self.message.partition("\n")
        return f"{self.position}: {self.kind}: {text}\n{source}\n{lead}^{newline}{details}"


class Unsupported(Problem):
    """The test asks for what this switch cannot do."""


class TestFailure(Problem):
    """The switch did other than the test says, or refused what the test asks for."""

    __test__ = False  # no test class of pytest's
    kind = "failed"
