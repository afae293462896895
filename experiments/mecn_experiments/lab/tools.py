# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Which of this machine's commands a lab uses; what is missing is said."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from .web_option import DEFAULT

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from mecn_topo.lab import Options
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


def options_for(options: Options, wanted: str, multi_level: bool) -> tuple[Options, str]:
    """With a congestion control for the scheme; and why it is not multi-level ECN although it should be."""
    from mecn_topo.lab import RealCommands, best_available
    from mecn_topo.lab.hosts import checked

    commands = RealCommands()
    if wanted == "auto" and multi_level:
        tcp, why_not = best_available(options.tcp, commands)
        return replace(options, tcp=tcp), why_not
    tcp = replace(options.tcp, congestion="reno" if wanted == "auto" else wanted)
    return replace(options, tcp=checked(tcp, commands)), ""


def page_at(web: tuple[str, int]) -> socket.socket:
    """The socket of a live page, and a line that says where it is."""
    from mecn_topo.lab.page import open_socket, url_of

    page = open_socket(*web, or_any=f"{web[0]}:{web[1]}" == DEFAULT)
    click.echo(f"the live page: {url_of(page)}")
    return page
