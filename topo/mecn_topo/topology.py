# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A topology: hosts, switches and the links between them, independent of where it will run.

Nothing here knows a simulator or a kernel: the same description is built as a virtual network
(:mod:`mecn_topo.virtual`) and can be built as namespaces or in Mininet. Everything that is not stated
(ports, addresses, routes) follows from the order of declaration, see :mod:`mecn_topo.addressing`; adding
nodes and links at the end changes nothing for those before them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,30}")
MAX_HOSTS = 65_535
"""Each host lives in a /24 of its own below 10.0.0.0/8."""
MAX_PORT = 510
"""v1model ports have nine bits; 511 means drop."""
DEFAULT_QUEUE_LIMIT = 64
"""Packets; the default of simple_switch."""


Where = tuple[str | int, ...]
"""A part of a description: keys and indices that lead to it."""


class TopologyError(ValueError):
    """A description that cannot be built; the message names the node or link.

    `where` is the part of the description that is wrong, such as ("links", 3), if it is one part.
    """

    def __init__(self, message: str, where: Where = ()) -> None:
        self.where = where
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Host:
    """An end system with one link."""

    name: str


@dataclass(frozen=True, slots=True)
class Switch:
    """A P4 switch that routes IPv4."""

    name: str


@dataclass(frozen=True, slots=True)
class Link:
    """A symmetrical full-duplex link.

    rate_bps counts the bytes that the topology says it counts (:attr:`Topology.overhead_bytes`), in bits per
    second. delay_s is the propagation delay one way. queue_limit is that of the switch queues that feed the
    link, in packets, the one in transmission not counted; a host's own queue is unlimited.
    """

    a: str
    b: str
    rate_bps: int
    delay_s: float
    queue_limit: int = DEFAULT_QUEUE_LIMIT

    def __str__(self) -> str:
        return f"link {self.a}-{self.b}"

    def other(self, node: str) -> str:
        """The node at the other end."""
        return self.b if node == self.a else self.a


@dataclass(frozen=True, slots=True)
class Topology:
    """A validated network; raises :class:`TopologyError` on construction.

    overhead_bytes is added to each frame's length before the link's rate is applied: 0 counts Ethernet's
    header, -14 counts IP packets only, as network simulators of the papers' time do.
    """

    name: str
    hosts: tuple[Host, ...]
    switches: tuple[Switch, ...]
    links: tuple[Link, ...]
    overhead_bytes: int = 0
    _by_node: dict[str, tuple[int, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places: dict[str, Where] = {}
        kinds: tuple[tuple[str, tuple[Switch | Host, ...]], ...] = (
            ("switches", self.switches),
            ("hosts", self.hosts),
        )
        for kind, declared in kinds:
            for index, node in enumerate(declared):
                if not NAME.fullmatch(node.name):
                    raise TopologyError(
                        f"node name {node.name!r}: letters, digits, '_', '.', '-' only,"
                        " beginning with a letter",
                        (kind, index),
                    )
                if node.name in places:
                    raise TopologyError(f"node {node.name} is declared twice", (kind, index))
                places[node.name] = (kind, index)
        nodes = list(places)
        if len(self.hosts) > MAX_HOSTS:
            raise TopologyError(f"{len(self.hosts)} hosts: the address plan has room for {MAX_HOSTS}")
        if not -14 <= self.overhead_bytes <= 1000:
            raise TopologyError(
                f"overhead_bytes ({self.overhead_bytes}) must be between -14 and 1000", ("overhead_bytes",)
            )
        by_node: dict[str, list[int]] = {name: [] for name in nodes}
        for index, link in enumerate(self.links):
            _check_link(link, by_node, ("links", index))
            by_node[link.a].append(index)
            by_node[link.b].append(index)
        for host in self.hosts:
            if len(by_node[host.name]) != 1:
                message = f"host {host.name} has {len(by_node[host.name])} links, must have one"
                raise TopologyError(message, places[host.name])
        for switch in self.switches:
            if len(by_node[switch.name]) > MAX_PORT:
                message = f"switch {switch.name} has {len(by_node[switch.name])} links, at most {MAX_PORT}"
                raise TopologyError(message, places[switch.name])
        object.__setattr__(self, "_by_node", {name: tuple(links) for name, links in by_node.items()})
        self._check_connected(nodes, places)

    def _check_connected(self, nodes: list[str], places: dict[str, Where]) -> None:
        if not nodes:
            raise TopologyError("a topology needs nodes")
        reached = {nodes[0]}
        todo = [nodes[0]]
        while todo:
            node = todo.pop()
            for index in self._by_node[node]:
                neighbour = self.links[index].other(node)
                if neighbour not in reached:
                    reached.add(neighbour)
                    todo.append(neighbour)
        for name in nodes:
            if name not in reached:
                raise TopologyError(f"node {name} cannot be reached from {nodes[0]}", places[name])

    def is_switch(self, name: str) -> bool:
        """Whether the node of this name is a switch."""
        return any(switch.name == name for switch in self.switches)

    def links_of(self, node: str) -> tuple[int, ...]:
        """Indices of the node's links, in order of declaration."""
        try:
            return self._by_node[node]
        except KeyError:
            raise TopologyError(f"there is no node {node}") from None

    def link_between(self, a: str, b: str) -> int:
        """Index of the first link between two nodes."""
        for index in self.links_of(a):
            if self.links[index].other(a) == b:
                return index
        raise TopologyError(f"there is no link between {a} and {b}")


def _check_link(link: Link, nodes: dict[str, list[int]], where: Where) -> None:
    for end in (link.a, link.b):
        if end not in nodes:
            raise TopologyError(f"{link}: there is no node {end}", where)
    if link.a == link.b:
        raise TopologyError(f"{link}: both ends are the same node", where)
    if link.rate_bps <= 0:
        raise TopologyError(f"{link}: rate_bps ({link.rate_bps}) must be above 0", where)
    if not (math.isfinite(link.delay_s) and 0 <= link.delay_s <= 3600):
        raise TopologyError(f"{link}: delay_s ({link.delay_s}) must be between 0 and 3600", where)
    if link.queue_limit < 1:
        raise TopologyError(f"{link}: queue_limit ({link.queue_limit}) must be at least 1 packet", where)
