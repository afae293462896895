# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Which papers there are. Each lives in a package of its own, which is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from .errors import ExperimentError

if TYPE_CHECKING:
    from types import ModuleType

    from .declaration import Paper

EXPERIMENTS = ("000", "001", "002", "003", "004", "beyond")
"""The papers' keys."""


def module_of(key: str) -> ModuleType:
    """The module that has the paper of this key as `PAPER`, and its runs in a lab as `BRIDGE`."""
    if key not in EXPERIMENTS:
        raise ExperimentError(f"there is no experiment {key}; known: {', '.join(EXPERIMENTS)}")
    return import_module(f".{'paper' if key.isdigit() else ''}{key}.paper", __package__)


def find(key: str) -> Paper:
    """The paper of this key."""
    paper: Paper = module_of(key).PAPER
    return paper


class Progress(Protocol):
    """Whoever wants to know how far a run has come."""

    def stage(self, name: str, steps: int) -> None:
        """A new stage of so many steps begins; the one before is over."""

    def advance(self) -> None:
        """One step of the stage is done."""

    def note(self, text: str) -> None:
        """A line to be kept."""
