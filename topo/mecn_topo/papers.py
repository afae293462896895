# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' topologies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .topology import Host, Link, Switch, Topology

if TYPE_CHECKING:
    from collections.abc import Sequence

IP_BYTES_ONLY = -14
"""Takes Ethernet's header out of the account: rates count IP bytes, as the papers' simulator does."""

HOST_PORT_LIMIT = 1000
"""Packets. No queue but the bottleneck's shall drop."""


def paper003_dumbbell(
    n_sources: int,
    *,
    buffer_packets: int = 200,
    bottleneck_bps: int = 1_500_000,
    bottleneck_delay_s: float = 0.040,
    access_bps: int = 10_000_000,
    source_delay_s: float = 0.002,
    destination_delay_s: float = 0.004,
) -> Topology:
    """Quet et al., Figure 5: N sources, two routers, N destinations.

    ::

        S1 --10 Mbps, 2 ms--.                                .--10 Mbps, 4 ms-- D1
        S2 -----------------R1 ====== 1.5 Mbps, 40 ms ====== R2---------------- D2
        ...                 .                                .                 ...

    The active queue management sits on R1's port towards R2, which is its port 1. The link comes first and
    sources and destinations are declared in pairs, so the addresses and ports of the first pairs are the same
    for every N.
    """
    return _dumbbell(
        "paper003",
        [source_delay_s] * n_sources,
        Link("R1", "R2", bottleneck_bps, bottleneck_delay_s, buffer_packets),
        access_bps,
        destination_delay_s,
    )


def paper004_dumbbell(
    source_delays_s: Sequence[float],
    *,
    buffer_packets: int,
    bottleneck_bps: int = 1_500_000,
    bottleneck_delay_s: float = 0.020,
    access_bps: int = 10_000_000,
    destination_delay_s: float = 0.004,
) -> Topology:
    """Liu and Jain, Figure 2: sources with delays of their own, two routers, as many destinations.

    ::

        S1 --10 Mbps, source_delays_s[0]--.                                .--10 Mbps, 4 ms-- D1
        S2 --10 Mbps, source_delays_s[1]--R1 ====== 1.5 Mbps, 20 ms ====== R2---------------- D2
        ...                               .                                .                 ...

    As in :func:`paper003_dumbbell` the queue that is watched is that of R1's port 1, and the addresses and
    ports of the first pairs are the same for every number of them.
    """
    return _dumbbell(
        "paper004",
        source_delays_s,
        Link("R1", "R2", bottleneck_bps, bottleneck_delay_s, buffer_packets),
        access_bps,
        destination_delay_s,
    )


def paper001_gateways(
    source_delays_s: Sequence[float],
    *,
    buffer_packets: int = 100,
    bottleneck_bps: int = 1_000_000,
    bottleneck_delay_s: float = 0.050,
    access_bps: int = 100_000_000,
    destination_delay_s: float = 0.001,
) -> Topology:
    """Puzis and Tarasov, section 3: two gateways with as many nodes on either side.

    ::

        S1 --100 Mbps, source_delays_s[0]--.                               .--100 Mbps, 1 ms-- D1
        S2 --100 Mbps, source_delays_s[1]--R1 ====== 1 Mbps, 50 ms ====== R2------------------ D2
        ...                                .                               .                   ...

    As in :func:`paper003_dumbbell` the queue that is watched is that of R1's port 1. The paper gives the
    rates only.
    """
    return _dumbbell(
        "paper001",
        source_delays_s,
        Link("R1", "R2", bottleneck_bps, bottleneck_delay_s, buffer_packets),
        access_bps,
        destination_delay_s,
    )


def paper002_dumbbell(
    source_delays_s: Sequence[float],
    *,
    buffer_packets: int,
    bottleneck_bps: int = 1_544_000,
    bottleneck_delay_s: float = 0.050,
    access_bps: int = 10_000_000,
    destination_delay_s: float = 0.001,
) -> Topology:
    """Zhang and Qiu, Figure 2: hosts on both sides of one bottleneck.

    ::

        S1 --10 Mbps, source_delays_s[0]--.                                  .--10 Mbps, 1 ms-- D1
        S2 --10 Mbps, source_delays_s[1]--R1 ====== 1.544 Mbps, 50 ms ====== R2---------------- D2
        ...                               .                                  .                 ...

    Data goes from S to D in the forward path and from D to S in the reverse path; each flow has a pair of
    hosts. The queue of the forward path is that of R1's port 1, that of the reverse path R2's port 1. The
    addresses and ports of the first pairs are the same for every number of them.
    """
    return _dumbbell(
        "paper002",
        source_delays_s,
        Link("R1", "R2", bottleneck_bps, bottleneck_delay_s, buffer_packets),
        access_bps,
        destination_delay_s,
    )


def _dumbbell(
    name: str, source_delays_s: Sequence[float], trunk: Link, access_bps: int, destination_delay_s: float
) -> Topology:
    """Sources S1, S2, ... at R1, destinations D1, D2, ... at R2, and the link between the routers."""
    pairs = range(1, len(source_delays_s) + 1)
    links = [trunk]
    for i, delay_s in zip(pairs, source_delays_s, strict=True):
        links.append(Link(f"S{i}", "R1", access_bps, delay_s, HOST_PORT_LIMIT))
        links.append(Link("R2", f"D{i}", access_bps, destination_delay_s, HOST_PORT_LIMIT))
    return Topology(
        name=name,
        hosts=tuple(Host(f"{kind}{i}") for i in pairs for kind in ("S", "D")),
        switches=(Switch("R1"), Switch("R2")),
        links=tuple(links),
        overhead_bytes=IP_BYTES_ONLY,
    )


DIRECT_SOURCES = 400
"""Sources that the router of paper 000 takes itself; v1model has room for 510 ports."""


def paper000_star(
    source_delays_s: Sequence[float],
    *,
    source_bps: int,
    buffer_packets: int = 50,
    bottleneck_bps: int = 10_000_000,
    bottleneck_delay_s: float = 0.005,
) -> Topology:
    """Kinicki and Zheng, Figure 1: sources with delays of their own, one router, one sink.

    ::

        S1 --source_bps, source_delays_s[0]--.
        S2 --source_bps, source_delays_s[1]--R ====== 10 Mbps, 5 ms ====== D
        ...                                  .

    The queue that is watched is that of R's port 1. A switch has 510 ports at most, so sources beyond the
    first 400 come through access switches, whose links to R are so fast that nothing waits there.
    """
    links = [Link("R", "D", bottleneck_bps, bottleneck_delay_s, buffer_packets)]
    n = len(source_delays_s)
    groups = [range(first, min(first + DIRECT_SOURCES, n)) for first in range(0, n, DIRECT_SOURCES)]
    access = [f"A{number}" for number in range(1, len(groups))]
    for switch, group in zip(["R", *access], groups, strict=True):
        links.extend(
            Link(f"S{i + 1}", switch, source_bps, source_delays_s[i], HOST_PORT_LIMIT) for i in group
        )
    links.extend(Link(switch, "R", 100_000_000_000, 0.0, HOST_PORT_LIMIT) for switch in access)
    return Topology(
        name="paper000",
        hosts=(Host("D"), *(Host(f"S{i}") for i in range(1, n + 1))),
        switches=tuple(Switch(name) for name in ("R", *access)),
        links=tuple(links),
        overhead_bytes=IP_BYTES_ONLY,
    )
