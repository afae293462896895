# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Rates and delays by the kernel's netem, for switches whose ports cannot make them (BMv2).

On a host's link both directions are made by netem: at the host's interface, and at the switch's. Between
switches only the delay is: the queue must be the switch's own, or its depth would read 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .kernel import LabError, in_namespace

if TYPE_CHECKING:
    from .kernel import Commands
    from .network import Network
    from .switches import PortLink

QUEUE = 100_000
"""Packets that netem holds; no queue but the switches' shall drop."""


def obstacle(commands: Commands) -> str | None:
    """Why netem cannot be used here; None if it can. tc says nothing of use, so it is tried."""
    try:
        commands.run(["unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"])
    except LabError as error:
        return (
            "this kernel has no netem, and without it nothing makes the links' rates and delays with BMv2 "
            f"({error}); load sch_netem, or use the embedded switch, whose ports make them"
        )
    return None


def _delay(delay_ns: int) -> list[str]:
    """Words of tc for a delay, to the nanosecond (netem rounds to its clock's ticks of 64 ns)."""
    return ["delay", f"{delay_ns // 1000}.{delay_ns % 1000:03}".rstrip("0").rstrip(".") + "us"]


def host_rule(interface: str, rate_bps: int, delay_ns: int) -> list[str]:
    """tc command for one direction of a host's link."""
    shaped = ["rate", f"{rate_bps}bit", *_delay(delay_ns)]
    return [
        "tc", "qdisc", "replace", "dev", interface, "root", "netem", "limit", str(QUEUE), *shaped,
    ]  # fmt: skip


def trunk_rule(interface: str, delay_ns: int) -> list[str]:
    """tc command for one direction of a link between switches."""
    return [
        "tc", "qdisc", "replace", "dev", interface, "root", "netem", "limit", str(QUEUE),
        *_delay(delay_ns),
    ]  # fmt: skip


def port_rules(of: PortLink) -> list[list[str]]:
    """tc commands in the switches' namespace for what a port sends."""
    settings = of.settings
    if of.to_host:
        return [host_rule(of.interface, settings.rate_bps or 0, settings.delay_ns)]
    return [trunk_rule(of.interface, settings.delay_ns)] if settings.delay_ns else []


def shape_hosts(network: Network) -> None:
    """Makes rates and delays of all links but for the rates between switches. Raises LabError."""
    for switch in network.switches:
        for of in network.ports(switch):
            for rule in port_rules(of):
                network.commands.run(rule)
            if of.to_host:
                settings = of.settings
                rule = host_rule("eth0", settings.in_rate_bps or 0, settings.in_delay_ns)
                network.commands.run(in_namespace(network.namespace(of.neighbour), rule))
