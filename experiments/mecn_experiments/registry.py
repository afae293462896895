# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Which papers there are. Each lives in a package of its own, which is loaded when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from .errors import ExperimentError

if TYPE_CHECKING:
    from .declaration import Paper


class Progress(Protocol):
    """Whoever wants to know how far a run has come."""

    def stage(self, name: str, steps: int) -> None:
        """A new stage of so many steps begins; the one before is over."""

    def advance(self) -> None:
        """One step of the stage is done."""

    def note(self, text: str) -> None:
        """A line to be kept."""


@dataclass(frozen=True)
class Entry:
    """A paper's place in the list; the package `module` has its :class:`Paper` as `PAPER`."""

    key: str
    title: str
    citation: str
    module: str

    def load(self) -> Paper:
        """The paper itself."""
        return cast("Paper", import_module(self.module, __package__).PAPER)


EXPERIMENTS = (
    Entry(
        "000",
        "RED and ECN with heterogeneous TCP flows: goodput, delay, fairness",
        "Kinicki, Zheng, A Performance Study of Explicit Congestion Notification (ECN) with Heterogeneous"
        " TCP Flows",
        ".paper000.paper",
    ),
    Entry(
        "001",
        "RED, ECN and drop-tail on one slow link: throughput and queue over time",
        "Puzis, Tarasov, Effectiveness of ECN and RED Based Congestion Detection",
        ".paper001.paper",
    ),
    Entry(
        "002",
        "RED among web, bulk and UDP flows, with and without ECN, several round trips, two-way traffic",
        "Zhang, Qiu, Understanding the End-to-End Performance Impact of RED in a Heterogeneous Environment",
        ".paper002.paper",
    ),
    Entry(
        "003",
        "ECN against multi-level ECN: queue, link efficiency, throughput against delay",
        "Quet et al., Guidelines for optimizing Multi-Level ECN, using fluid flow based TCP model",
        ".paper003.paper",
    ),
    Entry(
        "004",
        "Mark-front against mark-tail: buffer size, link efficiency, fairness",
        "Liu, Jain, Improving Explicit Congestion Notification with the Mark-Front Strategy",
        ".paper004.paper",
    ),
    Entry(
        "beyond",
        "Beyond the papers: multi-level ECN in the scenarios of papers 000, 001, 002 and 004",
        "Questions of our own",
        ".beyond.paper",
    ),
)


def find(key: str) -> Entry:
    """The paper of this key."""
    for entry in EXPERIMENTS:
        if entry.key == key:
            return entry
    known = ", ".join(entry.key for entry in EXPERIMENTS)
    raise ExperimentError(f"there is no experiment {key}; known: {known}")
