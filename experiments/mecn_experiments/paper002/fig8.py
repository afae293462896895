# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 8: loss of UDP flows that go on and off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .udp import udp_figure

if TYPE_CHECKING:
    from .scenarios import Udp

PANELS: tuple[tuple[str, str, Udp, bool], ...] = (
    ("a", "ON/OFF UDP, FTP with Reno", "on-off", False),
    ("b", "ON/OFF UDP, FTP with SACK", "on-off", True),
)
"""Letter, what is drawn, source of the datagrams, SACK."""

FIGURE = udp_figure(
    "fig8",
    "Figure 8: loss rate of ON/OFF UDP flows",
    'RED with ECN or SACK raises the loss rate; "the use of RED without ECN actually reduces the loss rate'
    ' for UDP traffic".',
    panels=PANELS,
)
