# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' topologies as scenarios: with the profile and the flows that their experiments begin with."""

from __future__ import annotations

from fractions import Fraction

from mecn_controller.policy.profile import Profile, parse_profile

from .addressing import address_plan
from .description import Flow, Placement, Scenario
from .papers import paper000_star, paper001_gateways, paper002_dumbbell, paper003_dumbbell, paper004_dumbbell
from .topology import Topology, TopologyError

PAPERS = {
    "000": "Kinicki and Zheng, Figure 1: sources with three round-trip times, one router, one sink",
    "001": "Puzis and Tarasov, section 3: two gateways with as many nodes on either side",
    "002": "Zhang and Qiu, Figure 2: hosts on both sides of one bottleneck",
    "003": "Quet et al., Figure 5: N sources, two routers, N destinations",
    "004": "Liu and Jain, Figure 2: sources with delays of their own, two routers, as many destinations",
}
DEFAULT_SOURCES = 5
MTU = 1000
"""Bytes: the packets of papers 000, 003 and 004."""

_DELAYS_000_S = (0.145, 0.045, 0.005)
"""Fragile, average, robust (Kinicki and Zheng, section 3)."""
_OFFERED_000_BPS = 600_000_000
"""Of all sources together (the same, section 4)."""


def builtin(key: str, sources: int | None = None) -> Scenario:
    """A paper's scenario. Raises :class:`TopologyError` if there is none of this key."""
    n = DEFAULT_SOURCES if sources is None else sources
    match key:
        case "000":
            delays = [_DELAYS_000_S[i % 3] for i in range(n)]
            topology = paper000_star(delays, source_bps=_OFFERED_000_BPS // n)
            flows = tuple(Flow(f"S{i}", "D") for i in range(1, n + 1))
            return _scenario(topology, ("R", "D"), flows, _profile("ecn", 5, None, 30, 0.5, 10_000_000))
        case "001":
            topology = paper001_gateways([0.001] * n)
            flows = tuple(Flow(f"S{i}", f"D{i}") for i in range(1, n + 1))
            return _scenario(
                topology, ("R1", "R2"), flows, _profile("ecn", 5, None, 15, 0.1, 1_000_000, 576), 576
            )
        case "002":
            # A buffer of one bandwidth-delay product; minimum threshold B/6, maximum three times that.
            topology = paper002_dumbbell([0.001] * n, buffer_packets=38)
            flows = tuple(Flow(f"S{i}", f"D{i}") for i in range(1, n + 1))
            profile = _profile("ecn", 6, None, 18, 0.1, 1_544_000, 500)
            return _scenario(topology, ("R1", "R2"), flows, profile, 500)
        case "003":
            flows = tuple(Flow(f"S{i}", f"D{i}") for i in range(1, n + 1))
            return _scenario(
                paper003_dumbbell(n), ("R1", "R2"), flows, _profile("mecn", 1, 2, 4, 0.1, 1_500_000)
            )
        case "004":
            topology = paper004_dumbbell([0.002] * n, buffer_packets=500)
            flows = tuple(Flow(f"S{i}", f"D{i}") for i in range(1, n + 1))
            document = {"name": "threshold 10", "scheme": "threshold", "threshold": 10.0}
            return _scenario(topology, ("R1", "R2"), flows, parse_profile(document, "004"))
        case _:
            raise TopologyError(f"there is no paper {key}; known: {', '.join(PAPERS)}")


def _profile(
    scheme: str,
    low: float,
    middle: float | None,
    high: float,
    max_p: float,
    rate_bps: int,
    mtu: int = MTU,
) -> Profile:
    thresholds = {"min_th": float(low), "max_th": float(high)}
    if middle is not None:
        thresholds["mid_th"] = float(middle)
    shown = "/".join(f"{Fraction(value)}" for value in sorted(thresholds.values()))
    document = {"name": f"{scheme} {shown}", "scheme": scheme, "max_p": max_p, "weight": 0.002, **thresholds}
    document["mean_service_time_us"] = 8e6 * mtu / rate_bps
    return parse_profile(document, scheme)


def _scenario(
    topology: Topology,
    bottleneck: tuple[str, str],
    flows: tuple[Flow, ...],
    profile: Profile,
    mtu: int = MTU,
) -> Scenario:
    port = address_plan(topology).port(bottleneck[0], topology.link_between(*bottleneck))
    return Scenario(topology, (Placement(bottleneck[0], port, profile),), flows, mtu)
