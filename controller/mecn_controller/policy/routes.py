# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Routes as entries of ipv4_lpm and ipv6_lpm, and those that every router has.

The data plane leaves to the tables which destinations are the switch's own, link-local, multicast or not to
be routed at all: longest prefix match puts such a prefix before any default route, at no cost per packet.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import TypeAlias

from mecn_controller import names
from mecn_controller.policy.entries import Entry, Lpm, Match, check_port

_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


def _mac(text: str) -> int:
    if _MAC.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a MAC address (aa:bb:cc:dd:ee:ff)")
    return int(text.replace(":", ""), 16)


def _entry(prefix: str, action: str, params: tuple[tuple[str, int], ...] = ()) -> Entry:
    network = ipaddress.ip_network(prefix)
    table = names.ROUTE_TABLE if network.version == 4 else names.IPV6_ROUTE_TABLE
    match: tuple[tuple[str, Match], ...] = ()
    if network.prefixlen > 0:
        match = (("dst_addr", Lpm(int(network.network_address), network.prefixlen)),)
    return Entry(table, match, action, params)


@dataclass(frozen=True)
class Route:
    """Packets to `prefix` (`10.0.1.0/24`, `2001:db8::/64`) leave through `port` with these MAC addresses."""

    prefix: str
    port: int
    src_mac: str
    dst_mac: str

    def entry(self) -> Entry:
        """The route as entry of its table; ValueError says what is wrong with it."""
        macs = (("src_mac", _mac(self.src_mac)), ("dst_mac", _mac(self.dst_mac)))
        return _entry(self.prefix, names.FORWARD, (("port", check_port(self.port)), *macs))


@dataclass(frozen=True)
class LocalRoute:
    """Packets to `prefix` go to the controller: the switch's own addresses, groups on its links."""

    prefix: str

    def entry(self) -> Entry:
        """The route as entry of its table; ValueError says what is wrong with it."""
        return _entry(self.prefix, names.TO_CONTROLLER)


@dataclass(frozen=True)
class NoRoute:
    """Packets to `prefix` are dropped, whatever shorter prefix has a route."""

    prefix: str

    def entry(self) -> Entry:
        """The route as entry of its table; ValueError says what is wrong with it."""
        return _entry(self.prefix, names.UNROUTABLE)


def by_prefix(prefix: str) -> tuple[int, int, int]:
    """To sort prefixes: IPv4 first, by address, short prefixes first."""
    network = ipaddress.ip_network(prefix)
    return network.version, int(network.network_address), network.prefixlen


def route_of(entry: Entry) -> AnyRoute | None:
    """The route that an entry of a routing table is; None if it is none of ours."""
    version = 4 if entry.table == names.ROUTE_TABLE else 6
    match = entry.field("dst_addr")
    value, length = (match.value, match.prefix_len) if isinstance(match, Lpm) else (0, 0)
    address = ipaddress.IPv4Address(value) if version == 4 else ipaddress.IPv6Address(value)
    prefix = f"{address}/{length}"
    if entry.action == names.FORWARD:
        macs = (entry.param(name).to_bytes(6, "big").hex(":") for name in ("src_mac", "dst_mac"))
        return Route(prefix, entry.param("port"), *macs)
    if entry.action == names.TO_CONTROLLER:
        return LocalRoute(prefix)
    return NoRoute(prefix) if entry.action == names.UNROUTABLE else None


AnyRoute: TypeAlias = Route | LocalRoute | NoRoute

RESERVED_ROUTES: tuple[AnyRoute, ...] = (
    NoRoute("0.0.0.0/8"),  # this network (RFC 1122, section 3.2.1.3)
    NoRoute("127.0.0.0/8"),  # loopback (RFC 1122, section 3.2.1.3)
    NoRoute("169.254.0.0/16"),  # link-local (RFC 3927, section 7)
    NoRoute("224.0.0.0/4"),  # multicast: there is no multicast routing
    LocalRoute("224.0.0.0/24"),  # groups that never leave a link (RFC 5771, section 4)
    NoRoute("240.0.0.0/4"),  # reserved (RFC 1112, section 4), and broadcast
    NoRoute("::/16"),  # unspecified, loopback, IPv4-mapped (RFC 4291, section 2.5)
    LocalRoute("fe80::/10"),  # link-local (RFC 4291, section 2.5.6)
    NoRoute("ff00::/8"),  # multicast: there is no multicast routing
    LocalRoute(
        "ff02::/16"
    ),  # groups that never leave a link, neighbour discovery's too (RFC 4291, section 2.7)
)
"""Destinations that no router forwards to; written together with the first routes."""
