# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario in a lab, from the compiled program to the files in the folder."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mecn_topo.lab import CannotRunError, Network, Options, Run, check_machine
from mecn_topo.lab import Program as LabProgram
from mecn_topo.lab import bmv2 as reference_switch
from mecn_topo.lab.run import tools

from ..files import writable_directory
from ..program import P4_PROGRAM, Program, compile_program
from .live import LiveView
from .output import write_run
from .results import Recorded, measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mecn_topo import Scenario
    from mecn_topo.lab import Plan


@dataclass(frozen=True)
class Session:
    """A scenario that is to be run in real time."""

    title: str
    scenario: Scenario
    options: Options
    plan: Plan
    folder: Path
    """Where data, figures and captures go."""
    of: Mapping[str, Any] = field(default_factory=dict)
    """Which of a paper's runs it is: recipe and seed, for the summary."""


def program_for(target: str) -> Program:
    """The data plane as the target's compiler makes it. Raises CannotRunError, LabError, ExperimentError."""
    if target == "embedded":
        return compile_program(P4_PROGRAM)
    if (missing := reference_switch.missing()) is not None:
        raise CannotRunError(missing)
    p4info, bmv2_json = reference_switch.compile_program(P4_PROGRAM)
    return Program(bmv2_json, p4info)


def run(session: Session, program: Program) -> Recorded:
    """Brings the network up, runs the flows, takes it down, and writes what was measured.

    Raises LabError, CannotRunError where the machine lacks something, ExperimentError where files cannot be
    written.
    """
    plan = session.plan
    check_machine(session.scenario, session.options, *tools(plan))
    writable_directory(session.folder)
    if plan.captures is not None:
        writable_directory(plan.captures)
    made = LabProgram(program.bmv2_json, program.p4info)
    with (
        Network(session.scenario, made, session.options) as network,
        LiveView(session.scenario, session.title) as view,
    ):
        recording = Run(network, plan, view)()
    measured = measure(session.scenario, recording, plan.captures)
    write_run(measured, session.folder, about(session, program))
    return measured


def about(session: Session, program: Program) -> dict[str, Any]:
    """What made a run's data: parameters and versions."""
    tcp, plan, scenario = session.options.tcp, session.plan, session.scenario
    return {
        "scenario": scenario.topology.name,
        "title": session.title,
        "profiles": [placement.profile.model_dump(mode="json") for placement in scenario.placements],
        "flows": [[flow.source, flow.sink, flow.start_s, flow.stop_s] for flow in scenario.flows],
        "target": session.options.target,
        "links": session.options.links if session.options.target == "bmv2" else "ports",
        "tcp": {name: getattr(tcp, name) for name in tcp.__slots__},
        "betas": list(session.options.betas),
        "traffic": plan.traffic,
        "duration_s": plan.duration_s,
        "warmup_s": plan.warmup_s,
        "start_jitter_s": plan.start_jitter_s,
        "seed": plan.seed,
        "mtu": scenario.mtu,
        **session.of,
        "versions": versions(program),
    }


def versions(program: Program) -> dict[str, str]:
    """What a run's result depends on beside its parameters."""
    return {"mecn": version("mecn"), "kernel": platform.release(), **program.digests}
