# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Network, plan and row of a run; the packet tests of tables 1 and 2 have their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mecn_topo import Flow, Placement, Scenario, address_plan, paper003_dumbbell

from ..execute import Plan, Simulation, tcp_of
from ..measured import measures
from . import packets
from .parameters import BOTTLENECK_BPS, PACKET_BYTES
from .scenarios import ONE_LEVEL, point_of, profile_of

if TYPE_CHECKING:
    from mecn_topo import Topology

    from ..bench import Bench
    from ..dataset import Row
    from ..declaration import Recipe
    from ..measured import Measured
    from ..variant import Ecn

ROUTES_FOR = 30
"""Sources for which the switches have routes at least."""
BETA = (5.0, 2.5, 2.0)
"""Table 2: what incipient marks, moderate marks and losses take from the window, as divisors."""


def _topology(n_sources: int, buffer: int) -> Topology:
    return paper003_dumbbell(n_sources, buffer_packets=buffer, bottleneck_bps=BOTTLENECK_BPS)


def scenario_of(recipe: Recipe) -> Scenario:
    """Network, profile and flows of a run, in virtual and in real time."""
    run = point_of(recipe)
    topology = _topology(run.n_sources, recipe["shared"]["buffer"])
    port = address_plan(topology).port("R1", topology.link_between("R1", "R2"))
    flows = tuple(Flow(f"S{i}", f"D{i}") for i in range(1, run.n_sources + 1))
    return Scenario(topology, (Placement("R1", port, profile_of(recipe)),), flows, PACKET_BYTES)


def ecn_of(recipe: Recipe) -> Ecn:
    """What the hosts speak."""
    return "classic" if recipe["scheme"] in ONE_LEVEL else "multilevel"


HOSTS_OF_ABLATION = ("classic_beta", "top_up")
"""Arguments of TcpConfig that runs of the ablation may share, besides beta."""


def plan_of(recipe: Recipe, seed: int) -> Plan:
    """How a run is made."""
    run, shared = point_of(recipe), recipe["shared"]
    return Plan(
        duration_s=shared["duration_s"],
        warmup_s=shared["warmup_s"],
        start_jitter_s=shared["start_jitter_s"],
        tcp=tcp_of(
            shared,
            PACKET_BYTES,
            ecn_of(recipe),
            beta=tuple(shared.get("beta", BETA)),
            **{name: shared[name] for name in HOSTS_OF_ABLATION if name in shared},
        ),
        trace=run.trace and seed == 1,
        trace_interval_s=shared["trace_interval_s"],
        # Addresses and ports of the first sources are the same for every number of them, so the switches of a
        # larger network serve the smaller ones too.
        routes=_topology(max(run.n_sources, ROUTES_FOR), shared["buffer"]),
    )


def row(recipe: Recipe, seed: int, measured: Measured) -> Row:
    """The row of the data file."""
    run, history = point_of(recipe), measured.history
    low, middle, high = run.thresholds
    trace: Row = dict.fromkeys(("trace_time_s", "trace_qdepth", "trace_avg_qdepth"))
    if run.trace and seed == 1:
        assert history is not None
        trace = {
            "trace_time_s": history.time_s,
            "trace_qdepth": history.depth,
            "trace_avg_qdepth": history.average.astype("<f4"),
        }
    return {
        "family": run.family,
        "part": run.part,
        "scenario": run.scenario.name,
        "scheme": run.scheme,
        "profile": profile_of(recipe).model_dump_json(exclude_defaults=False),
        "min_th": low,
        "mid_th": None if run.scheme in ONE_LEVEL else middle,
        "max_th": high,
        "max_p": run.max_p,
        "n_sources": run.n_sources,
        "seed": seed,
        **measures(measured, rate_bps=BOTTLENECK_BPS, mtu=PACKET_BYTES),
        **trace,
    }


NETWORK = Simulation(scenario=scenario_of, plan=plan_of, row=row)


def simulate(recipe: Recipe, seed: int, bench: Bench) -> Row:
    """Simulates one run and returns its row of the data file."""
    if recipe["family"] == "table":
        return packets.test(recipe["case"], seed, bench)
    return NETWORK(recipe, seed, bench)
