# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn demo`: a marked queue, live in the browser, without a switch and without root."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from mecn_controller.errors import ControllerError

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_PORT = 8080
REAL_S = 3600.0
"""How long a network in real time stays: its measures are kept in memory."""
CANNOT_RUN = 2
SCHEMES = ("mecn", "ecn", "ecnm", "ecn-gentle", "red", "red-gentle", "threshold", "drop-tail")


def _speed(_ctx: click.Context, _param: click.Parameter, value: str) -> float:
    try:
        speed = float(value.lower().removesuffix("x"))
    except ValueError:
        speed = 0.0
    if not 0.01 <= speed <= 100:
        raise click.BadParameter(f"{value!r} is not a speed: give a number from 0.01 to 100, such as 10x")
    return speed


@click.command()
@click.option(
    "--paper",
    type=click.Choice(["003", "000", "004"]),
    default="003",
    show_default=True,
    help="Whose topology.",
)
@click.option(
    "--scheme", type=click.Choice(SCHEMES), default="mecn", show_default=True, help="Of the bottleneck."
)
@click.option(
    "--topology",
    type=click.Path(path_type=Path),
    metavar="FILE.yaml",
    help="Your own in place of a paper's, with its flows and profiles.",
)
@click.option(
    "--compare",
    type=click.Choice(SCHEMES),
    metavar="SCHEME",
    help="Show this scheme beside the first: the same network twice.",
)
@click.option("--flows", type=click.IntRange(1, 250), default=5, show_default=True, help="Bulk TCP flows.")
@click.option(
    "--speed",
    default="1x",
    callback=_speed,
    show_default=True,
    metavar="NUMBER[x]",
    help="Virtual seconds in a second.",
)
@click.option(
    "--web-port",
    type=click.IntRange(0, 65535),
    help=f"Of the page on 127.0.0.1; default: {DEFAULT_PORT}, or any if that is taken.",
)
@click.option(
    "--real", is_flag=True, help="Linux hosts in namespaces, in real time, for an hour. Needs root."
)
@click.option("--no-open", is_flag=True, help="Do not open the page in a browser.")
def demo(
    paper: str,
    scheme: str,
    topology: Path | None,
    compare: str | None,
    flows: int,
    speed: float,
    web_port: int | None,
    real: bool,
    no_open: bool,
) -> None:
    """Show a queue, its marks and its marking curve live in the browser, with sliders. Needs no root.

    A paper's network runs in virtual time that keeps pace with the clock: hosts send bulk TCP through the P4
    program, and the page changes its tables. Ctrl-C ends it.
    """

    def opened(url: str) -> None:
        shown = scheme if compare is None else f"{scheme} beside {compare}"
        what = f"{flows} flows, {shown}" if topology is None else str(topology)
        click.echo(f"{url}  {what}; Ctrl-C ends it")
        if not no_open and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            click.launch(url)

    if topology is not None and (compare is not None or real):
        raise click.UsageError(
            "--topology goes with neither --compare nor --real; mecn lab run FILE.yaml --web"
        )
    if real:
        if speed != 1 or compare is not None:
            raise click.UsageError("--speed and --compare are for virtual time, without --real")
        _show_real(paper, scheme, flows, web_port, opened)
        return
    import asyncio

    from mecn_controller.policy.profile import Mecn
    from mecn_topo.topology import TopologyError

    from .demo_network import LiveNetwork, demo_scenario, own_scenario, serve_networks
    from .errors import ExperimentError

    click.echo("compiling the P4 program, setting the switches up ...", err=True)

    async def run() -> None:
        networks = []
        if topology is not None:
            shown = [(str(topology), own_scenario(topology))]
        else:
            wanted = (scheme, *([] if compare is None else [compare]))
            shown = [(name, demo_scenario(paper, name, flows)) for name in wanted]
        for name, scenario in shown:
            multi_level = any(isinstance(of.profile, Mecn) for of in scenario.placements)
            networks.append(await asyncio.to_thread(LiveNetwork, scenario, speed))
            click.echo(f"{name}: the hosts run {'multi-level' if multi_level else 'classic'} ECN", err=True)
        try:
            port = DEFAULT_PORT if web_port is None else web_port
            await serve_networks(networks, ("127.0.0.1", port), opened)
        except ControllerError:
            if web_port is not None:
                raise
            await serve_networks(networks, ("127.0.0.1", 0), opened)

    try:
        asyncio.run(run())
    except (ControllerError, ExperimentError, TopologyError) as error:
        click.echo(f"mecn demo: {error}", err=True)
        sys.exit(CANNOT_RUN)
    except KeyboardInterrupt:
        click.echo("ended", err=True)


def _show_real(
    paper: str, scheme: str, flows: int, web_port: int | None, opened: Callable[[str], None]
) -> None:
    """The same network of namespaces and Linux hosts."""
    from mecn_topo.lab import LabError
    from mecn_topo.lab.kernel import CannotRunError, obstacle
    from mecn_topo.lab.page import open_socket, url_of

    from .demo_network import demo_scenario
    from .errors import ExperimentError
    from .lab.show import show_live

    try:
        if (reason := obstacle()) is not None:
            raise CannotRunError(f"--real: {reason}")
        page = open_socket(
            "127.0.0.1", DEFAULT_PORT if web_port is None else web_port, or_any=web_port is None
        )
        opened(url_of(page))
        show_live(demo_scenario(paper, scheme, flows), page, REAL_S)
    except (LabError, ControllerError, ExperimentError) as error:
        click.echo(f"mecn demo: {error}", err=True)
        sys.exit(CANNOT_RUN)
    except KeyboardInterrupt:
        click.echo("ended; the network was taken down", err=True)
