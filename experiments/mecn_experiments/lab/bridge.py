# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a paper says so that its runs can be made in real time: its `paper.py` has a :class:`Bridge`.

Network, plan and row are those of the paper's own `simulate`; a bridge adds what a lab cannot do, and which
runs give a first look.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mecn_topo.lab import HostTcp

from ..errors import ExperimentError
from ..registry import module_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mecn_topo import Scenario

    from ..dataset import Row
    from ..declaration import Paper, Recipe
    from ..execute import Simulation
    from .results import Recorded

UNSCALED_WINDOW = 65_535
"""Bytes: the largest window without RFC 7323's scaling."""


class CannotBeginError(ExperimentError):
    """The runs that were asked for cannot be begun; the message says why."""


class NotInLabError(CannotBeginError):
    """A lab cannot make this run; the message names what it cannot do."""


@dataclass(frozen=True, kw_only=True)
class RealRun:
    """What a recipe comes to in real time."""

    title: str
    """Which of the paper's runs it is, in brief."""
    scenario: Scenario
    duration_s: float
    tcp: HostTcp
    """With the congestion control that the scheme needs: mecn for multi-level ECN, else reno."""
    warmup_s: float = 0.0
    start_jitter_s: float = 0.0
    without_ecn: frozenset[str] = frozenset()
    """Hosts that do without ECN although the others have it."""
    sample_s: float | None = None
    """Distance of two looks at the queue; None: the lab's usual one."""


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """A paper's runs in real time."""

    paper: Paper
    title: Callable[[Recipe], str]
    """Which of the paper's runs a recipe is, in brief. Raises :class:`NotInLabError`."""
    simulation: Simulation
    """Network, plan and row, as in virtual time."""
    look: tuple[str, ...]
    """Figures with few runs: what is run if nothing is asked for."""
    look_settings: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of those runs, if the user gives no others."""
    look_only: tuple[str, ...] = ()
    """Which of those runs, as --only has it."""
    sources: str | None = None
    """The parameter with the numbers of flows; None: the runs' own."""
    sample_s: float | None = None
    """Distance of two looks at the queue; None: the lab's usual one."""

    def real_run(self, recipe: Recipe) -> RealRun:
        """What a recipe comes to. Raises :class:`NotInLabError`."""
        title, scenario, plan = (
            self.title(recipe),
            self.simulation.scenario(recipe),
            self.simulation.plan(recipe, 1),
        )
        plain = (
            scenario.flows[number]
            for number, of in plan.traffic.items()
            if of.tcp and of.tcp.get("ecn") == "off" != plan.tcp["ecn"]
        )
        return RealRun(
            title=title,
            scenario=scenario,
            duration_s=plan.duration_s,
            warmup_s=plan.warmup_s,
            start_jitter_s=plan.start_jitter_s,
            tcp=host_tcp(plan.tcp),
            without_ecn=frozenset(end for flow in plain for end in (flow.source, flow.sink)),
            sample_s=self.sample_s,
        )

    def row(self, recipe: Recipe, seed: int, recorded: Recorded) -> Row:
        """The row of the paper's data file."""
        interval_s = self.simulation.plan(recipe, seed).trace_interval_s
        return self.simulation.row(recipe, seed, recorded.measured_at(interval_s))


def bridge_of(key: str) -> Bridge:
    """A paper's bridge; the paper's key is known."""
    bridge: Bridge = module_of(key).BRIDGE
    return bridge


def host_tcp(tcp: Mapping[str, Any]) -> HostTcp:
    """The TCP of the papers' simulators as near as Linux comes, from the arguments of TcpConfig.

    Headers of 40 bytes, so no timestamps; windows up to the paper's largest, by what receivers offer. Linux
    keeps its own loss recovery, rounding and least window: docs/lab.md.
    """
    window = tcp["window_cap"] * tcp["mss"]
    return HostTcp(
        congestion="mecn" if tcp["ecn"] == "multilevel" else "reno",
        ecn=tcp["ecn"] != "off",
        sack=tcp.get("loss_recovery") == "sack",
        timestamps=False,
        window_scaling=window > UNSCALED_WINDOW,
        delayed_acks=tcp.get("delayed_acks", False),
        initial_window=tcp["initial_window"],
        min_rto_s=tcp["min_rto_s"],
        window_bytes=window,
    )
