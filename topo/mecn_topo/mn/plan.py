# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A scenario as a plan for Mininet: commands and settings only, so that nothing has to be imported there."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..addressing import address_plan
from ..lab import bmv2, hosts, netem
from ..lab.hosts import PEERS
from ..lab.kernel import LabError
from ..lab.links import directions, wires_command
from ..lab.page import page_command
from ..lab.switches import FIRST_GRPC_PORT, FIRST_THRIFT_PORT, port_links

if TYPE_CHECKING:
    from ..description import Scenario
    from ..lab.hosts import HostTcp
    from ..lab.switches import PortLink

BIN = Path(sys.executable).parent


def interface(switch: str, port: int) -> str:
    """As Mininet names interfaces."""
    return f"{switch}-eth{port}"


WIRES = "wires"
"""The node that makes rates and delays of links, with BMv2."""


def wire_end(link: int, side: str) -> str:
    """The interface of that node at one side (a or b) of a link, as Mininet names it."""
    return interface(WIRES, _wire_port(link, side))


def _wire_port(link: int, side: str) -> int:
    return 2 * link + (1 if side == "a" else 2)


def make_plan(
    scenario: Scenario,
    tcp: HostTcp,
    folder: Path,
    *,
    target: str = "embedded",
    by: str = "wires",
    script: Path | None = None,
    page: tuple[str, int] | None = None,
    first_grpc: int = FIRST_GRPC_PORT,
) -> dict[str, Any]:
    """The plan.

    folder: for the switches' control sockets and logs, and the scenario's own files. by: with BMv2, what
    makes rates and delays of links (mecn_topo.lab.links). page: where the live page is served.
    first_grpc: port of the first switch.

    Mininet's hosts get named network namespaces, so that whatever happens to its process, they are found and
    removed as a lab's are (mecn_topo.lab.registry).
    """
    name = f"mininet-{os.getpid()}"
    topology, plan = scenario.topology, address_plan(scenario.topology)
    switches: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    commands: list[list[str]] = []
    for number, switch in enumerate(topology.switches, start=1):
        ports = port_links(topology, plan, switch.name)
        switches.append(_switch(number, switch.name, ports, folder, target, first_grpc + number - 1))
        for of in ports:
            settings = of.settings
            text = f"{settings.rate}, {settings.delay}, at most {settings.limit} packets"
            rows.append({"switch": switch.name, "port": of.port, "neighbour": of.neighbour, "text": text})
    has_wires = target == "bmv2" and by == "wires"
    links = _links(scenario, has_wires)
    # Those in the root namespace.
    interfaces = [interface(row["switch"], row["port"]) for row in rows]
    if has_wires:
        interfaces += [wire_end(index, side) for index in range(len(topology.links)) for side in "ab"]
        switches.append(_wires(scenario, folder))
    elif target == "bmv2":
        commands += _netem(scenario, name)
    commands += [["ip", "link", "set", name, "mtu", str(scenario.mtu)] for name in interfaces]
    described, of_hosts, undo = _hosts(scenario, tcp, name)
    commands += of_hosts
    commands.append([sys.executable, "-m", "mecn_topo.mn.configure", str(folder / "configure.json")])
    return {
        "name": name,
        "title": f"{topology.name}, in Mininet",
        "folder": str(folder),
        "target": target,
        "mecn": str(BIN / "mecn"),
        "switches": switches,
        "hosts": described,
        "links": links,
        "ports": rows,
        "interfaces": interfaces,
        "commands": commands,
        "undo": undo,
        "path": [str(BIN), *_folder_of(hosts.mecn_host())],
        "page": [] if page is None else _page(scenario, folder, first_grpc, page),
        "script": None if script is None else str(script.resolve()),
    }


def _hosts(
    scenario: Scenario, tcp: HostTcp, name: str
) -> tuple[list[dict[str, Any]], list[list[str]], list[list[str]]]:
    """The hosts; commands for what is not of Mininet, and those that undo it."""
    described: list[dict[str, Any]] = []
    commands: list[list[str]] = []
    undo: list[list[str]] = []
    for host in scenario.topology.hosts:
        netns = f"{name}-{host.name}"
        described.append({**_host(host.name, scenario, tcp), "netns": netns})
        if tcp.congestion == "mecn":
            undo.append(hosts.down(netns))
            program = str(hosts.mecn_host())
            commands.append([program, "up", "--netns", netns, "-i", f"{host.name}-eth0", "-p", PEERS])
        route = ["ip", "-n", netns, "route", "replace", "default", "via", _gateway(host.name, scenario)]
        commands.append([*route, "dev", f"{host.name}-eth0", *tcp.route_options()])
    return described, commands, undo


def _netem(scenario: Scenario, name: str) -> list[list[str]]:
    """Commands that let the kernel make rates and delays of links."""
    found = []
    for way in directions(scenario, address_plan(scenario.topology)):
        inside = [] if way.port is not None else ["ip", "netns", "exec", f"{name}-{way.sender}"]
        found.append([*inside, *netem.rule(interface(way.sender, way.port or 0), way)])
    return found


def _links(scenario: Scenario, has_wires: bool) -> list[dict[str, Any]]:
    """Mininet's links: those of the topology, or from each of their ends to the node in between."""
    plan, found = address_plan(scenario.topology), []
    for index, link in enumerate(scenario.topology.links):
        ends = [(end, plan.ports.get((end, index))) for end in (link.a, link.b)]
        pairs = [(ends[0], ends[1])]
        if has_wires:
            pairs = [(end, (WIRES, _wire_port(index, side))) for end, side in zip(ends, "ab", strict=True)]
        found += [{"a": a, "b": b, "port_a": port_a, "port_b": port_b} for (a, port_a), (b, port_b) in pairs]
    return found


def _wires(scenario: Scenario, folder: Path) -> dict[str, Any]:
    """The node in the middle of all links."""
    topology = scenario.topology
    if WIRES in {host.name for host in topology.hosts} | {switch.name for switch in topology.switches}:
        raise LabError(f"with BMv2 no node may have the name {WIRES}, which the node of the links has")
    socket = folder / f"{WIRES}.ctl"
    both = directions(scenario, address_plan(topology))
    return {
        "name": WIRES,
        "class": "wires",
        "settings": {
            # Mininet makes one of a name's digits.
            "dpid": "ffff",
            "command": wires_command(both, topology.overhead_bytes, socket, wire_end),
            "ctl_socket": str(socket),
        },
        "port_options": {},
        "log": str(folder / f"{WIRES}.log"),
    }


def _gateway(host: str, scenario: Scenario) -> str:
    return address_plan(scenario.topology).interfaces[host].address.rsplit(".", 1)[0] + ".254"


def _host(name: str, scenario: Scenario, tcp: HostTcp) -> dict[str, Any]:
    of = address_plan(scenario.topology).interfaces[name]
    commands = [["sysctl", "-q", "-w", f"{key}={value}"] for key, value in tcp.sysctls().items()]
    commands += [
        ["ip", "link", "set", "{if}", "mtu", str(scenario.mtu), "gso_max_segs", "1"],
        ["ip", "neigh", "replace", _gateway(name, scenario), "lladdr", of.gateway_mac, "dev", "{if}", "nud",
         "permanent"],
    ]  # fmt: skip
    return {"name": name, "address": f"{of.address}/24", "mac": of.mac, "commands": commands}


def _folder_of(program: Path | None) -> list[str]:
    return [] if program is None else [str(program.parent)]


def _page(scenario: Scenario, folder: Path, first_grpc: int, page: tuple[str, int]) -> list[str]:
    """The command of the live page."""
    if not scenario.placements:
        raise LabError("nothing to show: the topology names no profile for any queue")
    names = [switch.name for switch in scenario.topology.switches]
    number = names.index(scenario.placements[0].switch)
    command = page_command(scenario, folder, f"127.0.0.1:{first_grpc + number}", number + 1)
    return [*command, "--web", f"{page[0]}:{page[1]}"]


def _switch(
    number: int, name: str, ports: list[PortLink], folder: Path, target: str, grpc: int
) -> dict[str, Any]:
    settings: dict[str, Any] = {"device_id": number, "grpc_port": grpc}
    options: dict[str, list[str]] = {}
    if target == "bmv2":
        thrift = FIRST_THRIFT_PORT + number - 1
        settings["thrift_port"] = thrift
        # Up to its target's own options, which the class adds.
        whole = bmv2.switch_command(number, [], folder)
        settings["command"] = whole[: whole.index("--")]
    else:
        socket = str(folder / f"{name}.ctl")
        settings |= {"ctl_socket": socket}
        settings["command"] = [
            str(BIN / "mecn-switch"), "--no-p4", "--device-id", str(number), "--grpc-server-addr",
            f"127.0.0.1:{grpc}", "--ctl-socket", socket, "--log-level", "warn",
        ]  # fmt: skip
        options = {str(of.port): port_options(of) for of in ports}
    return {
        "name": name,
        "class": target,
        "settings": settings,
        "port_options": options,
        "log": str(folder / f"{name}.log"),
    }


def port_options(of: PortLink) -> list[str]:
    """Options of mecn-switch for a port's queue and link."""
    settings = of.settings
    found = [
        f"--port-rate={of.port}={settings.rate}",
        f"--port-limit={of.port}={settings.limit}",
        f"--port-delay={of.port}={settings.delay}",
        f"--port-overhead={of.port}={settings.overhead_bytes}",
    ]
    if settings.in_rate_bps is not None:
        found.append(f"--port-in-rate={of.port}={settings.in_rate}")
    if settings.in_delay_ns:
        found.append(f"--port-in-delay={of.port}={settings.in_delay}")
    return found


def write_configuration(
    scenario: Scenario,
    program: tuple[str, str],
    folder: Path,
    target: str,
    first_grpc: int = FIRST_GRPC_PORT,
) -> None:
    """What `configure` reads: program (BMv2 JSON, P4Info), addresses, routes, profiles."""
    plan = address_plan(scenario.topology)
    switches = []
    for number, switch in enumerate(scenario.topology.switches, start=1):
        rows = plan.routes[switch.name]
        switches.append(
            {
                "number": number,
                "address": f"127.0.0.1:{first_grpc + number - 1}",
                "routes": [[row.prefix, row.port, row.src_mac, row.dst_mac] for row in rows],
                "profiles": [
                    [of.port, of.profile.model_dump(mode="json", exclude_unset=True)]
                    for of in scenario.placements
                    if of.switch == switch.name
                ],
                "queues": bmv2.queues(scenario, switch.name, scenario.mtu) if target == "bmv2" else [],
            }
        )
    data = {"bmv2_json": program[0], "p4info": program[1], "switches": switches}
    (folder / "configure.json").write_text(json.dumps(data))
