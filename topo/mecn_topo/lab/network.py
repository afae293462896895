# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Builds a topology from network namespaces, veth pairs and switches in processes of their own.

::

    namespace LAB-S1                no name: all switches, and the process that runs the lab
      eth0 10.0.1.1 ------------------ s1p2  mecn-switch R1  s1p1 --- s2p1  mecn-switch R2  s2p2 ---...
      eth0 10.0.1.1 --- l1a wires l1b --- s1p2  BMv2 R1  s1p1 --- l0a wires l0b --- s2p1  BMv2 R2 ---...

The ports of mecn-switch make rate and delay of their links. BMv2's do not: a process does, which stands in
each link (or netem, see mecn_topo.lab.links).

The switches' P4Runtime servers listen on the loopback interface of that namespace, so labs do not get in
each other's way, and nobody outside reaches them: `mecn lab exec` runs a command there.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from mecn_controller import Route
from mecn_controller.errors import ControllerError
from mecn_controller.runtime.session import SwitchSession

from ..addressing import AddressPlan, address_plan
from ..topology import TopologyError
from . import bmv2, hosts, kernel, netem
from .kernel import CannotRunError, LabError, in_namespace
from .links import directions, middle, wires_command
from .loop import run_async
from .page import start_page
from .registry import Record, Watchdog, remove_leftovers
from .switches import embedded_command, grpc_address, interface, port_links

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from ..description import Placement, Scenario
    from .hosts import HostTcp
    from .kernel import Commands
    from .switches import PortLink

START_S = 60.0
"""How long a switch may take until it answers."""
WIRES = "-wires"
"""The process of the links, and its control socket."""


@dataclass(frozen=True, slots=True)
class Program:
    """The compiled P4 program, as the target's compiler made it."""

    bmv2_json: str
    p4info: str


@dataclass(frozen=True, slots=True)
class Options:
    """How to build a lab."""

    tcp: HostTcp
    target: str = "embedded"
    links: str = "wires"
    """With BMv2: what makes rates and delays of links (mecn_topo.lab.links)."""
    betas: tuple[float, float, float] = (5.0, 2.5, 2.0)
    mean_packet_bytes: int = 1000
    """For BMv2, whose queues count packets and not bits."""
    seed: int = 0
    capture_at_switches: Path | None = None
    """Folder for the embedded switches' own captures."""
    without_ecn: frozenset[str] = frozenset()
    """Hosts that do without ECN although the others have it."""
    page: socket.socket | None = None
    """Where the live page of the first queue with a profile is served; None: nowhere."""
    nice: int = -10
    """Of all processes: what a lab measures is its own timing, too."""


@dataclass
class Network:
    """A lab's network. Use as a context: it is there inside, and gone afterwards."""

    scenario: Scenario
    program: Program
    options: Options
    commands: Commands = field(default_factory=kernel.RealCommands)
    plan: AddressPlan = field(init=False)
    name: str = field(init=False)
    folder: Path = field(init=False)
    """Temporary files."""
    _record: Record = field(init=False)
    _watchdog: Watchdog = field(init=False)
    _processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.plan = address_plan(self.scenario.topology)
        self.name = f"mecn-{os.getpid()}-{secrets.token_hex(2)}"

    # ---- Names ---------------------------------------------------------------------------------------------

    @property
    def switches(self) -> list[str]:
        """Names of the switches, in order: switch number k is the k-th."""
        return [switch.name for switch in self.scenario.topology.switches]

    def namespace(self, host: str) -> str:
        """Namespace of a host."""
        return f"{self.name}-{host}"

    def number(self, switch: str) -> int:
        """Number of a switch, from 1: its device id."""
        return self.switches.index(switch) + 1

    def ctl_socket(self, switch: str) -> Path:
        """Control socket of an embedded switch."""
        return self.folder / f"{switch}.ctl"

    @property
    def has_wires(self) -> bool:
        """Whether a process makes rates and delays of the links."""
        return self.options.target == "bmv2" and self.options.links == "wires"

    def wire_behind(self, switch: str, port: int) -> str:
        """The interface of that process behind a port of a switch."""
        index = self.scenario.topology.links_of(switch)[port - 1]
        return middle(index, "a" if self.scenario.topology.links[index].a == switch else "b")

    @property
    def wires_socket(self) -> Path:
        """Control socket of that process. No switch has such a name."""
        return self.folder / f"{WIRES}.ctl"

    # ---- Up and down ---------------------------------------------------------------------------------------

    def __enter__(self) -> Network:
        for host in self.scenario.topology.hosts:
            (link,) = self.scenario.topology.links_of(host.name)
            if not self.scenario.topology.is_switch(self.scenario.topology.links[link].other(host.name)):
                raise LabError(f"{self.scenario.topology.links[link]}: in a lab a switch must be at one end")
        try:
            remove_leftovers()
            self._record = Record.create(self.name, self.scenario.topology.name)
        except OSError as error:
            raise CannotRunError(str(error)) from None
        self._watchdog = kernel.at_home(lambda: Watchdog(self._record))
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes.values():
            if process.poll() is None:
                process.terminate()
        self._remove_links()
        problems = self._record.remove()
        for process in self._processes.values():
            process.wait()
        self._watchdog.release()
        if problems:
            raise LabError("the lab could not be taken down whole: " + "; ".join(problems))

    def _build(self) -> None:
        kernel.prefer(os.getpid(), self.options.nice)
        self.folder = Path(tempfile.mkdtemp(prefix="mecn-lab-"))
        self._record.will_make_folder(self.folder)
        self._record.switches_cookie = kernel.own_namespace()
        self._record.save()
        kernel.disable_ipv6()
        for host in self.scenario.topology.hosts:
            self._make_namespace(self.namespace(host.name))
        self._make_links()
        for host in self.scenario.topology.hosts:
            self._set_up_host(host.name)
        if self.has_wires:
            self._start_wires()
        elif self.options.target == "bmv2":
            self._use_netem()
        for switch in self.switches:
            self._start_switch(switch)
        for switch in self.switches:
            self._wait_for_switch(switch)
        run_async(self._configure())
        if self.options.page is not None:
            watched = self.number(self.scenario.placements[0].switch)
            start_page(self, self.options.page, grpc_address(watched))

    def _make_namespace(self, name: str) -> None:
        self._record.will_make_namespace(name)
        self.commands.run(["ip", "netns", "add", name])
        kernel.disable_ipv6(name)

    def _pairs(self) -> list[tuple[str, str]]:
        """The veth pairs: an interface where the switches are, and what `ip` has to be told of its peer."""
        topology, found = self.scenario.topology, []
        for index, link in enumerate(topology.links):
            ends = []
            for end in (link.a, link.b):
                if topology.is_switch(end):
                    ends.append(interface(self.number(end), self.plan.port(end, index)))
                else:
                    ends.append(f"eth0 netns {self.namespace(end)}")
            if self.has_wires:
                found += [(middle(index, side), end) for side, end in zip("ab", ends, strict=True)]
            else:
                here, there = ends if topology.is_switch(link.a) else reversed(ends)
                found.append((here, there))
        return found

    def _make_links(self) -> None:
        mtu, lines = self.scenario.mtu, []
        for here, there in self._pairs():
            name, _, where = there.partition(" ")
            lines.append(f"link add {here} mtu {mtu} type veth peer name {name} mtu {mtu} {where}")
            lines.append(f"link set {here} up")
            if not where:
                lines.append(f"link set {name} up")
        lines.append("link set lo up")
        self.commands.run(["ip", "-batch", "-"], "\n".join(lines) + "\n")

    def _remove_links(self) -> None:
        """The namespace of the switches stays as long as the process, and may serve another network."""
        if self._record.switches_cookie == 0:
            return
        lines = [f"link del {here}" for here, _ in self._pairs()]
        with contextlib.suppress(LabError):
            # One end goes with the other, and after a failure some were never made.
            self.commands.run(["ip", "-force", "-batch", "-"], "\n".join(lines) + "\n")

    def _set_up_host(self, host: str) -> None:
        space, of = self.namespace(host), self.plan.interfaces[host]
        kernel.disable_ipv6(space)
        kernel.disable_offloads(space, "eth0")
        tcp = self.options.tcp
        if host in self.options.without_ecn:
            tcp = replace(tcp, ecn=False)
        kernel.set_sysctls(space, tcp.sysctls())
        gateway = of.address.rsplit(".", 1)[0] + ".254"
        lines = [
            f"link set eth0 address {of.mac} up",
            "link set lo up",
            f"addr add {of.address}/24 dev eth0",
            f"neigh add {gateway} lladdr {of.gateway_mac} dev eth0 nud permanent",
        ]
        self.commands.run(["ip", "-n", space, "-batch", "-"], "\n".join(lines) + "\n")
        if tcp.congestion == "mecn":
            self._record.will_need(hosts.down(space))
            self.commands.run(hosts.up(space, self.options.betas))
        route = f"route add default via {gateway} dev eth0 {' '.join(tcp.route_options())}\n"
        self.commands.run(["ip", "-n", space, "-batch", "-"], route)

    # ---- Links ---------------------------------------------------------------------------------------------

    def _start_wires(self) -> None:
        """The process that makes rates and delays, for switches whose ports do not."""
        both = directions(self.scenario, self.plan)
        overhead = self.scenario.topology.overhead_bytes
        process = self.start(WIRES, None, wires_command(both, overhead, self.wires_socket))
        deadline = time.monotonic() + START_S
        while not self.wires_socket.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                said = self.log(WIRES).strip()
                raise LabError(f"the process of the links does not start: {said or 'no answer'}")
            time.sleep(0.02)

    def _use_netem(self) -> None:
        for of in directions(self.scenario, self.plan):
            if of.port is not None:
                rule = netem.rule(interface(self.number(of.sender), of.port), of)
            else:
                rule = in_namespace(self.namespace(of.sender), netem.rule("eth0", of))
            self.commands.run(rule)

    # ---- Switches ------------------------------------------------------------------------------------------

    def ports(self, switch: str) -> list[PortLink]:
        """The ports of a switch."""
        return port_links(self.scenario.topology, self.plan, switch)

    def _start_switch(self, switch: str) -> None:
        number, ports = self.number(switch), self.ports(switch)
        if self.options.target == "bmv2":
            for of in ports:
                # With offloads on BMv2 receives into 32 slots, and loses what does not fit (docs/targets.md).
                kernel.disable_offloads(None, of.interface)
            command = bmv2.switch_command(number, [(of.port, of.interface) for of in ports], self.folder)
        else:
            command = embedded_command(
                number,
                ports,
                self.ctl_socket(switch),
                capture=self.options.capture_at_switches,
                seed=self.options.seed + number,
            )
        self.start(switch, None, command)

    def _wait_for_switch(self, switch: str) -> None:
        host, _, port = grpc_address(self.number(switch)).rpartition(":")
        probe = self._processes[switch]
        deadline = time.monotonic() + START_S
        while not _answers(host, int(port)):
            if probe.poll() is not None or time.monotonic() > deadline:
                raise LabError(f"switch {switch} does not start: {self.log(switch).strip() or 'no answer'}")
            time.sleep(0.05)
        if self.options.target == "bmv2":
            bmv2.wait_for_thrift(self.number(switch))

    async def _configure(self) -> None:
        for switch in self.switches:
            routes = [
                Route(row.prefix, row.port, row.src_mac, row.dst_mac) for row in self.plan.routes[switch]
            ]
            number = self.number(switch)
            try:
                async with SwitchSession(grpc_address(number), device_id=number) as session:
                    await session.set_pipeline(self.program.p4info, self.program.bmv2_json)
                    if self.options.target == "bmv2":
                        packet = self.options.mean_packet_bytes
                        bmv2.configure(number, bmv2.queues(self.scenario, switch, packet))
                    await session.write_routes(routes)
                    for placement in self._placements(switch):
                        await session.apply_profile(placement.profile, port=placement.port, drain_s=0)
            except ControllerError as error:
                raise LabError(f"the controller could not set up switch {switch}: {error}") from None

    def _placements(self, switch: str) -> Sequence[Placement]:
        return [placement for placement in self.scenario.placements if placement.switch == switch]

    # ---- Processes -----------------------------------------------------------------------------------------

    def start(
        self, name: str, namespace: str | None, command: Sequence[str], pass_fds: Sequence[int] = ()
    ) -> subprocess.Popen[bytes]:
        """Starts a process in a host's namespace, or in the switches'; its output goes to `log(name)`."""
        with (self.folder / f"{name}.log").open("wb") as output:
            process = subprocess.Popen(  # noqa: S603
                command if namespace is None else in_namespace(namespace, command),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                # Ctrl-C is for the lab, which ends its processes in order.
                start_new_session=True,
                pass_fds=pass_fds,
            )
        kernel.prefer(process.pid, self.options.nice)
        self._processes[name] = process
        return process

    def process(self, name: str) -> subprocess.Popen[bytes]:
        """A process by the name that it was started under."""
        return self._processes[name]

    def has_process(self, name: str) -> bool:
        """Whether a process of this name was started."""
        return name in self._processes

    def log(self, name: str) -> str:
        """What a process has said."""
        path = self.folder / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def check(self) -> None:
        """Raises :class:`LabError` if a switch, or the process of the links, has ended."""
        for name in [*self.switches, *([WIRES] if self.has_wires else [])]:
            status = self._processes[name].poll()
            if status is not None:
                said = self.log(name).strip().splitlines()[-1:]
                what = "the process of the links" if name == WIRES else f"switch {name}"
                raise LabError(f"{what} has ended with status {status}: {' '.join(said)}")


def _answers(host: str, port: int) -> bool:
    import socket

    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


def check_machine(scenario: Scenario, options: Options, *tools: str) -> None:
    """Raises :class:`CannotRunError` if this machine cannot build the lab, before anything is made."""
    if (reason := kernel.obstacle(*tools)) is not None:
        raise CannotRunError(reason)
    if not scenario.topology.switches:
        raise TopologyError("a lab needs a switch: hosts alone would have no delay")
    if options.target == "bmv2":
        if (missing := bmv2.missing()) is not None:
            raise CannotRunError(missing)
        if options.links == "netem" and (missing := netem.obstacle(kernel.RealCommands())) is not None:
            raise CannotRunError(missing)
