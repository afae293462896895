# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a paper says so that its runs can be made in real time: each has a `lab.py` with its :class:`Bridge`.

Network, profile and flows are those of the paper's own `simulate`; a bridge adds how the hosts' TCP is to be
set up, what a lab cannot do, and how its measures become a row of the paper's data file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from mecn_topo.lab import HostTcp

from ..errors import ExperimentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mecn_topo import Scenario

    from ..dataset import Row
    from ..declaration import Paper, Recipe
    from ..variant import Ecn
    from .results import Measured

HEADER_BYTES = 40
"""IPv4 and TCP without options."""
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
    real_run: Callable[[Recipe], RealRun]
    """Raises :class:`NotInLabError`."""
    row: Callable[[Recipe, int, Measured], Row]
    """The row of the paper's data file, of recipe, seed and what was measured."""
    look: tuple[str, ...]
    """Figures with few runs: what is run if nothing is asked for."""
    look_settings: Mapping[str, Any] = field(default_factory=dict)
    """Parameters of those runs, if the user gives no others."""
    look_only: tuple[str, ...] = ()
    """Which of those runs, as --only has it."""
    in_proportion: tuple[str, ...] = ()
    """Parameters that shrink with a shortened `duration_s` unless they are given."""
    sources: str | None = None
    """The parameter with the numbers of flows; None: the runs' own."""


def bridge_of(key: str) -> Bridge:
    """A paper's bridge; the paper's key is known."""
    package = "beyond" if key == "beyond" else f"paper{key}"
    return cast("Bridge", import_module(f"..{package}.lab", __package__).BRIDGE)


def host_tcp(
    shared: Mapping[str, Any],
    ecn: Ecn,
    packet_bytes: int,
    *,
    sack: bool = False,
    delayed_acks: bool | None = None,
) -> HostTcp:
    """The TCP of the papers' simulators as near as Linux comes, from the parameters that runs share.

    Headers of 40 bytes, so no timestamps; windows up to the paper's largest, by what receivers offer. Linux
    keeps its own loss recovery, rounding and least window: docs/lab.md.
    """
    window = shared["window_cap"] * (packet_bytes - HEADER_BYTES)
    return HostTcp(
        congestion="mecn" if ecn == "multilevel" else "reno",
        ecn=ecn != "off",
        sack=sack,
        timestamps=False,
        window_scaling=window > UNSCALED_WINDOW,
        delayed_acks=shared.get("delayed_acks", False) if delayed_acks is None else delayed_acks,
        initial_window=shared["initial_window"],
        min_rto_s=shared["min_rto_s"],
        window_bytes=window,
    )
