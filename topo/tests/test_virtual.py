# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Topologies in virtual time, through the compiled P4 program."""

import ipaddress
import itertools
from pathlib import Path

import pytest
from mecn_native import ActionCall, MatchField, Switch, TableUpdate, TcpConfig, compile_p4
from mecn_topo import Host, Link, Topology, TopologyError, address_plan, paper003_dumbbell
from mecn_topo import Switch as SwitchNode
from mecn_topo.virtual import build_network

PROGRAM = Path(__file__).resolve().parents[2] / "p4src" / "mecn_v1model.p4"


@pytest.fixture(scope="module")
def program() -> bytes:
    return compile_p4(PROGRAM).bmv2_json.encode()


def mac(text: str) -> int:
    return int(text.replace(":", ""), 16)


def routed(program: bytes, topology: Topology) -> dict[str, Switch]:
    """A switch with its routes for each switch of the topology."""
    switches = {}
    for name, routes in address_plan(topology).routes.items():
        switch = Switch.from_json(program)
        for route in routes:
            network = ipaddress.IPv4Network(route.prefix)
            switch.update(
                TableUpdate.Insert(
                    "MecnIngress.forwarding.ipv4_lpm",
                    [MatchField.Lpm(int(network.network_address), network.prefixlen)],
                    0,
                    ActionCall(
                        "MecnIngress.forwarding.forward", [route.port, mac(route.src_mac), mac(route.dst_mac)]
                    ),
                )
            )
        switches[name] = switch
    return switches


@pytest.mark.parametrize("n_sources", [1, 3])
def test_every_source_reaches_its_destination(program: bytes, n_sources: int) -> None:
    topology = paper003_dumbbell(n_sources)
    built = build_network(topology, routed(program, paper003_dumbbell(5)))
    for i in range(1, n_sources + 1):
        built.network.add_bulk_flow(built.nodes[f"S{i}"], built.nodes[f"D{i}"], limit_bytes=96_000)
    result = built.network.run(until_s=20.0)
    for flow in result.flows:
        assert flow.delivered_bytes == 96_000
        assert flow.finished_s is not None
    assert all(host.misdelivered_frames == 0 for host in result.hosts)
    assert all(switch.unlinked_drops == 0 for switch in result.switches)


def test_the_path_takes_the_time_of_figure_5(program: bytes) -> None:
    """One packet of 1000 bytes alone: 46 ms of propagation, 0.8 ms, 5.333 ms and 0.8 ms of transmission."""
    topology = paper003_dumbbell(1)
    built = build_network(topology, routed(program, topology))
    built.network.add_bulk_flow(
        built.nodes["S1"], built.nodes["D1"], limit_bytes=960, tcp=TcpConfig(mss=960, initial_window=1)
    )
    (flow,) = built.network.run(until_s=5.0).flows
    assert flow.delay.count == 1
    assert flow.delay.mean_s == pytest.approx(0.046 + 0.0008 + 8000 / 1.5e6 + 0.0008, abs=2e-9)


def test_a_chain_of_switches(program: bytes) -> None:
    """Three routers in a row, with Ethernet's header on the wire."""
    names = ("A", "R1", "R2", "R3", "B")
    topology = Topology(
        "chain",
        hosts=(Host("A"), Host("B")),
        switches=tuple(map(SwitchNode, names[1:4])),
        links=tuple(Link(a, b, 8_000_000, 0.001) for a, b in itertools.pairwise(names)),
    )
    built = build_network(topology, routed(program, topology))
    built.network.add_bulk_flow(built.nodes["A"], built.nodes["B"], limit_bytes=960)
    (flow,) = built.network.run(until_s=5.0).flows
    assert flow.delivered_bytes == 960
    assert flow.delay.mean_s == pytest.approx(4 * (0.001 + 1014 * 8 / 8e6), abs=4e-9)


def test_two_hosts_need_no_switch() -> None:
    topology = Topology("pair", (Host("A"), Host("B")), (), (Link("A", "B", 1_000_000, 0.01),))
    built = build_network(topology, {})
    built.network.add_bulk_flow(built.nodes["A"], built.nodes["B"], limit_bytes=9600)
    (flow,) = built.network.run(until_s=5.0).flows
    assert flow.delivered_bytes == 9600


def test_a_missing_switch_is_named(program: bytes) -> None:
    topology = paper003_dumbbell(1)
    switches = routed(program, topology)
    del switches["R2"]
    with pytest.raises(TopologyError, match="no configured switch was given for R2"):
        build_network(topology, switches)
