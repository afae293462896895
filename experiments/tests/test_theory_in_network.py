# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The fluid model against packets: where it settles, and where it says that the queue oscillates.

Ten senders, 10 Mbps, 1000-byte packets, 200 ms there and back; the P4 program in the virtual network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from mecn_controller import Mecn
from mecn_controller.theory.analysis import analyse
from mecn_controller.theory.linear import loop_of
from mecn_experiments.bench import Bench, Push
from mecn_experiments.program import P4_PROGRAM, compile_program
from mecn_native import TcpConfig
from mecn_topo import Host, Link, Switch, Topology, address_plan
from mecn_topo.virtual import build_network

if TYPE_CHECKING:
    from mecn_native import PortResult

FLOWS, RATE_BPS, PACKET_BYTES = 10, 10_000_000, 1000
CAPACITY, PROPAGATION = RATE_BPS / (8 * PACKET_BYTES), 0.2
SEEDS = (1, 2)

TOPOLOGY = Topology(
    name="loop",
    hosts=(Host("D"), *(Host(f"S{i}") for i in range(FLOWS))),
    switches=(Switch("R"),),
    links=(
        Link("R", "D", RATE_BPS, 0.09, 2000),
        *(Link(f"S{i}", "R", RATE_BPS, 0.01, 1000) for i in range(FLOWS)),
    ),
    overhead_bytes=-14,
)


def profile(max_p: float, weight: float) -> Mecn:
    """The same thresholds."""
    return Mecn(
        name=f"max_p {max_p:g}",
        min_th=100,
        mid_th=200,
        max_th=300,
        max_p=max_p,
        weight=weight,
        mean_service_time_us=1e6 / CAPACITY,
    )


STABLE, UNSTABLE = profile(0.02, 0.0005), profile(1.0, 0.0001)


@pytest.fixture(scope="module")
def ports() -> dict[str, list[PortResult]]:
    """Each profile's bottleneck, once for each seed."""
    plan = address_plan(TOPOLOGY)
    tcp = TcpConfig(mss=PACKET_BYTES - 40, ecn="multilevel", initial_window=2)
    found: dict[str, list[PortResult]] = {}
    with Bench(compile_program(P4_PROGRAM)) as bench:
        for each in (STABLE, UNSTABLE):
            switches = bench.switches(plan.routes, [Push("R", plan.port("R", 0), each)])
            for seed in SEEDS:
                built = build_network(TOPOLOGY, switches, seed=seed)
                for i in range(FLOWS):
                    built.network.add_bulk_flow(
                        built.nodes[f"S{i}"], built.nodes["D"], start_jitter_s=2.0, tcp=tcp
                    )
                built.network.watch_port(built.nodes["R"], plan.port("R", 0), trace=False)
                result = built.network.run(until_s=200, warmup_s=80)
                found.setdefault(each.name, []).append(result.ports[0])
    return found


def theory(which: Mecn) -> tuple[float, float]:
    """Queue (packets) and delay margin (s)."""
    analysis = analyse(which, capacity_pps=CAPACITY, propagation_s=PROPAGATION, flows=FLOWS)
    assert analysis is not None
    margin = loop_of(analysis, capacity_pps=CAPACITY, flows=FLOWS).margin()
    assert margin is not None
    return analysis.queue_packets, margin.delay_margin_s


def test_the_stable_queue_settles_where_the_model_does(ports: dict[str, list[PortResult]]) -> None:
    queue, margin = theory(STABLE)
    assert margin > 0.9
    for port in ports[STABLE.name]:
        assert port.depth_mean == pytest.approx(queue, rel=0.05)


def test_where_the_margin_is_negative_the_queue_oscillates(ports: dict[str, list[PortResult]]) -> None:
    _, margin = theory(UNSTABLE)
    assert margin < -0.4
    calm = max(port.depth_std for port in ports[STABLE.name])
    swinging = min(port.depth_std for port in ports[UNSTABLE.name])
    assert swinging > 1.8 * calm
