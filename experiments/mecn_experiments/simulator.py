# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Which simulator a run comes from."""

from __future__ import annotations

import ast
import hashlib
import inspect
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from typing import TYPE_CHECKING

import mecn_controller.policy.curve
import mecn_controller.policy.entries
import mecn_controller.policy.profile
import mecn_controller.runtime.steering
import mecn_controller.runtime.targets.virtual
import mecn_controller.runtime.writer
import mecn_controller.theory.adaptation
import mecn_native
import mecn_topo.addressing
import mecn_topo.papers
import mecn_topo.topology
import mecn_topo.virtual

from . import bench
from .execute import Simulation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from .declaration import Paper

_MODULES = (
    mecn_controller.theory.adaptation,
    mecn_controller.runtime.writer,
    mecn_controller.policy.curve,
    mecn_controller.policy.entries,
    mecn_controller.policy.profile,
    mecn_controller.runtime.steering,
    mecn_controller.runtime.targets.virtual,
    mecn_topo.addressing,
    mecn_topo.papers,
    mecn_topo.topology,
    mecn_topo.virtual,
)
"""Between a recipe and the switch and network that it becomes."""


def simulator_digest(paper: Paper) -> str:
    """SHA-256 over all that turns a recipe and a seed into a row, but for the P4 program.

    That is the compiled simulator (by its sources, so it is the same on each machine), the way from a profile
    to table entries and from a topology to a network, and the modules of :func:`own_modules`.
    """
    digest = hashlib.sha256(mecn_native.SIMULATOR_DIGEST.encode())
    for module in (*_MODULES, *own_modules(paper)):
        digest.update(_source(module))
    return digest.hexdigest()


def own_modules(paper: Paper) -> list[ModuleType]:
    """The modules of this package that a run executes, in the order of their names.

    They are the paper's `simulate`, the bench, and what they import, directly or not: profiles, recipes,
    constants, another paper's `simulate`.
    """
    simulate = paper.simulate
    start = inspect.getmodule(simulate.row if isinstance(simulate, Simulation) else simulate)
    waiting: list[ModuleType] = [bench, *([start] if start is not None else [])]
    found: dict[str, ModuleType] = {}
    while waiting:
        module = waiting.pop()
        if module.__name__ not in found:
            found[module.__name__] = module
            waiting.extend(_imported(module))
    return [found[name] for name in sorted(found)]


def _imported(module: ModuleType) -> Iterator[ModuleType]:
    """The modules of this package that a module imports to run, not merely to name types."""
    for node in _executed(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom):
            dots = "." * node.level
            base = resolve_name(f"{dots}{node.module or ''}", module.__package__ if dots else None)
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith(f"{__package__}.") and (other := _module(name)) is not None:
                yield other


def _module(name: str) -> ModuleType | None:
    """The module of this name; None if the name is that of something in a module."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those in `if TYPE_CHECKING:`."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        skipped = (
            isinstance(tree, ast.If) and child in tree.body and ast.unparse(tree.test) == "TYPE_CHECKING"
        )
        if not skipped:
            yield from _executed(child)


def _source(module: ModuleType) -> bytes:
    text = Path(inspect.getfile(module)).read_bytes().replace(b"\r\n", b"\n")
    return module.__name__.encode() + b"\0" + text + b"\0"
