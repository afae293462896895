# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn topology`: check a description, list the papers', print one as YAML."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from mecn_controller.errors import ControllerError
from mecn_controller.policy.profile import load_profile
from mecn_controller.text_table import aligned

from .addressing import address_plan
from .builtin import PAPERS, builtin
from .description import json_schema, load_scenario, to_yaml, with_service_time
from .topology import TopologyError

if TYPE_CHECKING:
    from .description import Scenario


@click.group()
def topology() -> None:
    """Topologies: the papers', and yours in YAML; one description for virtual network, lab and Mininet."""


def find_scenario(name: str, sources: int | None = None) -> Scenario:
    """A paper's scenario by its number, or a file's. Raises ControllerError with what is wrong."""
    try:
        if name in PAPERS:
            return builtin(name, sources)
        if sources is not None:
            raise TopologyError("--sources is for the papers' topologies; a file lists its hosts")
        path = Path(name)
        if not path.exists() and path.suffix not in (".yaml", ".yml"):
            raise TopologyError(f"{name}: neither a file nor one of {', '.join(PAPERS)}")
        return load_scenario(path)
    except TopologyError as error:
        raise ControllerError(str(error)) from None


def with_profile(scenario: Scenario, file: Path | None) -> Scenario:
    """The same with the profile of a file for its first queue, if one is given."""
    if file is None:
        return scenario
    if not scenario.placements:
        raise click.UsageError("the topology names no queue for a profile: see profiles in its file")
    first, *rest = scenario.placements
    profile = with_service_time(load_profile(file), scenario.topology, first.switch, first.port, scenario.mtu)
    return replace(scenario, placements=(replace(first, profile=profile), *rest))


sources_option = click.option(
    "--sources", type=click.IntRange(1, 250), metavar="N", help="Sources of a paper's topology; default: 5."
)


@topology.command("list")
def list_papers() -> None:
    """List the papers' topologies."""
    click.echo("\n".join(aligned([[key, title] for key, title in PAPERS.items()])))


@topology.command()
@click.argument("name", metavar="FILE.yaml|PAPER")
@sources_option
def check(name: str, sources: int | None) -> None:
    """Validate a description and print ports, addresses, profiles and flows. Needs no root."""
    scenario = find_scenario(name, sources)
    of, plan = scenario.topology, address_plan(scenario.topology)
    click.echo(f"{of.name}: valid; {len(of.hosts)} hosts, {len(of.switches)} switches, {len(of.links)} links")
    rows = [["link", "port", "rate", "delay", "queue limit"]]
    for index, link in enumerate(of.links):
        ports = [f"{end}:{plan.port(end, index)}" for end in (link.a, link.b) if of.is_switch(end)]
        rate, delay = f"{link.rate_bps / 1e6:g} Mbit/s", f"{link.delay_s * 1e3:g} ms"
        rows.append([f"{link.a} - {link.b}", " ".join(ports), rate, delay, str(link.queue_limit)])
    click.echo("\n" + "\n".join(aligned(rows)))
    rows = [["host", "address", "MAC address"]]
    rows += [[host, interface.address, interface.mac] for host, interface in plan.interfaces.items()]
    click.echo("\n" + "\n".join(aligned(rows)) + "\n")
    for placement in scenario.placements:
        click.echo(f"profile  {placement.switch} port {placement.port}: {placement.profile.name}")
    for flow in scenario.flows:
        until = "" if flow.stop_s is None else f" to {flow.stop_s:g} s"
        click.echo(f"flow     {flow.source} -> {flow.sink} from {flow.start_s:g} s{until}")


@topology.command()
@click.argument("name", metavar="FILE.yaml|PAPER")
@sources_option
def export(name: str, sources: int | None) -> None:
    """Print a topology as YAML, to begin one of your own with. Profiles are left out."""
    scenario = find_scenario(name, sources)
    click.echo(to_yaml(scenario.topology, scenario.flows, scenario.mtu), nl=False)


@topology.command()
def schema() -> None:
    """Print the JSON Schema of topology files, for editors."""
    click.echo(json.dumps(json_schema(), indent=2))
