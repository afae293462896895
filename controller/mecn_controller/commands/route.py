# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn route`: the routes of a running switch."""

from __future__ import annotations

import dataclasses
import ipaddress
import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mecn_controller.commands.target import PORT, Target, json_option, reads, writes
from mecn_controller.policy.routes import RESERVED_ROUTES, LocalRoute, Route
from mecn_controller.text_table import aligned

if TYPE_CHECKING:
    from mecn_controller.policy.routes import AnyRoute


@click.group()
def route() -> None:
    """Add, delete and show routes of a running switch."""


def _prefix(_ctx: click.Context, _param: click.Parameter, value: str | None) -> str | None:
    try:
        return None if value is None else str(ipaddress.ip_network(value))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _prefixes(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> list[str | None]:
    return [_prefix(ctx, param, value) for value in values]


@route.command()
@click.argument("prefix", callback=_prefix, required=False)
@click.option("--port", type=PORT, help="Packets to the prefix leave here.")
@click.option("--dst-mac", metavar="MAC", help="Of the next hop.")
@click.option("--src-mac", metavar="MAC", help="Of the switch's port.")
@click.option("--local", is_flag=True, help="An address of the switch itself: packets go to the controller.")
@click.option(
    "--file",
    "path",
    type=click.Path(path_type=Path),
    help="Take them from a runtime.json of p4lang/tutorials.",
)
@writes
def add(
    prefix: str | None,
    port: int | None,
    dst_mac: str | None,
    src_mac: str | None,
    local: bool,
    path: Path | None,
    target: Target,
) -> None:
    """Add routes, or change those with the same prefix; the others stay. All or nothing."""
    if path is not None:
        if prefix is not None or port is not None or local:
            raise click.UsageError("give a prefix with --port, or --file")
        from mecn_controller.policy.runtime_json import load_routes

        routes = load_routes(path, src_mac)
    else:
        routes = [_wanted(prefix, port, src_mac, dst_mac, local)]
    target.run(lambda session: session.write_routes(routes))
    click.echo(f"{target.address}: {len(routes)} route{'s' * (len(routes) != 1)} written and read back")


def _wanted(
    prefix: str | None, port: int | None, src_mac: str | None, dst_mac: str | None, local: bool
) -> AnyRoute:
    if prefix is None:
        raise click.UsageError("give a prefix, such as 10.0.1.0/24, or --file")
    if local:
        return LocalRoute(prefix)
    if port is None or src_mac is None or dst_mac is None:
        raise click.UsageError("a route needs --port, --src-mac and --dst-mac, or --local")
    wanted = Route(prefix, port, src_mac, dst_mac)
    try:
        wanted.entry()
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    return wanted


@route.command("del")
@click.argument("prefixes", metavar="PREFIX...", callback=_prefixes, nargs=-1, required=True)
@writes
def delete(prefixes: list[str], target: Target) -> None:
    """Delete the routes of these prefixes."""
    target.run(lambda session: session.delete_routes(prefixes))
    click.echo(f"{target.address}: {len(prefixes)} route{'s' * (len(prefixes) != 1)} deleted")


@route.command()
@click.option("--all", "everything", is_flag=True, help="Also those that every router has.")
@json_option
@reads
def show(everything: bool, as_json: bool, target: Target) -> None:
    """Print the routes, as read from the switch."""
    found = target.run(lambda session: session.routes())
    routes = [each for each in found if everything or each not in RESERVED_ROUTES]
    if as_json:
        listed = [{"kind": type(each).__name__, **dataclasses.asdict(each)} for each in routes]
        click.echo(json.dumps({"address": target.address, "routes": listed}, indent=2))
        return
    if not routes:
        click.echo(f"{target.address}: no routes")
        return
    rows = [["prefix", "port", "next hop", "from"]]
    for each in routes:
        if isinstance(each, Route):
            rows.append([each.prefix, str(each.port), each.dst_mac, each.src_mac])
        else:
            rows.append([each.prefix, "-", "controller" if isinstance(each, LocalRoute) else "dropped", ""])
    click.echo("\n".join(aligned(rows)))
