# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Rates and delays of links by the kernel's netem, where it has that: at the interface of each sender."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .kernel import LabError

if TYPE_CHECKING:
    from .kernel import Commands
    from .links import Direction

QUEUE = 100_000
"""Packets that netem holds; no queue but the switches' shall drop."""


def obstacle(commands: Commands) -> str | None:
    """Why netem cannot be used here; None if it can. tc says nothing of use, so it is tried."""
    try:
        commands.run(["unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"])
    except LabError as error:
        return (
            f"this kernel has no netem ({error}); load sch_netem, or let mecn-switch make the links "
            "(--links wires)"
        )
    return None


def _delay(delay_ns: int) -> list[str]:
    """Words of tc for a delay, to the nanosecond (netem rounds to its clock's ticks of 64 ns)."""
    return ["delay", f"{delay_ns // 1000}.{delay_ns % 1000:03}".rstrip("0").rstrip(".") + "us"]


def rule(interface: str, of: Direction) -> list[str]:
    """tc command for what a node sends into a link. Its queue has netem's limit and not the link's."""
    rate = [] if of.rate_bps is None else ["rate", f"{of.rate_bps}bit"]
    return [
        "tc", "qdisc", "replace", "dev", interface, "root", "netem", "limit", str(QUEUE), *rate,
        *_delay(of.delay_ns),
    ]  # fmt: skip
