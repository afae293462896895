# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""One run: a network around the configured switches, and what is measured in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from mecn_native import TcpConfig
from mecn_topo import Flow, Placement, Scenario, address_plan, paper003_dumbbell
from mecn_topo.virtual import build_network

from ..bench import Push
from ..errors import ExperimentError
from ..measures import measures
from . import packets
from .parameters import BOTTLENECK_BPS, HEADER_BYTES, PACKET_BYTES
from .scenarios import point_of, profile_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mecn_native import NetworkResult, PortResult, Switch
    from mecn_topo import Topology

    from ..bench import Bench
    from ..dataset import Row
    from ..declaration import Recipe
    from ..variant import Ecn
    from .scenarios import Point

AVERAGE_REGISTER = "MecnEgress.marking.average.avg_qdepth"
EARLY_DROP_COUNTER = "MecnIngress.admission.early_drop_stats"
ROUTES_FOR = 30
"""Sources for which the switches have routes at least."""
BETA = (5.0, 2.5, 2.0)
"""Table 2: what incipient marks, moderate marks and losses take from the window, as divisors."""


def scenario_of(recipe: Recipe) -> Scenario:
    """Network, profile and flows of a run, in virtual and in real time."""
    run = point_of(recipe)
    topology = _topology(run.n_sources, recipe["shared"]["buffer"])
    port = address_plan(topology).port("R1", topology.link_between("R1", "R2"))
    flows = tuple(Flow(f"S{i}", f"D{i}") for i in range(1, run.n_sources + 1))
    return Scenario(topology, (Placement("R1", port, profile_of(recipe)),), flows, PACKET_BYTES)


def ecn_of(recipe: Recipe) -> Ecn:
    """What the hosts speak."""
    return "classic" if recipe["scheme"] == "ECN" else "multilevel"


def simulate(recipe: Recipe, seed: int, bench: Bench) -> Row:
    """Simulates one run and returns its row of the data file."""
    run, shared = point_of(recipe), recipe["shared"]
    if run.family == "table":
        return packets.test(run.case, seed, bench)
    # Addresses and ports of the first sources are the same for every number of them, so the switches of a
    # larger network serve the smaller ones too.
    largest = _topology(max(run.n_sources, ROUTES_FOR), shared["buffer"])
    scenario = scenario_of(recipe)
    (placed,) = scenario.placements
    switches = bench.switches(
        address_plan(largest).routes, [Push(placed.switch, placed.port, placed.profile)]
    )
    return _row(recipe, seed, _run(recipe, scenario, seed, switches))


def _topology(n_sources: int, buffer: int) -> Topology:
    return paper003_dumbbell(n_sources, buffer_packets=buffer, bottleneck_bps=BOTTLENECK_BPS)


def _run(recipe: Recipe, scenario: Scenario, seed: int, switches: Mapping[str, Switch]) -> NetworkResult:
    """Simulates one run between configured switches."""
    run, shared = point_of(recipe), recipe["shared"]
    built = build_network(scenario.topology, switches, seed=seed)
    tcp = TcpConfig(
        mss=PACKET_BYTES - HEADER_BYTES,
        ecn=ecn_of(recipe),
        beta=BETA,
        window_cap=shared["window_cap"],
        delayed_acks=shared["delayed_acks"],
        timer_granularity_s=shared["timer_granularity_s"],
        min_rto_s=shared["min_rto_s"],
        initial_window=shared["initial_window"],
        congestion_avoidance=shared["congestion_avoidance"],
        hold_at_one_segment=shared["hold_at_one_segment"],
        hold_below_one_segment=shared["hold_below_one_segment"],
    )
    for flow in scenario.flows:
        built.network.add_bulk_flow(
            built.nodes[flow.source],
            built.nodes[flow.sink],
            start_jitter_s=shared["start_jitter_s"],
            tcp=tcp,
        )
    (placed,) = scenario.placements
    built.network.watch_port(
        built.nodes[placed.switch],
        placed.port,
        average_register=AVERAGE_REGISTER,
        early_drop_counter=EARLY_DROP_COUNTER,
        sample_interval_s=shared["trace_interval_s"],
        trace=run.trace and seed == 1,
    )
    result = built.network.run(until_s=shared["duration_s"], warmup_s=shared["warmup_s"])
    _check(run, seed, result)
    return result


def _check(run: Point, seed: int, result: NetworkResult) -> None:
    """Refuses a result that only a mistake in routes or headers can have produced."""
    for host in result.hosts:
        if host.misdelivered_frames or host.damaged_frames:
            raise ExperimentError(
                f"{run.scenario.name}, {run.n_sources} sources, seed {seed}: {host.name} received"
                f" {host.misdelivered_frames} misdelivered and {host.damaged_frames} damaged frames"
            )
    for flow in result.flows:
        if flow.established and not flow.ecn_negotiated:
            raise ExperimentError(f"{run.scenario.name}: the flow from {flow.src} did not negotiate ECN")


def identity(recipe: Recipe, seed: int) -> Row:
    """The columns that say which run it is."""
    run = point_of(recipe)
    low, middle, high = run.thresholds
    return {
        "family": run.family,
        "scenario": run.scenario.name,
        "scheme": run.scheme,
        "profile": profile_of(recipe).model_dump_json(exclude_defaults=False),
        "min_th": low,
        "mid_th": None if run.scheme == "ECN" else middle,
        "max_th": high,
        "max_p": run.max_p,
        "n_sources": run.n_sources,
        "seed": seed,
    }


def _row(recipe: Recipe, seed: int, result: NetworkResult) -> Row:
    """The measures of one run, by column of the data file."""
    run, shared = point_of(recipe), recipe["shared"]
    (port,) = result.ports
    window_s = shared["duration_s"] - shared["warmup_s"]
    return {
        **identity(recipe, seed),
        **measures(result, port, rate_bps=BOTTLENECK_BPS, mtu=PACKET_BYTES, window_s=window_s),
        **_trace(port, keep=run.trace and seed == 1),
    }


def _trace(port: PortResult, *, keep: bool) -> Row:
    if not keep:
        return {"trace_time_s": None, "trace_qdepth": None, "trace_avg_qdepth": None}
    return {
        "trace_time_s": np.frombuffer(port.trace_time_s, "<f8"),
        "trace_qdepth": np.frombuffer(port.trace_depth, "<u4"),
        "trace_avg_qdepth": np.frombuffer(port.trace_average, "<f8").astype("<f4"),
    }
