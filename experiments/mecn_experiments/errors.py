# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Errors that end a command with one line."""


class ExperimentError(Exception):
    """The experiment cannot be run or shown; the message is one line that names the cause."""


class NotMeasuredError(ExperimentError):
    """A figure or rule needs a measure that the runs do not have."""

    def __init__(self, column: str) -> None:
        super().__init__(f"{column} was not measured")
