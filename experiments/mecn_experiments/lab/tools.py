# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Which of this machine's commands a lab uses; what is missing is said."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from mecn_topo.lab.run import Traffic


def traffic_of(wanted: str) -> Traffic:
    """What sends; auto is iperf3 where it is."""
    if wanted == "auto":
        if shutil.which("iperf3") is not None:
            return "iperf3"
        click.echo("iperf3 is not on PATH (Debian: apt install iperf3): plain sockets send instead", err=True)
        return "plain"
    return "plain" if wanted == "plain" else "iperf3"


def captures_in(wanted: bool | None, folder: Path) -> Path | None:
    """Where captures go; None: there are none."""
    if wanted is None and shutil.which("tcpdump") is None:
        click.echo("tcpdump is not on PATH (Debian: apt install tcpdump): no captures, no delays", err=True)
        return None
    return None if wanted is False else folder
