# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What carries packets between the switch and the world, as the control plane sees it."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

import mecn_native

PacketIn = Callable[[mecn_native.Switch, bytes], None]
"""Takes a frame that left a switch at the CPU port. Must not be called with a lock that `Dataplane` methods
take."""

PortChange = Callable[[int, bool], None]
"""Takes a port, and whether it is up now. Must not be called with a lock that `Dataplane` methods take."""


class Dataplane(Protocol):
    """Drives the switch that the control plane configures: real interfaces, files, or a program's own
    calls."""

    @property
    def cpu_port(self) -> int | None:
        """The port at which packet-outs enter and packet-ins leave; None: no packet I/O."""

    def now_ns(self) -> int:
        """The time that packets see, in nanoseconds: what meters and idle timeouts go by."""

    def connect(self, packet_in: PacketIn) -> None:
        """Says where frames go that leave at the CPU port; called once, before everything else."""

    def swap(self, switch: mecn_native.Switch) -> None:
        """A new pipeline is committed: the next packet goes through `switch`.

        Each packet sees one pipeline from end to end, and those that wait in queues of the switch before
        still leave.
        """

    def packet_out(self, frame: bytes) -> None:
        """A frame enters at the CPU port."""


@runtime_checkable
class HasInterfaces(Protocol):
    """What a `Dataplane` has besides if its ports are interfaces. Of others any number may be a port."""

    @property
    def port_names(self) -> Mapping[str, int]:
        """The ports by the names of their interfaces."""

    def watch_ports(self, port_change: PortChange) -> None:
        """Says who wants to know of ports that go down or come up. All are up at first."""

    def on_digests(self, take: Callable[[], None]) -> None:
        """Says who takes the switch's digests; called as soon as there are some, without a lock that
        `Dataplane` methods take. Of other data planes they are asked for now and then."""


class LocalDataplane:
    """A switch without interfaces: packets enter and leave by calls, one at a time.

    For programs that hold the switch in their own process. `transmit` is given each frame that leaves, with
    its port; those for the CPU port go to the controllers instead.
    """

    def __init__(
        self, cpu_port: int | None = None, transmit: Callable[[int, bytes], None] | None = None
    ) -> None:
        self._cpu_port = cpu_port
        self._transmit = transmit
        self._packet_in: PacketIn | None = None
        self._lock = threading.Lock()
        self._switch: mecn_native.Switch | None = None

    @property
    def cpu_port(self) -> int | None:
        """The port at which packet-outs enter and packet-ins leave; None: no packet I/O."""
        return self._cpu_port

    def now_ns(self) -> int:
        """The system's monotonic clock."""
        return time.monotonic_ns()

    def connect(self, packet_in: PacketIn) -> None:
        """Says where frames go that leave at the CPU port."""
        self._packet_in = packet_in

    def swap(self, switch: mecn_native.Switch) -> None:
        """The next packet goes through `switch`. No packet waits: `inject` empties all queues."""
        with self._lock:
            self._switch = switch

    def packet_out(self, frame: bytes) -> None:
        """A frame enters at the CPU port."""
        if self._cpu_port is not None:
            self.inject(self._cpu_port, frame)

    def inject(self, port: int, frame: bytes) -> list[mecn_native.Departure]:
        """A frame enters at `port`; returns what left at other ports than the CPU's.

        Raises RuntimeError before the first pipeline is committed.
        """
        with self._lock:
            switch = self._switch
            if switch is None:
                raise RuntimeError("the switch has no forwarding pipeline yet")
            departures = switch.process(port, frame, self.now_ns())
        left = []
        for departure in departures:
            if departure.frame is None:
                continue
            whole = departure.frame + bytes(departure.payload_len)
            if departure.port == self._cpu_port:
                if self._packet_in is not None:
                    self._packet_in(switch, whole)
                continue
            left.append(departure)
            if self._transmit is not None:
                self._transmit(departure.port, whole)
        return left
