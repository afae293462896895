# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The command that starts a switch of a topology, for each target; used by the lab and by Mininet.

A switch's interfaces are s1p1, s1p2...: switch number, port.
"""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mecn_switch.ports import PortSettings

from .kernel import LabError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..addressing import AddressPlan
    from ..topology import Topology

TARGETS = ("embedded", "bmv2")
FIRST_GRPC_PORT = 9559
FIRST_THRIFT_PORT = 9090


def interface(switch: int, port: int) -> str:
    """Name of a switch's interface, both numbered from 1."""
    return f"s{switch}p{port}"


@dataclass(frozen=True, slots=True)
class PortLink:
    """A port of a switch, the link behind it, and whether a host or a switch is at its other end."""

    port: int
    interface: str
    settings: PortSettings
    """What the embedded switch is told: queue, and the link in both directions where a host is behind it."""
    neighbour: str
    to_host: bool


def port_links(topology: Topology, plan: AddressPlan, switch: str) -> list[PortLink]:
    """The ports of a switch.

    A switch makes rate and delay of what it sends. A host's sending side is made by the switch as well, when
    its frames come in.
    """
    number = [of.name for of in topology.switches].index(switch) + 1
    found = []
    for index in topology.links_of(switch):
        link, port = topology.links[index], plan.port(switch, index)
        other = link.other(switch)
        to_host = not topology.is_switch(other)
        delay_ns = round(link.delay_s * 1e9)
        settings = PortSettings(
            rate_bps=link.rate_bps,
            limit_packets=link.queue_limit,
            overhead_bytes=topology.overhead_bytes,
            delay_ns=delay_ns,
            in_rate_bps=link.rate_bps if to_host else None,
            in_delay_ns=delay_ns if to_host else 0,
        )
        found.append(PortLink(port, interface(number, port), settings, other, to_host))
    return found


def grpc_address(number: int) -> str:
    """Where switch number k, from 1, serves P4Runtime."""
    return f"127.0.0.1:{FIRST_GRPC_PORT + number - 1}"


def free_grpc_port(count: int) -> int:
    """The first of so many consecutive ports that are free in this namespace, from the usual one on."""
    for first in range(FIRST_GRPC_PORT, 1 << 16, count):
        if all(_is_free(port) for port in range(first, first + count)):
            return first
    raise LabError(f"no {count} consecutive ports are free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def thrift_port(number: int) -> int:
    """Where BMv2 as switch number k, from 1, serves Thrift."""
    return FIRST_THRIFT_PORT + number - 1


def embedded_command(
    number: int, ports: Sequence[PortLink], ctl_socket: Path, *, capture: Path | None = None, seed: int = 0
) -> list[str]:
    """`mecn-switch` as switch number k, from 1."""
    command = [str(Path(sys.executable).parent / "mecn-switch"), "--no-p4", "--device-id", str(number)]
    command += ["--grpc-server-addr", grpc_address(number), "--ctl-socket", str(ctl_socket)]
    command += ["--seed", str(seed), "--log-level", "warn"]
    for of in ports:
        settings = of.settings
        command += ["-i", f"{of.port}@{of.interface}"]
        command += [f"--port-rate={of.port}={settings.rate}", f"--port-limit={of.port}={settings.limit}"]
        command += [f"--port-delay={of.port}={settings.delay}"]
        command += [f"--port-overhead={of.port}={settings.overhead_bytes}"]
        if settings.in_rate_bps is not None:
            command += [f"--port-in-rate={of.port}={settings.in_rate}"]
        if settings.in_delay_ns:
            command += [f"--port-in-delay={of.port}={settings.in_delay}"]
    return command if capture is None else [*command, "--pcap", str(capture)]
