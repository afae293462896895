# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""One congested router between many TCP senders and one receiver: in our virtual network, and in ns-2.

Both sides are described by one :class:`Bottleneck`; `experiments/ns2/bottleneck.tcl` builds the same in ns-2.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mecn_controller.policy.profile import Profile, parse_profile
from mecn_topo import Flow, Host, Link, Placement, Scenario, Switch, Topology, address_plan

from .errors import ExperimentError
from .execute import SHARED_TCP, Plan, execute
from .measured import HEADER_BYTES
from .ns2_defaults import ERAS, OLD, TABLE
from .program import CHECKOUT

if TYPE_CHECKING:
    from .bench import Bench

NS2_SCRIPT = CHECKOUT / "experiments" / "ns2" / "bottleneck.tcl"
HOST_QUEUE = 1000
IP_BYTES_ONLY = -14
ROUTER, RECEIVER = "R", "D"
Scheme: TypeAlias = Literal["drop-tail", "ecn", "ecnm", "red", "red-gentle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bottleneck:
    """A scenario. Depths in packets; the queue's limit does not count the packet in service.

    Flow i has the access delay `delays_ms[i % len(delays_ms)]`, and starts at 0 s if it is in the first half
    of the flows, else at `second_start_s`, plus up to `jitter_s`.
    """

    name: str
    scheme: Scheme
    flows: int
    delays_ms: tuple[float, ...]
    access_total_bps: int
    """Rate of all access lines together."""
    rate_bps: int
    delay_ms: float
    min_th: int = 5
    max_th: int = 15
    max_p: float = 0.1
    weight: float = 0.002
    spacing: Literal["wait", "uniform"] = "wait"
    """Of signals: ns-2's default, or RED as published (`wait_ false`)."""
    buffer: int = 50
    packet_bytes: int = 1000
    window: int = 30
    jitter_s: float = 0.5
    second_start_s: float = 0.0
    era: Literal["2.35", "2001"] = "2.35"
    """ns-2's TCP with what the script sets, or its defaults until May 2001."""
    ours: Mapping[str, Any] = field(default_factory=dict)
    """Where our hosts' TCP is to differ from ns-2's."""
    until_s: int = 100
    warmup_s: int = 20

    @property
    def ecn(self) -> bool:
        """Whether the senders use ECN."""
        return self.scheme.startswith("ecn")

    def profile(self) -> Profile:
        """What the controller pushes: RED as in ns-2, which draws when a packet arrives, for the average of
        what arriving packets met, and leaves alone what meets fewer than two packets."""
        if self.scheme == "drop-tail":
            return parse_profile({"name": self.name, "scheme": self.scheme}, self.name)
        document: dict[str, object] = {
            "name": self.name,
            "scheme": self.scheme,
            "weight": self.weight,
            "min_th": float(self.min_th),
            "max_th": float(self.max_th),
            "max_p": self.max_p,
            "spacing": self.spacing,
            "min_depth": 2,
            "mean_service_time_us": 8e6 * self.packet_bytes / self.rate_bps,
            "queue_limit_packets": self.buffer,
        }
        if self.ecn:
            document["mark_point"] = "tail"
        return parse_profile(document, self.name)

    def topology(self) -> Topology:
        """The router, its port 1 to the receiver with the queue in question, and the senders."""
        access = self.access_total_bps // self.flows
        links = [Link(ROUTER, RECEIVER, self.rate_bps, self.delay_ms / 1e3, self.buffer)]
        for i in range(self.flows):
            delay = self.delays_ms[i % len(self.delays_ms)]
            links.append(Link(f"S{i}", ROUTER, access, delay / 1e3, HOST_QUEUE))
        return Topology(
            name="bottleneck",
            hosts=(Host(RECEIVER), *(Host(f"S{i}") for i in range(self.flows))),
            switches=(Switch(ROUTER),),
            links=tuple(links),
            overhead_bytes=IP_BYTES_ONLY,
        )

    def scenario(self) -> Scenario:
        """Network, profile and flows."""
        topology = self.topology()
        placed = Placement(ROUTER, address_plan(topology).port(ROUTER, 0), self.profile())
        starts = [0.0 if i < self.flows // 2 else self.second_start_s for i in range(self.flows)]
        flows = tuple(Flow(f"S{i}", RECEIVER, start_s) for i, start_s in enumerate(starts))
        return Scenario(topology, (placed,), flows, self.packet_bytes)

    def plan(self) -> Plan:
        """With the settings of ns-2's Reno, as the script has them."""
        theirs = _TCP_OF_2001 if self.era == "2001" else _TCP_OF_THE_SCRIPT
        return Plan(
            duration_s=self.until_s,
            warmup_s=self.warmup_s,
            start_jitter_s=self.jitter_s,
            tcp={
                "mss": self.packet_bytes - HEADER_BYTES,
                "ecn": "classic" if self.ecn else "off",
                "window_cap": self.window,
                "initial_ssthresh": self.window,
                **theirs,
                **self.ours,
            },
        )


_TCP_OF_THE_SCRIPT: Mapping[str, Any] = {
    "timer_granularity_s": 0.1,
    "min_rto_s": 1.0,
    "initial_window": 2,
    "congestion_avoidance": "per-ack",
    "hold_at_one_segment": True,
    "hold_below_one_segment": True,
    "loss_cuts_window": True,
}
_TCP_OF_2001: Mapping[str, Any] = {
    row.name: row.values[ERAS.index(OLD)] for row in TABLE if row.name in SHARED_TCP
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run measured after the warm-up."""

    goodput_bps: float
    """Acknowledged payload."""
    queue_mean: float
    """Mean over time, packets."""
    drops: int
    """Packets that the router dropped."""
    retransmissions: int
    timeouts: int
    """Without the waits after marks at a small window."""
    locked_out: int
    """Flows of which nothing was acknowledged."""


def run_virtual(scenario: Bottleneck, seed: int, bench: Bench) -> Outcome:
    """One run of our network."""
    measured = execute(scenario.scenario(), scenario.plan(), seed, bench)
    acked = sum(int(flow.acked_bytes) for flow in measured.flows)
    queue = measured.queue
    return Outcome(
        goodput_bps=acked * 8 / measured.window_s,
        queue_mean=queue.depth_mean,
        drops=queue.early_drops + (queue.tail_drops or 0),
        retransmissions=measured.retransmissions,
        timeouts=measured.timeouts,
        locked_out=sum(flow.acked_bytes == 0 for flow in measured.flows),
    )


def ns2_command(scenario: Bottleneck, seed: int, *, monitor: bool) -> list[str]:
    """The command that runs the scenario in ns-2."""
    options = {
        "seed": seed,
        "flows": scenario.flows,
        "until": scenario.until_s,
        "warmup": scenario.warmup_s,
        "monitor": int(monitor),
        "delays_ms": " ".join(f"{delay:g}" for delay in scenario.delays_ms),
        "access_bps": scenario.access_total_bps,
        "rate_bps": scenario.rate_bps,
        "delay_ms": scenario.delay_ms,
        "scheme": scenario.scheme,
        "min_th": scenario.min_th,
        "max_th": scenario.max_th,
        "max_p": scenario.max_p,
        "weight": scenario.weight,
        "wait": int(scenario.spacing == "wait"),
        "buffer": scenario.buffer,
        "packet": scenario.packet_bytes,
        "window": scenario.window,
        "jitter": scenario.jitter_s,
        "second_start": scenario.second_start_s,
        "era": scenario.era,
    }
    return ["ns", str(NS2_SCRIPT), *(str(part) for option in options.items() for part in option)]


def ns2_missing() -> str | None:
    """Why ns-2 cannot be run; None if it can."""
    if shutil.which("ns") is None:
        return "ns-2 is not installed (no `ns` on PATH; Debian: apt-get install ns2)"
    return None


def run_ns2(scenario: Bottleneck, seed: int) -> Outcome:
    """One run of ns-2."""
    done = subprocess.run(  # noqa: S603
        ns2_command(scenario, seed, monitor=True), capture_output=True, text=True, check=False, timeout=600
    )
    values = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    try:
        return Outcome(
            goodput_bps=float(values["goodput_bps"]),
            queue_mean=float(values["queue_mean"]),
            drops=int(values["drops"]),
            retransmissions=int(values["retransmissions"]),
            timeouts=int(values["timeouts"]),
            locked_out=int(values["locked_out"]),
        )
    except KeyError:
        raise ExperimentError(
            f"ns-2 failed on {scenario.name}: {done.stderr.strip() or done.stdout}"
        ) from None
