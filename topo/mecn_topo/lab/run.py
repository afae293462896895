# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""One run of a lab: flows between its hosts for a time, and what was measured meanwhile."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from mecn_controller.errors import ControllerError
from mecn_controller.runtime.session import SwitchSession

from . import capture, hosts, traffic
from .kernel import LabError, inside
from .loop import run_async
from .measure import Bmv2Queue, EmbeddedQueue, FlowProbe, Marks, QueueState
from .switches import grpc_address

if TYPE_CHECKING:
    from ..description import Flow, Placement
    from ..topology import Topology
    from .measure import FlowSeries
    from .network import Network

Traffic = Literal["iperf3", "plain"]
FIRST_SINK_PORT = 5201
LEAD_S, LEAD_EACH_S = 1.0, 0.05
"""Between the start of the flows' processes and time 0, or the first of them that has to begin before it: in
all, and for each flow."""
IPERF3_ROUND_TRIPS = 4
"""Client and server of iperf3 talk so long over a connection of their own before data flow."""
MARGIN_S = 2.0
"""How long flows go on after the end, so that their last counts can be read."""
STOP_S = 0.01
"""So long before a flow stops its counts are read: its connection is gone afterwards."""
DRAIN_S = 1.0
"""How long captures go on after the last look at the switch."""
SAMPLE_S = 0.02
"""Distance of two looks at the queue."""
DEATH_S = 2.0
"""So long after its last sign of life it is clear whether a process has ended."""
FLOWS_S = 0.2
"""Distance of two looks at flows and marks."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How long, what is measured, and what sends."""

    duration_s: float
    warmup_s: float = 0.0
    start_jitter_s: float = 0.0
    """Flows start at random within this time."""
    seed: int = 1
    traffic: Traffic = "iperf3"
    captures: Path | None = None
    """Folder for a capture of each host; None: no captures."""
    flows_s: float = FLOWS_S
    sample_s: float | None = None
    """Distance of two looks at the queue; None: as usual."""


@dataclass
class Recording:
    """What a run has measured; time 0 is when the first flows may start."""

    plan: Plan
    time_s: list[float] = field(default_factory=list)
    states: list[QueueState] = field(default_factory=list)
    marks: Marks = field(default_factory=Marks)
    flows: list[FlowSeries] = field(default_factory=list)
    begin_ns: int = 0
    """Time 0 by the clock of the captures."""
    host_statistics: dict[str, dict[str, int]] = field(default_factory=dict)
    """Of `mecn-host`, by sending host, if it runs there."""
    netstat: dict[str, dict[str, int]] = field(default_factory=dict)
    """The kernel's TCP counts (TcpExt) of each sending host."""
    before: dict[str, dict[str, int]] = field(default_factory=dict)
    """The same, and those of `mecn-host`, when the warm-up was over; empty without one: all begin at 0."""
    others: dict[tuple[str, int], tuple[QueueState, QueueState]] = field(default_factory=dict)
    """The other queues that have a profile, by switch and port: at the warm-up's end, and at the end."""

    @property
    def elapsed_s(self) -> float:
        """Time of the last sample."""
        return self.time_s[-1] if self.time_s else 0.0


class View(Protocol):
    """Shows a run while it goes on."""

    def show(self, recording: Recording) -> None:
        """Called a few times a second."""


class Run:
    """A run on a network that is up."""

    def __init__(self, network: Network, plan: Plan, view: View) -> None:
        self._network, self._plan, self._view = network, plan, view
        scenario = network.scenario
        if not scenario.placements:
            raise LabError("nothing to watch: the topology names no profile for any queue")
        if not scenario.flows:
            raise LabError("no flows: the topology has fewer than two hosts")
        self._watched = scenario.placements[0]
        self.recording = Recording(plan)

    def __call__(self) -> Recording:
        """Runs the flows to their end. Interrupted, it leaves the recording as far as it has come."""
        network, watched, plan = self._network, self._watched, self._plan
        queue = self._queue(watched)
        others = {(of.switch, of.port): self._queue(of) for of in network.scenario.placements[1:]}
        spaces = {host.name: network.namespace(host.name) for host in network.scenario.topology.hosts}
        probe = FlowProbe(network.scenario.flows, spaces)
        self.recording.flows = probe.series
        try:
            self._start_captures()
            begin = self._start_flows()
            self.recording.begin_ns = time.time_ns() + round((begin - time.monotonic()) * 1e9)
            try:
                run_async(self._sample(queue, others, probe, begin))
            except (ControllerError, LabError) as error:
                self._name_the_dead()
                raise LabError(str(error)) from None
            self.recording.netstat, self.recording.host_statistics = self._read_hosts()
            if plan.captures is not None:
                # What the switch has counted reaches the captures.
                time.sleep(DRAIN_S)
        finally:
            probe.close()
            for of in (queue, *others.values()):
                of.close()
            self._stop_captures()
        return self.recording

    def _queue(self, of: Placement) -> EmbeddedQueue | Bmv2Queue:
        network = self._network
        if network.options.target == "bmv2":
            wires = network.wires_socket if network.has_wires else None
            return Bmv2Queue(
                network.number(of.switch), of.port, wires, network.wire_behind(of.switch, of.port)
            )
        return EmbeddedQueue(network.ctl_socket(of.switch), of.port)

    # ---- Traffic -------------------------------------------------------------------------------------------

    def _start_flows(self) -> float:
        """Starts receivers and senders; returns time 0 by the monotonic clock."""
        network, plan = self._network, self._plan
        iperf3 = plan.traffic == "iperf3"
        flows = self.recording.flows
        for series in flows:
            address = network.plan.interfaces[series.flow.sink].address
            port = FIRST_SINK_PORT + series.number
            name = f"receiver-{series.number}"
            if iperf3:
                receive = ["iperf3", "--server", "--one-off", "--bind", address, "--port", str(port)]
            else:
                receive = [sys.executable, "-I", "-S", traffic.__file__, "receive", address, str(port)]
            network.start(name, network.namespace(series.flow.sink), receive)
        self._wait_for_receivers()
        ahead = {flow: self._ahead_s(flow) if iperf3 else 0.0 for flow in network.scenario.flows}
        begin = time.monotonic() + LEAD_S + LEAD_EACH_S * len(flows) + max(ahead.values())
        draw = random.Random(plan.seed)  # noqa: S311 - no secrets
        for series in flows:
            address = network.plan.interfaces[series.flow.sink].address
            to, local = str(FIRST_SINK_PORT + series.number), str(series.local_port)
            start = begin + series.flow.start_s + draw.uniform(0, plan.start_jitter_s)
            stop = series.flow.stop_s
            end = begin + (plan.duration_s + MARGIN_S if stop is None else stop)
            seconds = max(end - start, 0.0)
            name = f"sender-{series.number}"
            if iperf3:
                # iperf3 counts whole seconds: up, so that none ends early that has no stop.
                early = str(start - ahead[series.flow])
                whole = round(seconds if stop is not None else seconds + 0.5)
                send = [
                    sys.executable, "-I", "-S", "-c", LATER, early, "iperf3", "--client", address,
                    "--port", to, "--cport", local, "--time", str(max(1, whole)), "--json",
                ]  # fmt: skip
            else:
                send = [
                    sys.executable, "-I", "-S", traffic.__file__, "send", address, to, local, str(start),
                    str(seconds),
                ]  # fmt: skip
            network.start(name, network.namespace(series.flow.source), send)
        return begin

    def _ahead_s(self, flow: Flow) -> float:
        """How much earlier than its data a flow's iperf3 has to start, on links without queues."""
        delay_s = propagation_s(self._network.scenario.topology, flow.source, flow.sink)
        return IPERF3_ROUND_TRIPS * 2 * delay_s

    def _wait_for_receivers(self) -> None:
        network = self._network
        deadline = time.monotonic() + 30
        for series in self.recording.flows:
            port = f":{FIRST_SINK_PORT + series.number:04X}"
            space = network.namespace(series.flow.sink)
            while not any(
                row.split()[1].endswith(port) and row.split()[3] == "0A"
                for row in inside(space, Path("/proc/thread-self/net/tcp").read_text).splitlines()[1:]
            ):
                if time.monotonic() > deadline:
                    said = network.log(f"receiver-{series.number}").strip()
                    raise LabError(f"the receiver at {series.flow.sink} does not start: {said}")
                time.sleep(0.02)

    # ---- Measuring -----------------------------------------------------------------------------------------

    async def _sample(
        self,
        queue: EmbeddedQueue | Bmv2Queue,
        others: dict[tuple[str, int], EmbeddedQueue | Bmv2Queue],
        probe: FlowProbe,
        begin: float,
    ) -> None:
        network, plan, recording = self._network, self._plan, self.recording
        number = network.number(self._watched.switch)
        session = SwitchSession(grpc_address(number), device_id=number, election_id=None)
        every = plan.sample_s or SAMPLE_S
        async with session:
            await session.use_pipeline()
            await asyncio.sleep(max(0.0, begin - time.monotonic()))
            stops = [flow.flow.stop_s - STOP_S for flow in recording.flows if flow.flow.stop_s is not None]
            next_flows, edges = 0.0, sorted([plan.warmup_s, *stops, plan.duration_s])
            warm: dict[tuple[str, int], QueueState] | None = None
            while True:
                now = time.monotonic() - begin
                recording.time_s.append(now)
                recording.states.append(queue.read())
                if now >= next_flows or now >= edges[0]:
                    while next_flows <= now:
                        next_flows += plan.flows_s
                    while edges and now >= edges[0]:
                        edges.pop(0)
                    probe.read(now)
                    if warm is None and now >= plan.warmup_s:
                        warm = {place: of.read() for place, of in others.items()}
                        if plan.warmup_s > 0:
                            recording.before = await asyncio.to_thread(self._read_hosts_together)
                    await recording.marks.read(session, self._watched.port, now)
                    self._view.show(recording)
                    network.check()
                    self._check_flows()
                if not edges:
                    for place, of in others.items():
                        recording.others[place] = ((warm or {}).get(place, QueueState(0, 0.0)), of.read())
                    return
                ahead = min((len(recording.time_s)) * every, edges[0])
                now = time.monotonic() - begin
                # Late by more than a sample: go on from now, and leave out what was missed.
                wait = ahead - now if ahead > now else every - (now % every)
                await asyncio.sleep(min(wait, max(0.0, edges[0] - now)))

    def _name_the_dead(self) -> None:
        """If a process has died, that is the reason, and not that somebody did not get its answer."""
        deadline = time.monotonic() + DEATH_S
        while time.monotonic() < deadline:
            self._network.check()
            time.sleep(0.05)

    def _check_flows(self) -> None:
        for series in self.recording.flows:
            process = self._network.process(f"sender-{series.number}")
            if process.poll() not in (None, 0):
                said = self._network.log(f"sender-{series.number}").strip()
                raise LabError(f"the flow from {series.flow.source} has failed: {said[-500:]}")

    def _read_hosts(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
        """What the kernel and `mecn-host` have counted at each sending host since its start."""
        network = self._network
        kernels: dict[str, dict[str, int]] = {}
        of_mecn_host: dict[str, dict[str, int]] = {}
        for source in dict.fromkeys(series.flow.source for series in self.recording.flows):
            space = network.namespace(source)
            text = inside(space, Path("/proc/thread-self/net/netstat").read_text)
            kernels[source] = netstat(text)
            if network.options.tcp.congestion == "mecn":
                of_mecn_host[source] = hosts.statistics(space, network.commands)
        return kernels, of_mecn_host

    def _read_hosts_together(self) -> dict[str, dict[str, int]]:
        kernels, of_mecn_host = self._read_hosts()
        return {host: counts | of_mecn_host.get(host, {}) for host, counts in kernels.items()}

    # ---- Captures ------------------------------------------------------------------------------------------

    def capture_of(self, host: str) -> Path:
        """Where a host's capture is."""
        assert self._plan.captures is not None
        return self._plan.captures / f"{host}.pcap"

    def _start_captures(self) -> None:
        if self._plan.captures is None:
            return
        network = self._network
        for host in network.scenario.topology.hosts:
            path = self.capture_of(host.name)
            path.unlink(missing_ok=True)
            network.start(
                f"capture-{host.name}", network.namespace(host.name), capture.command(path.resolve())
            )
        deadline = time.monotonic() + 30
        for host in network.scenario.topology.hosts:
            # tcpdump writes the file's head when it has begun to listen.
            path = self.capture_of(host.name)
            while not path.exists() or path.stat().st_size < 24:
                process = network.process(f"capture-{host.name}")
                if process.poll() is not None or time.monotonic() > deadline:
                    raise LabError(f"tcpdump does not start: {network.log(f'capture-{host.name}').strip()}")
                time.sleep(0.02)

    def _stop_captures(self) -> None:
        if self._plan.captures is None:
            return
        names = [f"capture-{host.name}" for host in self._network.scenario.topology.hosts]
        running = [self._network.process(name) for name in names if self._network.has_process(name)]
        for process in running:
            # SIGTERM: tcpdump writes what it holds on both, but a shell's background job hands on that SIGINT
            # is ignored.
            process.terminate()
        for process in running:
            process.wait(10)


def propagation_s(topology: Topology, source: str, sink: str) -> float:
    """Delay one way along the route of fewest links; ties go to the link declared first, as in the routes."""
    found, todo = {source: 0.0}, deque([source])
    while todo and sink not in found:
        node = todo.popleft()
        for index in topology.links_of(node):
            link = topology.links[index]
            other = link.other(node)
            if other not in found:
                found[other] = found[node] + link.delay_s
                todo.append(other)
    return found[sink]


LATER = """
import os, sys, time
time.sleep(max(0.0, float(sys.argv[1]) - time.monotonic()))
os.execvp(sys.argv[2], sys.argv[2:])
"""


def netstat(text: str) -> dict[str, int]:
    """The TcpExt counts of /proc/net/netstat: a line of names and a line of values."""
    rows = [line.split() for line in text.splitlines() if line.startswith("TcpExt:")]
    if len(rows) != 2:
        return {}
    return {name: int(value) for name, value in zip(rows[0][1:], rows[1][1:], strict=True)}


def tools(plan: Plan) -> list[str]:
    """Commands that a run needs."""
    return (["iperf3"] if plan.traffic == "iperf3" else []) + (["tcpdump"] if plan.captures else [])
