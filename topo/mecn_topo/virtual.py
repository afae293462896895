# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Builds a topology as a virtual network: embedded switches and hosts in simulated time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_native import Network

from .addressing import AddressPlan, address_plan
from .topology import Topology, TopologyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mecn_native import Node, Switch


@dataclass(frozen=True)
class VirtualNetwork:
    """A topology in virtual time, with nothing in it that sends yet."""

    network: Network
    nodes: dict[str, Node]
    plan: AddressPlan


def build_network(topology: Topology, switches: Mapping[str, Switch], *, seed: int = 1) -> VirtualNetwork:
    """Builds the network; each switch of the topology is a fork of the configured switch of its name.

    Raises :class:`TopologyError` when a switch is missing, and NetworkError on what the network refuses.
    """
    plan = address_plan(topology)
    network = Network(seed=seed)
    nodes: dict[str, Node] = {}
    for switch in topology.switches:
        if switch.name not in switches:
            raise TopologyError(f"no configured switch was given for {switch.name}")
        nodes[switch.name] = network.add_switch(switch.name, switches[switch.name])
    for host in topology.hosts:
        interface = plan.interfaces[host.name]
        nodes[host.name] = network.add_host(
            host.name, address=interface.address, mac=interface.mac, gateway_mac=interface.gateway_mac
        )
    for index, link in enumerate(topology.links):
        ends = [name for name in (link.a, link.b) if topology.is_switch(name)]
        if len(ends) == 2:
            network.link_switches(
                nodes[link.a],
                plan.port(link.a, index),
                nodes[link.b],
                plan.port(link.b, index),
                rate_bps=link.rate_bps,
                delay_s=link.delay_s,
                limit_packets=link.queue_limit,
                overhead_bytes=topology.overhead_bytes,
            )
        elif len(ends) == 1:
            network.link(
                nodes[link.other(ends[0])],
                nodes[ends[0]],
                port=plan.port(ends[0], index),
                rate_bps=link.rate_bps,
                delay_s=link.delay_s,
                limit_packets=link.queue_limit,
                overhead_bytes=topology.overhead_bytes,
            )
        else:
            network.link_hosts(
                nodes[link.a],
                nodes[link.b],
                rate_bps=link.rate_bps,
                delay_s=link.delay_s,
                overhead_bytes=topology.overhead_bytes,
            )
    return VirtualNetwork(network, nodes, plan)
