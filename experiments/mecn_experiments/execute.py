# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a scenario in virtual time. Everything that simulates goes through :func:`execute`, or steps by itself
through what :func:`prepare` builds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mecn_controller import names
from mecn_controller.runtime.steering import Steering
from mecn_controller.runtime.targets.virtual import VirtualSwitch, run_steered
from mecn_controller.runtime.writer import Assignment
from mecn_controller.theory.adaptation import probabilities, steerable
from mecn_native import NetworkError, TcpConfig
from mecn_topo import address_plan
from mecn_topo.virtual import build_network

from .bench import Push
from .errors import ExperimentError
from .measured import HEADER_BYTES, from_network

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mecn_controller.theory.adaptation import Rule, Steerable
    from mecn_native import Flow, NetworkResult, Switch
    from mecn_topo import Scenario, Topology
    from mecn_topo.virtual import VirtualNetwork

    from .bench import Bench
    from .dataset import Row
    from .declaration import Recipe
    from .measured import Measured
    from .variant import Ecn

SHARED_TCP = (
    "window_cap",
    "delayed_acks",
    "timer_granularity_s",
    "retransmission_timer",
    "initial_rto_s",
    "min_rto_s",
    "max_rto_s",
    "initial_window",
    "congestion_avoidance",
    "hold_at_one_segment",
    "hold_below_one_segment",
    "loss_cuts_window",
    "cuts_whole_segments",
)
"""Parameters of papers that are arguments of TcpConfig."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """What a flow sends."""

    kind: Literal["bulk", "web", "telnet", "pareto", "cbr"] = "bulk"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """More of those of the network's `add_..._flow`."""
    tcp: Mapping[str, Any] | None = field(default_factory=dict)
    """Where its hosts' TCP differs from the plan's; None: it is UDP."""


BULK = Traffic()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a scenario is run."""

    duration_s: float
    warmup_s: float = 0.0
    """Time at the beginning that is not measured."""
    start_jitter_s: float = 0.0
    """Flows start at random within this time after their start."""
    tcp: Mapping[str, Any]
    """Arguments of TcpConfig, of all hosts."""
    traffic: Mapping[int, Traffic] = field(default_factory=dict)
    """What the flows of these numbers send; the others are bulk transfers."""
    trace: bool = False
    """Keep the watched queue over time."""
    trace_interval_s: float | None = None
    """Distance of its points; None: a point at each change."""
    routes: Topology | None = None
    """A larger network with the same first hosts, for whose routes the switches are set up: they then serve
    many runs."""
    rule: Callable[[Steerable], Rule] | None = None
    """Steers the watched queue's profile during the run."""

    def tcp_config(self, of: Traffic = BULK) -> TcpConfig:
        """A flow's TCP. Raises ExperimentError for what TCP cannot be."""
        try:
            return TcpConfig(**{**self.tcp, **(of.tcp or {})})
        except (NetworkError, TypeError, OverflowError) as error:
            raise ExperimentError(f"the hosts' TCP: {error}") from None


def tcp_of(shared: Mapping[str, Any], packet_bytes: int, ecn: Ecn, **more: object) -> dict[str, Any]:
    """Arguments of TcpConfig, from the parameters that a paper's runs share and what one run has besides."""
    given = {name: shared[name] for name in SHARED_TCP if name in shared}
    return {"mss": packet_bytes - HEADER_BYTES, "ecn": ecn, **given, **more}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A network that is about to run."""

    built: VirtualNetwork
    flows: list[Flow]
    switches: Mapping[str, Switch]


def prepare(scenario: Scenario, plan: Plan, seed: int, bench: Bench) -> Prepared:
    """Lets the controller set the switches up, and puts them, the hosts and their flows into a network."""
    pushes = [Push(placed.switch, placed.port, placed.profile) for placed in scenario.placements]
    switches = bench.switches(address_plan(plan.routes or scenario.topology).routes, pushes)
    built = build_network(scenario.topology, switches, seed=seed)
    configs: dict[str, TcpConfig] = {}
    flows = []
    for number, flow in enumerate(scenario.flows):
        of = plan.traffic.get(number, BULK)
        arguments: dict[str, Any] = {"start_s": flow.start_s, "start_jitter_s": plan.start_jitter_s}
        if flow.stop_s is not None:
            arguments["stop_s"] = flow.stop_s
        if of.tcp is not None:
            key = repr(of.tcp)
            if key not in configs:
                configs[key] = plan.tcp_config(of)
            arguments["tcp"] = configs[key]
        add = getattr(built.network, f"add_{of.kind}_flow")
        flows.append(add(built.nodes[flow.source], built.nodes[flow.sink], **{**arguments, **of.arguments}))
    for placed in scenario.placements:
        built.network.watch_port(
            built.nodes[placed.switch],
            placed.port,
            average_register=names.AVERAGE_REGISTER,
            early_drop_counter=names.EARLY_DROP_STATS,
            sample_interval_s=plan.trace_interval_s,
            trace=plan.trace and placed is scenario.placements[0],
        )
    return Prepared(built, flows, switches)


def execute(scenario: Scenario, plan: Plan, seed: int, bench: Bench) -> Measured:
    """One run in virtual time. Raises ExperimentError where the scenario cannot be run."""
    ready = prepare(scenario, plan, seed, bench)
    network, until_s = ready.built.network, plan.duration_s
    steered: tuple[float, ...] = ()
    if plan.rule is None:
        result = network.run(until_s=until_s, warmup_s=plan.warmup_s)
    else:
        placed = scenario.placements[0]
        session = network.start(until_s=until_s, warmup_s=plan.warmup_s)
        switch = VirtualSwitch(session, ready.built.nodes[placed.switch], ready.switches[placed.switch])
        steering = Steering([(Assignment(placed.profile, placed.port), plan.rule)])
        result = run_steered(session, switch, steering, until_s=until_s)
        steered = probabilities(steerable(steering.wanted[0].profile))
    check(scenario, plan, result, seed)
    return measured_of(plan, result, steered)


def measured_of(plan: Plan, result: NetworkResult, steered: tuple[float, ...] = ()) -> Measured:
    """What a network measured in the plan's window."""
    return from_network(
        result,
        mss=plan.tcp["mss"],
        begin_s=plan.warmup_s,
        window_s=plan.duration_s - plan.warmup_s,
        steered=steered,
    )


def check(scenario: Scenario, plan: Plan, result: NetworkResult, seed: int) -> None:
    """Refuses a result that only a mistake in routes or headers can have produced."""
    run = f"{scenario.placements[0].profile.name}, {len(scenario.flows)} flows, seed {seed}"
    for host in result.hosts:
        if host.misdelivered_frames or host.damaged_frames:
            raise ExperimentError(
                f"{run}: {host.name} received {host.misdelivered_frames} misdelivered and"
                f" {host.damaged_frames} damaged frames"
            )
    for number, flow in enumerate(result.flows):
        tcp = plan.traffic.get(number, BULK).tcp
        wanted = tcp is not None and {**plan.tcp, **tcp}["ecn"] != "off"
        if wanted and flow.established and not flow.ecn_negotiated:
            raise ExperimentError(f"{run}: the flow from {flow.src} did not negotiate ECN")


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """How the recipes of a paper are run, and which row of its data file comes of it."""

    scenario: Callable[[Recipe], Scenario]
    """Network, profiles and flows, in virtual and in real time."""
    plan: Callable[[Recipe, int], Plan]
    """Of a recipe and a seed."""
    row: Callable[[Recipe, int, Measured], Row]
    """Without `recipe`; None where a lab could not measure."""

    def __call__(self, recipe: Recipe, seed: int, bench: Bench) -> Row:
        """Simulates one run and returns its row."""
        return self.row(recipe, seed, execute(self.scenario(recipe), self.plan(recipe, seed), seed, bench))
