# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A switch with packets that keep queues at a wanted depth, in real time."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

if TYPE_CHECKING:
    from tests import switches
    from tests.switches import Bmv2, Embedded
else:
    import mecn_controller_switches as switches

IN, PORTS = 1, (2, 3)
"""Packets come in at port 1, and leave at one of the others."""
LIMIT_PACKETS = 1000
TICK_S = 0.005
NICE = -15
LOST_S = 0.5
"""When nothing has left for so long, what was on its way is lost."""


def frame(port: int, flow: int, flags: str = "A", *, ecn: int = 2) -> bytes:
    """A TCP segment that leaves at `port`; by default ECT(0)."""
    segment = TCP(sport=1000 + flow, dport=80, flags=flags)
    payload = b"" if flags == "S" else bytes(946)
    packet = Ether(dst="02:00:00:00:01:fe") / IP(src="10.0.1.1", dst=f"10.0.{port}.1", tos=ecn) / segment
    return bytes(packet / payload)


class Traffic(ABC):
    """As many packets as keep the queue of each port at a depth, drained at a rate; in a thread."""

    def __init__(self, depths: dict[int, float], *, rate_pps: int, flows: int) -> None:
        self.depths = dict(depths)
        self._rate_pps = rate_pps
        self._frames = {port: [frame(port, flow) for flow in range(flows)] for port in depths}
        self._handshakes = [frame(port, flow, "S", ecn=0) for port in depths for flow in range(flows)]
        self._sent = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="traffic", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()

    @abstractmethod
    def _run(self) -> None:
        """Until `_stopped`."""

    def _next(self, port: int, count: int, since_ns: int) -> Iterator[bytes]:
        """The next `count` packets for a port.

        Flow n begins to send n times 10 ms after its handshake, so flows have round-trip times.
        """
        frames = self._frames[port][: 1 + since_ns // 10_000_000]
        for _ in range(max(0, min(50, count))):
            yield frames[self._sent % len(frames)]
            self._sent += 1


class InProcess(Traffic):
    """For the embedded switch in this process."""

    def __init__(self, switch: Embedded, depths: dict[int, float], *, rate_pps: int, flows: int) -> None:
        super().__init__(depths, rate_pps=rate_pps, flows=flows)
        self._switch = switch.server.switch

    def _run(self) -> None:
        switch = self._switch
        begin = time.monotonic_ns()
        for port in self.depths:
            switch.configure_port(port, rate_pps=self._rate_pps, limit_packets=LIMIT_PACKETS)
        for segment in self._handshakes:
            switch.receive(IN, segment, begin)
        while not self._stopped.wait(TICK_S):
            now = time.monotonic_ns()
            empty = set(self.depths)
            # Departures and arrivals alternate, each at its own time, as on a link.
            while (due := switch.next_departure()) is not None and due <= now:
                departure = switch.depart(due)
                if departure is not None and departure.port in self.depths:
                    empty.discard(departure.port)
                    self._fill(departure.port, departure.deq_qdepth, due, now - begin)
            for port in empty:
                self._fill(port, 0, now, now - begin)

    def _fill(self, port: int, depth: int, now_ns: int, since_ns: int) -> None:
        for packet in self._next(port, int(self.depths[port]) - depth, since_ns):
            self._switch.receive(IN, packet, now_ns)


class OnWires(Traffic):
    """For BMv2 on interfaces: a window of packets for each port, one more for each that comes out."""

    def __init__(
        self,
        switch: Bmv2,
        wires: dict[int, socket.socket],
        depths: dict[int, float],
        *,
        rate_pps: int,
        flows: int,
    ) -> None:
        super().__init__(depths, rate_pps=rate_pps, flows=flows)
        self._wires = wires
        self._switch = switch
        queues = (
            f"set_queue_rate {rate_pps} {port}\nset_queue_depth {LIMIT_PACKETS} {port}\n" for port in depths
        )
        switch.process.cli("".join(queues))

    def _run(self) -> None:
        # A queue empties where packets come late: what else the machine does must not decide how deep it is.
        for thread in (threading.get_native_id(), *self._switch.process.threads()):
            os.setpriority(os.PRIO_PROCESS, thread, NICE)
        wires, begin = self._wires, time.monotonic_ns()
        for segment in self._handshakes:
            wires[IN].send(segment)
        waiting = dict.fromkeys(self.depths, len(self._handshakes) // len(self.depths))
        last = dict.fromkeys(self.depths, begin)
        ports = {wires[port]: port for port in self.depths}
        while not self._stopped.is_set():
            for wire in select.select(list(ports), [], [], TICK_S)[0]:
                waiting[ports[wire]] -= _drained(wire)
                last[ports[wire]] = time.monotonic_ns()
            now = time.monotonic_ns()
            for port in self.depths:
                if now - last[port] > LOST_S * 1e9:
                    waiting[port], last[port] = 0, now
                for packet in self._next(port, int(self.depths[port]) - waiting[port], now - begin):
                    wires[IN].send(packet)
                    waiting[port] += 1


def _drained(wire: socket.socket) -> int:
    """How many packets had come."""
    count = 0
    try:
        while True:
            wire.recv(2048)
            count += 1
    except BlockingIOError:
        return count


@dataclass(frozen=True)
class Testbed:
    """A switch with the program and routes, and how packets come to it."""

    __test__ = False

    switch: switches.Switch
    wires: dict[int, socket.socket]

    @property
    def address(self) -> str:
        return self.switch.address

    def traffic(self, depths: dict[int, float], *, rate_pps: int, flows: int) -> Traffic:
        """Keeps queues at depths, in packets, while `with` lasts."""
        if isinstance(self.switch, switches.Embedded):
            return InProcess(self.switch, depths, rate_pps=rate_pps, flows=flows)
        assert isinstance(self.switch, switches.Bmv2)
        return OnWires(self.switch, self.wires, depths, rate_pps=rate_pps, flows=flows)


def missing(target: str) -> str | None:
    """Why packets cannot come to a switch here; None if they can."""
    if target == "bmv2" and os.geteuid() != 0:
        return "packets for BMv2 need root: virtual interfaces and packet sockets"
    return None


@contextmanager
def testbed(target: str) -> Iterator[Testbed]:
    """A switch and its wires; nothing is left of either."""
    if target == "embedded":
        with switches.started(target) as switch:
            switch.load(switches.ROUTES)
            yield Testbed(switch, {})
        return
    with (
        _pairs((IN, *PORTS)) as (names, wires),
        switches.started(target, ports=list(names.items())) as switch,
    ):
        switch.load(switches.ROUTES)
        yield Testbed(switch, wires)


@contextmanager
def _pairs(ports: tuple[int, ...]) -> Iterator[tuple[dict[int, str], dict[int, socket.socket]]]:
    """Virtual interfaces for the switch, and sockets at their other ends."""
    names = {port: f"mc{os.getpid()}-{port}" for port in ports}
    wires: dict[int, socket.socket] = {}
    try:
        for port, name in names.items():
            other = f"{name}t"
            _ip("link", "add", name, "type", "veth", "peer", "name", other)
            for end in (name, other):
                # No packets but the tests'.
                with open(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6", "w") as flag:  # noqa: PTH123
                    flag.write("1")
                _ip("link", "set", end, "up")
            wires[port] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            wires[port].bind((other, 3))  # ETH_P_ALL
            wires[port].setblocking(False)
        yield names, wires
    finally:
        for wire in wires.values():
            wire.close()
        for name in names.values():
            subprocess.run(["ip", "link", "del", name], check=False, capture_output=True)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
