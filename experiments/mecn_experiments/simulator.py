# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Which simulator a run comes from."""

from __future__ import annotations

import hashlib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import mecn_controller.adapt
import mecn_controller.applying
import mecn_controller.curve
import mecn_controller.entries
import mecn_controller.profile
import mecn_controller.steering
import mecn_controller.targets.virtual
import mecn_native
import mecn_topo.addressing
import mecn_topo.papers
import mecn_topo.topology
import mecn_topo.virtual

from . import bench, variant

if TYPE_CHECKING:
    from types import ModuleType

    from .declaration import Paper

_MODULES = (
    bench,
    mecn_controller.adapt,
    mecn_controller.applying,
    mecn_controller.curve,
    mecn_controller.entries,
    mecn_controller.profile,
    mecn_controller.steering,
    mecn_controller.targets.virtual,
    mecn_topo.addressing,
    mecn_topo.papers,
    mecn_topo.topology,
    mecn_topo.virtual,
    variant,
)
"""Between a recipe and the switch and network that it becomes."""


def simulator_digest(paper: Paper) -> str:
    """SHA-256 over all that turns a recipe and a seed into a row, but for the P4 program.

    That is the compiled simulator (by its sources, so it is the same on each machine), the way from a profile
    to table entries and from a topology to a network, and the paper's own `simulate`.
    """
    digest = hashlib.sha256(mecn_native.SIMULATOR_DIGEST.encode())
    own = inspect.getmodule(paper.simulate)
    for module in (*_MODULES, *((own,) if own is not None else ())):
        digest.update(_source(module))
    return digest.hexdigest()


def _source(module: ModuleType) -> bytes:
    path = Path(inspect.getfile(module))
    return module.__name__.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n") + b"\0"
