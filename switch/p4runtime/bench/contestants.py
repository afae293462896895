# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The switches that are measured beside each other, each with the program as its own compiler makes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mecn_native import compile_p4
from mecn_topo.lab import bmv2
from mecn_topo.lab.switch_process import Bmv2Process, EmbeddedProcess

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mecn_topo.lab.switch_process import SwitchProcess

SOURCE = Path(__file__).resolve().parents[3] / "p4src" / "mecn_v1model.p4"


@dataclass(frozen=True)
class Contestant:
    """A switch, its program, and options beyond those that every run has."""

    name: str
    kind: type[EmbeddedProcess | Bmv2Process]
    p4info: str
    bmv2_json: str
    options: tuple[str, ...] = ()

    def start(self, ports: Sequence[tuple[int, str]] = (), options: Sequence[str] = ()) -> SwitchProcess:
        """A process on these interfaces; use `with`."""
        return self.kind(ports, [*self.options, *options])


def contestants() -> list[Contestant]:
    """Ours, and simple_switch_grpc where p4lang's tools are installed."""
    compiled = compile_p4(SOURCE, [SOURCE.parent])
    found = [Contestant("mecn-switch", EmbeddedProcess, compiled.p4info, compiled.bmv2_json)]
    if bmv2.missing() is None:
        found.append(Contestant("simple_switch_grpc", Bmv2Process, *bmv2.compile_program(SOURCE)))
    return found
