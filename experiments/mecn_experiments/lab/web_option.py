# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`--web` of networks in real time."""

from __future__ import annotations

import click
from mecn_controller.runtime.tls import is_loopback, listen_address

DEFAULT = "127.0.0.1:8080"


def _address(_ctx: click.Context, _param: click.Parameter, value: str | None) -> tuple[str, int] | None:
    if value is None:
        return None
    try:
        host, port = listen_address(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if not is_loopback(host):
        raise click.BadParameter(f"{host} is not on the loopback interface, and this page asks for no token")
    return host, port


web_option = click.option(
    "--web",
    is_flag=False,
    flag_value=DEFAULT,
    callback=_address,
    metavar="[HOST:PORT]",
    help=f"Serve the live page of the first queue with a profile, on loopback; default: {DEFAULT}.",
)
