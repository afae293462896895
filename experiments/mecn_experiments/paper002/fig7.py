# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figure 7: loss of UDP flows at a constant rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .udp import udp_figure

if TYPE_CHECKING:
    from .scenarios import Udp

PANELS: tuple[tuple[str, str, Udp, bool], ...] = (
    ("a", "CBR with fixed spacing, FTP with Reno", "cbr-fixed", False),
    ("b", "CBR with random spacing, FTP with Reno", "cbr-random", False),
    ("c", "CBR with random spacing, FTP with SACK", "cbr-random", True),
)
"""Letter, what is drawn, source of the datagrams, SACK."""

FIGURE = udp_figure(
    "fig7",
    "Figure 7: loss rate of CBR UDP flows",
    'SACK or ECN "can significantly increase the loss rate for UDP traffic"; with fixed spacing drop-tail'
    " has a much bigger tail at the high loss rates.",
    panels=PANELS,
)
