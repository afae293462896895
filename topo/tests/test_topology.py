# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a topology refuses, and what it derives."""

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mecn_topo import (
    Host,
    Link,
    Switch,
    Topology,
    TopologyError,
    address_plan,
    paper002_dumbbell,
    paper003_dumbbell,
)


def small(*links: Link, hosts: tuple[str, ...] = ("A", "B"), switches: tuple[str, ...] = ("R",)) -> Topology:
    return Topology(
        "small", hosts=tuple(map(Host, hosts)), switches=tuple(map(Switch, switches)), links=tuple(links)
    )


A_R = Link("A", "R", 1_000_000, 0.001)
B_R = Link("B", "R", 1_000_000, 0.001)


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([A_R], "host B has 0 links"),
        ([A_R, B_R, B_R], "host B has 2 links"),
        ([A_R, Link("B", "X", 1, 0)], "there is no node X"),
        ([A_R, Link("B", "B", 1, 0)], "both ends are the same node"),
        ([A_R, Link("B", "R", 0, 0)], r"link B-R: rate_bps \(0\) must be above 0"),
        ([A_R, Link("B", "R", 1, -0.1)], "delay_s"),
        ([A_R, Link("B", "R", 1, float("nan"))], "delay_s"),
        ([A_R, Link("B", "R", 1, 0, queue_limit=0)], "at least 1 packet"),
    ],
)
def test_impossible_links_are_refused_by_name(links: list[Link], message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        small(*links)


def test_names_are_checked() -> None:
    with pytest.raises(TopologyError, match="declared twice"):
        small(A_R, B_R, hosts=("A", "B", "A"))
    with pytest.raises(TopologyError, match="node name '1x'"):
        small(A_R, hosts=("A", "1x"))
    with pytest.raises(TopologyError, match="needs nodes"):
        small(hosts=(), switches=())


def test_an_unreachable_part_is_refused() -> None:
    with pytest.raises(TopologyError, match="node R2 cannot be reached from R"):
        small(A_R, B_R, switches=("R", "R2"))


def test_figure_5() -> None:
    """Quet et al., section 4.1."""
    topology = paper003_dumbbell(3, buffer_packets=77)
    plan = address_plan(topology)
    bottleneck = topology.links[topology.link_between("R1", "R2")]
    assert (bottleneck.rate_bps, bottleneck.delay_s, bottleneck.queue_limit) == (1_500_000, 0.040, 77)
    source = topology.links[topology.link_between("S2", "R1")]
    assert (source.rate_bps, source.delay_s) == (10_000_000, 0.002)
    destination = topology.links[topology.link_between("D3", "R2")]
    assert (destination.rate_bps, destination.delay_s) == (10_000_000, 0.004)
    assert plan.port("R1", topology.link_between("R1", "R2")) == 1
    assert topology.overhead_bytes == -14


def test_figure_2_of_paper_002() -> None:
    """Zhang and Qiu, section IV-A."""
    topology = paper002_dumbbell([0.0, 0.05], buffer_packets=38)
    plan = address_plan(topology)
    trunk = topology.links[topology.link_between("R1", "R2")]
    assert (trunk.rate_bps, trunk.delay_s, trunk.queue_limit) == (1_544_000, 0.050, 38)
    assert [topology.links[topology.link_between(s, "R1")].delay_s for s in ("S1", "S2")] == [0.0, 0.05]
    destination = topology.links[topology.link_between("D2", "R2")]
    assert (destination.rate_bps, destination.delay_s) == (10_000_000, 0.001)
    assert [plan.port(name, topology.link_between("R1", "R2")) for name in ("R1", "R2")] == [1, 1]


def test_addresses_and_routes_by_hand() -> None:
    topology = paper003_dumbbell(2)
    plan = address_plan(topology)
    assert plan.interfaces["S1"].address == "10.0.1.1"
    assert plan.interfaces["D2"].prefix == "10.0.4.0/24"
    assert plan.interfaces["S2"].gateway_mac == "02:01:00:01:00:03"
    to_s1, to_d1, to_s2, to_d2 = plan.routes["R1"]
    assert (to_s1.prefix, to_s1.port, to_s1.dst_mac) == ("10.0.1.0/24", 2, plan.interfaces["S1"].mac)
    assert (to_d1.prefix, to_d1.port, to_d1.dst_mac) == ("10.0.2.0/24", 1, "02:01:00:02:00:01")
    assert to_s2.port == 3
    assert to_d2.port == 1
    assert [route.port for route in plan.routes["R2"]] == [1, 2, 1, 3]


@given(st.integers(1, 40), st.integers(0, 20))
def test_more_sources_change_nothing_for_the_first(n: int, more: int) -> None:
    few, many = address_plan(paper003_dumbbell(n)), address_plan(paper003_dumbbell(n + more))
    assert few.interfaces.items() <= many.interfaces.items()
    for switch, routes in few.routes.items():
        assert routes == many.routes[switch][: len(routes)]


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 300))
def test_addresses_are_unique_and_every_switch_reaches_every_host(n: int) -> None:
    topology = paper003_dumbbell(n)
    plan = address_plan(topology)
    assert len({interface.address for interface in plan.interfaces.values()}) == 2 * n
    assert len({interface.mac for interface in plan.interfaces.values()}) == 2 * n
    for interface in plan.interfaces.values():
        assert ipaddress.ip_address(interface.address) in ipaddress.ip_network(interface.prefix)
    for routes in plan.routes.values():
        assert {route.prefix for route in routes} == {i.prefix for i in plan.interfaces.values()}


def test_routes_take_the_fewest_links() -> None:
    r"""A - R1 - R2 - R3 - B with a shortcut R1 - R3 that is declared last."""
    ring = [Link("R1", "R2", 1, 0), Link("R2", "R3", 1, 0)]
    topology = small(
        Link("A", "R1", 1, 0),
        Link("B", "R3", 1, 0),
        *ring,
        Link("R1", "R3", 1, 0),
        switches=("R1", "R2", "R3"),
    )
    to_b = address_plan(topology).routes["R1"][1]
    assert to_b.port == 3
    assert to_b.dst_mac == "02:01:00:03:00:03"


def test_unknown_names_in_questions() -> None:
    topology = paper003_dumbbell(1)
    with pytest.raises(TopologyError, match="no link between S1 and D1"):
        topology.link_between("S1", "D1")
    with pytest.raises(TopologyError, match="no node X"):
        topology.links_of("X")
    with pytest.raises(TopologyError, match="has no port on link"):
        address_plan(topology).port("R1", 99)
