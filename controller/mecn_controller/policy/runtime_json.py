# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Routes in the `runtime.json` of p4lang/tutorials: entries of a table of longest prefixes, with actions.

{"table_entries": [{"table": "MyIngress.ipv4_lpm", "match": {"hdr.ipv4.dstAddr": ["10.0.1.1", 32]},
  "action_name": "MyIngress.ipv4_forward", "action_params": {"dstAddr": "08:00:00:00:01:11", "port": 1}}]}

Names are matched by their last part: files for the tutorials' programs and for this one are read alike.
"""

from __future__ import annotations

import ipaddress
import json
from typing import TYPE_CHECKING, Any

from mecn_controller.errors import ControllerError
from mecn_controller.policy.routes import NoRoute, Route

if TYPE_CHECKING:
    from pathlib import Path

    from mecn_controller.policy.routes import AnyRoute

TABLES = ("ipv4_lpm", "ipv6_lpm")
FORWARD = ("ipv4_forward", "ipv6_forward", "forward")
DROP = ("drop", "unroutable")
DESTINATION = ("dstAddr", "dst_mac")
SOURCE = ("srcAddr", "src_mac")


def _one_of(params: dict[str, Any], names: tuple[str, ...]) -> Any:  # noqa: ANN401
    return next((params[name] for name in names if name in params), None)


def _route(entry: dict[str, Any], src_mac: str | None) -> AnyRoute | None:
    """None: the default action, which is the program's."""
    table, action = (str(entry.get(key, "")).rpartition(".")[2] for key in ("table", "action_name"))
    if table not in TABLES:
        raise ValueError(f"table {entry.get('table')!r} is none of routes ({', '.join(TABLES)})")
    if entry.get("default_action"):
        if action in ("drop", "NoAction"):
            return None
        raise ValueError(f"default action {action!r}: the program drops what has no route")
    (match,) = entry.get("match", {}).values() or [None]
    address, length = match
    prefix = str(ipaddress.ip_network(f"{address}/{length}"))
    if action in DROP:
        return NoRoute(prefix)
    if action not in FORWARD:
        raise ValueError(f"action {entry.get('action_name')!r} is none of {', '.join((*FORWARD, *DROP))}")
    params = entry.get("action_params", {})
    source = _one_of(params, SOURCE) or src_mac
    if source is None:
        raise ValueError("has no src_mac, as the tutorials' program takes it from the packet: give --src-mac")
    route = Route(prefix, params.get("port"), source, _one_of(params, DESTINATION))
    route.entry()
    return route


def load_routes(path: Path, src_mac: str | None = None) -> list[AnyRoute]:
    """The routes of a file; ControllerError names the file and the entry that cannot be used.

    src_mac: of routes that do not say one.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ControllerError(f"{path}: cannot be read: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        raise ControllerError(f"{path}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError):
        raise ControllerError(f"{path}: is not JSON") from None
    entries = data.get("table_entries") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        raise ControllerError(f"{path}: table_entries is missing, or no list")
    found = []
    for number, entry in enumerate(entries, start=1):
        try:
            route = _route(entry, src_mac)
        except (ValueError, TypeError, AttributeError) as error:
            raise ControllerError(f"{path}: table_entries, entry {number}: {error}") from None
        if route is not None:
            found.append(route)
    return found
