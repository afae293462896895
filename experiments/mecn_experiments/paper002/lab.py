# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The paper's runs in real time: bulk transfers in either direction, also with round trips of their own, and
ECN beside flows without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..lab.bridge import Bridge, NotInLabError
from .paper import PAPER
from .scenarios import point_of
from .simulate import simulate

if TYPE_CHECKING:
    from ..declaration import Recipe


def title(recipe: Recipe) -> str:
    """Raises :class:`NotInLabError`."""
    point = point_of(recipe)
    for name, count in (
        ("web sessions", point.web + point.back_web),
        ("telnet sessions", point.telnet),
        ("UDP sources", point.udp_flows),
    ):
        if count:
            raise NotInLabError(name)
    parts = [f"{point.scheme}, {point.ftp} FTP"]
    if point.back_ftp:
        parts.append(f"{point.back_ftp} FTP back")
    if point.mixed:
        parts.append("every second without ECN")
    if point.round_trips_ms:
        parts.append("RTT " + "/".join(f"{trip:g}" for trip in point.round_trips_ms) + " ms")
    if point.sack:
        parts.append("SACK")
    return ", ".join(parts)


BRIDGE = Bridge(
    paper=PAPER,
    title=title,
    simulation=simulate,
    look=("fig11",),
    look_settings={"duration_s": 30.0, "round_trips_ms": (102.0, 300.0)},
    in_proportion=("warmup_s",),
)
