# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A network of Linux hosts that is only looked at: `mecn demo --real`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click
from mecn_controller.policy.profile import Mecn
from mecn_topo.lab import PAPER_TCP, Options, Plan

from .session import Session, program_for
from .session import run as run_session
from .tools import options_for, traffic_of

if TYPE_CHECKING:
    import socket

    from mecn_topo import Scenario


def show_live(scenario: Scenario, page: socket.socket, duration_s: float) -> None:
    """A network of Linux hosts with its live page, for a while; nothing is kept. Errors as of a run."""
    multi_level = any(isinstance(placement.profile, Mecn) for placement in scenario.placements)
    options, why_not = options_for(Options(PAPER_TCP, page=page), "auto", multi_level)
    if why_not:
        click.echo(f"the hosts run {options.tcp.congestion} with classic ECN: {why_not}", err=True)
    title = f"{scenario.topology.name}, {len(scenario.flows)} flows, {options.tcp.congestion}"
    with tempfile.TemporaryDirectory(prefix="mecn-demo-") as work:
        plan = Plan(duration_s, traffic=traffic_of("auto"))
        run_session(Session(title, scenario, options, plan, Path(work)), program_for(options.target))
