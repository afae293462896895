# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A topology in real time on this machine: namespaces, switches in processes, real TCP."""

from .hosts import PAPER_TCP, HostTcp, best_available
from .kernel import CannotRunError, LabError, RealCommands
from .network import Network, Options, Program, check_machine
from .registry import records, remove_leftovers
from .run import Plan, Recording, Run

__all__ = [
    "PAPER_TCP",
    "CannotRunError",
    "HostTcp",
    "LabError",
    "Network",
    "Options",
    "Plan",
    "Program",
    "RealCommands",
    "Recording",
    "Run",
    "best_available",
    "check_machine",
    "records",
    "remove_leftovers",
]
