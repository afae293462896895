# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The switch in this process, in virtual time: no interfaces, no root, no waiting.

Time passes only while a test polls. Sending takes none: frames sent without a poll in between arrive at the
same instant, in order, and meet each other in the queue. A poll with a timeout of t seconds lets time pass up
to the next frame that arrives at the far end of a link, or by t if none does. A frame arrives there when its
last bit has left the switch, as on a wire without length.
"""

from __future__ import annotations

import heapq
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_native import Switch

if TYPE_CHECKING:
    from mecn_switch.dataplane import PacketIn

NS = 10**9
PATIENCE_S = 60.0
"""How long another thread may take, in real time; more than any machine needs."""


@dataclass(frozen=True)
class Queue:
    """Rate (None: no limit) and size of a port's queue, in packets."""

    pps: int | None = None
    limit: int = 64


@dataclass(frozen=True, order=True)
class Arrival:
    """A frame at the far end of a port's link."""

    time_ns: int
    number: int
    port: int
    frame: bytes


class VirtualSwitch:
    """The switch that the control plane configures, and its clock. A `mecn_switch.dataplane.Dataplane`."""

    def __init__(self, cpu_port: int | None = None) -> None:
        self._cpu_port = cpu_port
        self._packet_in: PacketIn | None = None
        self._lock = threading.Lock()
        self._now_ns = 0
        self._switches: list[Switch] = []
        """The running one is the last; those before it still have packets in their queues."""
        self._queues: dict[int, Queue] = {}
        self._on_links: list[Arrival] = []
        self._departed = 0
        self._packet_outs = 0
        self._packet_out_came = threading.Condition()

    # ---- As the control plane sees it ---------------------------------------------------------------------

    @property
    def cpu_port(self) -> int | None:
        """The port at which packet-outs enter and packet-ins leave; None: no packet I/O."""
        return self._cpu_port

    def now_ns(self) -> int:
        """Virtual time, in nanoseconds since the start."""
        return self._now_ns

    def connect(self, packet_in: PacketIn) -> None:
        """Says where frames go that leave at the CPU port."""
        self._packet_in = packet_in

    def swap(self, switch: Switch) -> None:
        """The next packet goes through `switch`; those in queues of the one before still leave."""
        with self._lock:
            for port, queue in self._queues.items():
                switch.configure_port(port, rate_pps=queue.pps, limit_packets=queue.limit)
            self._switches = [old for old in self._switches if old.next_departure() is not None]
            self._switches.append(switch)

    def packet_out(self, frame: bytes) -> None:
        """A frame enters at the CPU port."""
        if self._cpu_port is not None:
            self.receive(self._cpu_port, frame)
        with self._packet_out_came:
            self._packet_outs += 1
            self._packet_out_came.notify_all()

    def await_packet_outs(self, count: int) -> None:
        """Waits, in real time, until so many packet-outs have come since the start."""
        with self._packet_out_came:
            if not self._packet_out_came.wait_for(lambda: self._packet_outs >= count, PATIENCE_S):
                raise TimeoutError(f"of {count} packet-outs {self._packet_outs} came")

    # ---- As the test sees it ------------------------------------------------------------------------------

    def configure(self, port: int, queue: Queue) -> None:
        """Sets a port's queue, now and for pipelines to come."""
        with self._lock:
            self._queues[port] = queue
            for switch in self._switches:
                switch.configure_port(port, rate_pps=queue.pps, limit_packets=queue.limit)

    def receive(self, port: int, frame: bytes) -> None:
        """A frame enters now. Raises RuntimeError before the first pipeline is committed."""
        with self._lock:
            if not self._switches:
                raise RuntimeError("the switch has no forwarding pipeline yet")
            self._switches[-1].receive(port, frame, self._now_ns)

    def settle(self) -> None:
        """Lets everything depart that is due now."""
        punted: list[tuple[Switch, bytes]] = []
        with self._lock:
            while (due := self._next_departure()) is not None and due <= self._now_ns:
                punted.extend(self._depart())
        self._punt(punted)

    def step(self, until_ns: int) -> Arrival | None:
        """Lets time pass up to the next arrival, or to `until_ns` if there is none by then."""
        punted: list[tuple[Switch, bytes]] = []
        with self._lock:
            arrival = self._step(until_ns, punted)
        self._punt(punted)
        return arrival

    def _punt(self, frames: list[tuple[Switch, bytes]]) -> None:
        for switch, frame in frames:
            if self._packet_in is not None:
                self._packet_in(switch, frame)

    def _step(self, until_ns: int, punted: list[tuple[Switch, bytes]]) -> Arrival | None:
        while True:
            departure = self._next_departure()
            first = self._on_links[0] if self._on_links else None
            if departure is not None and departure <= until_ns and (not first or departure <= first.time_ns):
                self._now_ns = max(self._now_ns, departure)
                punted.extend(self._depart())
            elif first is not None and first.time_ns <= until_ns:
                self._now_ns = max(self._now_ns, first.time_ns)
                return heapq.heappop(self._on_links)
            else:
                self._now_ns = max(self._now_ns, until_ns)
                return None

    def _next_departure(self) -> int | None:
        dues = [due for switch in self._switches if (due := switch.next_departure()) is not None]
        return min(dues, default=None)

    def _depart(self) -> list[tuple[Switch, bytes]]:
        """Begins to send all that is due now; returns what goes to the CPU."""
        punted = []
        for switch in self._switches:
            while (departure := switch.depart(self._now_ns)) is not None:
                if departure.frame is None:
                    continue
                frame = departure.frame + bytes(departure.payload_len)
                if departure.port == self._cpu_port:
                    punted.append((switch, frame))
                    continue
                self._departed += 1
                arrival = Arrival(departure.end_ns, self._departed, departure.port, frame)
                heapq.heappush(self._on_links, arrival)
        return punted
