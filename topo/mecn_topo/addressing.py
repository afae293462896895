# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Ports, addresses and routes, derived from the order of declaration.

- A switch's ports are numbered from 1 in the order in which its links are declared.
- Host number k (from 1) has 10.H.L.1/24 with k = 256 H + L and MAC address 02:00:00:00:HH:LL.
- Port p of switch number s has MAC address 02:01:SS:SS:PP:PP.
- Routes follow the fewest links; ties go to the link declared first.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cache, partial

from .topology import Topology, TopologyError


@dataclass(frozen=True, slots=True)
class Interface:
    """A host's only interface."""

    address: str
    prefix: str
    mac: str
    gateway_mac: str
    """MAC address of whatever is at the other end of the host's link."""


@dataclass(frozen=True, slots=True)
class Route:
    """One row of a switch's routing table: the fields of the data plane's `forward` action."""

    prefix: str
    port: int
    src_mac: str
    dst_mac: str


@dataclass(frozen=True)
class AddressPlan:
    """What a topology's nodes are called on the wire."""

    ports: dict[tuple[str, int], int]
    """(switch, link index) -> port number."""
    interfaces: dict[str, Interface]
    """By host name."""
    routes: dict[str, tuple[Route, ...]]
    """By switch name, one route for each host, in the hosts' order."""

    def port(self, switch: str, link: int) -> int:
        """The switch's port on a link."""
        try:
            return self.ports[switch, link]
        except KeyError:
            raise TopologyError(f"switch {switch} has no port on link {link}") from None


def host_mac(number: int) -> str:
    """MAC address of host number k, from 1."""
    return f"02:00:00:00:{number >> 8:02x}:{number & 255:02x}"


def port_mac(switch: int, port: int) -> str:
    """MAC address of a port of switch number s, from 1."""
    return f"02:01:{switch >> 8:02x}:{switch & 255:02x}:{port >> 8:02x}:{port & 255:02x}"


def address_plan(topology: Topology) -> AddressPlan:
    """Derives everything that the description leaves open."""
    ports = {
        (switch.name, link): port
        for switch in topology.switches
        for port, link in enumerate(topology.links_of(switch.name), start=1)
    }
    switch_number = {switch.name: number for number, switch in enumerate(topology.switches, start=1)}
    host_number = {host.name: number for number, host in enumerate(topology.hosts, start=1)}

    def mac(node: str, link: int) -> str:
        if node in switch_number:
            return port_mac(switch_number[node], ports[node, link])
        return host_mac(host_number[node])

    interfaces = {}
    for host in topology.hosts:
        number = host_number[host.name]
        (link,) = topology.links_of(host.name)
        network = f"10.{number >> 8}.{number & 255}"
        interfaces[host.name] = Interface(
            address=f"{network}.1",
            prefix=f"{network}.0/24",
            mac=host_mac(number),
            gateway_mac=mac(topology.links[link].other(host.name), link),
        )

    routes: dict[str, list[Route]] = {switch.name: [] for switch in topology.switches}
    next_links = cache(partial(_links_towards, topology))
    for host in topology.hosts:
        # A host hangs on one node; all hosts behind the same node share the search.
        (last_link,) = topology.links_of(host.name)
        neighbour = topology.links[last_link].other(host.name)
        towards = next_links(neighbour)
        for switch in topology.switches:
            if switch.name == neighbour:
                link = last_link
            elif switch.name in towards:
                link = towards[switch.name]
            else:
                continue
            routes[switch.name].append(
                Route(
                    prefix=interfaces[host.name].prefix,
                    port=ports[switch.name, link],
                    src_mac=mac(switch.name, link),
                    dst_mac=mac(topology.links[link].other(switch.name), link),
                )
            )
    return AddressPlan(ports, interfaces, {name: tuple(rows) for name, rows in routes.items()})


def _links_towards(topology: Topology, destination: str) -> dict[str, int]:
    """For each node the link to take towards the destination; hosts do not forward."""
    towards: dict[str, int] = {}
    reached = {destination}
    todo = deque([destination])
    while todo:
        node = todo.popleft()
        for index in topology.links_of(node):
            neighbour = topology.links[index].other(node)
            if neighbour in reached or not topology.is_switch(neighbour):
                continue
            reached.add(neighbour)
            towards[neighbour] = index
            todo.append(neighbour)
    return towards
