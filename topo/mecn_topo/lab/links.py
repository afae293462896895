# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Rates and delays of links for switches whose ports make neither (BMv2): what each direction needs.

A process (`mecn-switch wires`) stands as a node between the virtual interfaces of both ends, or the kernel's
netem does it. A queue with a profile is the switch's own: there the link has the delay only, since with a
rate as well the standing queue would move out of the switch. All other directions have rate and delay here.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mecn_switch.ports import PortSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..addressing import AddressPlan
    from ..description import Scenario


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of a link. Rates in bits per second of frames plus the topology's overhead."""

    link: int
    """Which link, from 0."""
    sender: str
    """The node."""
    port: int | None
    """The sender's; None for a host."""
    rate_bps: int | None
    """None: the queue of the sender's port makes it."""
    delay_ns: int
    limit_packets: int | None
    """What the queue before the link holds; None: a host's, which waits in the host."""

    @property
    def words(self) -> list[str]:
        """What `mecn-switch wires` is told of it."""
        settings = PortSettings(rate_bps=self.rate_bps, delay_ns=self.delay_ns)
        found = [] if self.rate_bps is None else [f"rate={settings.rate}"]
        found += [f"delay={settings.delay}"] if self.delay_ns else []
        return found + ([] if self.limit_packets is None else [f"limit={self.limit_packets}"])


def directions(scenario: Scenario, plan: AddressPlan) -> list[Direction]:
    """Both directions of all links, in the order of the topology, from `a` to `b` first."""
    topology = scenario.topology
    profiled = {(of.switch, of.port) for of in scenario.placements}
    found = []
    for index, link in enumerate(topology.links):
        for sender in (link.a, link.b):
            port = plan.ports.get((sender, index))
            paced = port is not None and (sender, port) in profiled
            found.append(
                Direction(
                    link=index,
                    sender=sender,
                    port=port,
                    rate_bps=None if paced else link.rate_bps,
                    delay_ns=round(link.delay_s * 1e9),
                    limit_packets=None if paced or port is None else link.queue_limit,
                )
            )
    return found


def middle(link: int, side: str) -> str:
    """Name of the wires' interface at one side (a or b) of a link."""
    return f"l{link}{side}"


def wires_command(
    both: Sequence[Direction],
    overhead_bytes: int,
    ctl_socket: Path,
    name: Callable[[int, str], str] = middle,
) -> list[str]:
    """The process between the interfaces that `name` names. both: as :func:`directions` gives them."""
    command = [str(Path(sys.executable).parent / "mecn-switch"), "wires", f"--overhead={overhead_bytes}"]
    command += ["--ctl-socket", str(ctl_socket)]
    for number, of in enumerate(both):
        here, there = "ab" if number % 2 == 0 else "ba"
        command += ["--wire", name(of.link, here), name(of.link, there), *of.words]
    return command
