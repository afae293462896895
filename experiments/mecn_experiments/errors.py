# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Errors that end a command with one line."""


class ExperimentError(Exception):
    """The experiment cannot be run or shown; the message is one line that names the cause."""
