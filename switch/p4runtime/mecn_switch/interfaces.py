# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The data plane on network interfaces: a thread of the extension module carries the packets."""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import mecn_native

from .dataplane import PacketIn, PortChange
from .links import LinkMonitor
from .logs import TRACE
from .ports import PortSettings

_LOG = logging.getLogger(__name__)
_POLL_S = 0.2


class InterfaceDataplane:
    """Carries packets between network interfaces and the switch that is committed. A `Dataplane`
    that `HasInterfaces`."""

    def __init__(
        self,
        interfaces: Sequence[tuple[int, str]],
        settings: Mapping[int, PortSettings],
        *,
        wires: Sequence[tuple[int, int]] = (),
        cpu_port: int | None = None,
        busy_poll: bool = False,
        capture: Path | None = None,
        drop_privileges: bool = False,
        on_failure: Callable[[], None] | None = None,
    ) -> None:
        """Raises `mecn_native.InterfaceError`, and ValueError if interfaces contradict each other.

        wires: ports that are joined without a switch, from the first to the second of a pair.
        drop_privileges: give up all capabilities for good, in this thread and those to come.
        on_failure: called if the thread of packets, or one of those beside it, ends by itself.
        """
        self._cpu_port = cpu_port
        self._packet_in: PacketIn | None = None
        self._take_digests: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._settings: dict[int, PortSettings] = {}
        self._switches: dict[int, mecn_native.Switch] = {}
        self._stopping = threading.Event()
        self._on_failure = on_failure
        self._names = {name: port for port, name in interfaces}
        self._interfaces = interfaces
        self._links: LinkMonitor | None = None
        self._runtime = mecn_native.Runtime.start(
            interfaces,
            wires=wires,
            cpu_port=cpu_port,
            busy_poll=busy_poll,
            capture=capture,
            drop_privileges=drop_privileges,
        )
        for port in {port for port, _ in interfaces} | set(settings):
            self.configure(port, settings.get(port, PortSettings()))
        self._threads = [
            self._thread(self._events, "events"),
            self._thread(self._wait_for_digests, "digests"),
        ]
        if cpu_port is not None:
            self._threads.append(self._thread(self._packet_ins, "packet-in"))
        for thread in self._threads:
            thread.start()

    @property
    def cpu_port(self) -> int | None:
        """The port at which packet-outs enter and packet-ins leave; None: no packet I/O."""
        return self._cpu_port

    @property
    def port_names(self) -> Mapping[str, int]:
        """The ports of the interfaces."""
        return self._names

    def now_ns(self) -> int:
        """Nanoseconds since the start: the clock that packets see."""
        return self._runtime.now_ns()

    def connect(self, packet_in: PacketIn) -> None:
        """Says where frames go that leave at the CPU port."""
        self._packet_in = packet_in

    def on_digests(self, take: Callable[[], None]) -> None:
        """Says who takes the switch's digests, as soon as there are some."""
        self._take_digests = take

    def watch_ports(self, port_change: PortChange) -> None:
        """Says who wants to know of interfaces that go down or come up."""
        self._links = LinkMonitor(self._interfaces, port_change, self._thread)

    def swap(self, switch: mecn_native.Switch) -> None:
        """The next packet goes through `switch`; those in queues of the one before still leave."""
        with self._lock:
            number = self._runtime.set_switch(switch)
            # Frames of the one before may still be on their way to the controller.
            kept = sorted(self._switches)[-1:]
            self._switches = {old: self._switches[old] for old in kept} | {number: switch}

    def packet_out(self, frame: bytes) -> None:
        """A frame enters at the CPU port."""
        if self._cpu_port is not None and not self._runtime.inject(self._cpu_port, frame):
            _LOG.warning("a packet-out was dropped: too many wait")

    # ---- Beyond a `Dataplane` ---------------------------------------------------------------------------

    def configure(self, port: int, settings: PortSettings) -> None:
        """Sets queue and link of a port, now and for pipelines to come."""
        with self._lock:
            self._runtime.configure_port(
                port,
                rate_bps=settings.rate_bps,
                rate_pps=settings.rate_pps,
                limit_packets=settings.limit_packets,
                limit_bytes=settings.limit_bytes,
                overhead_bytes=settings.overhead_bytes,
                delay_ns=settings.delay_ns,
                in_rate_bps=settings.in_rate_bps,
                in_delay_ns=settings.in_delay_ns,
                in_limit_packets=settings.in_limit_packets,
            )
            self._settings[port] = settings

    @property
    def settings(self) -> dict[int, PortSettings]:
        """Queue and link of each port that has an interface or was configured, in order of port."""
        with self._lock:
            return dict(sorted(self._settings.items()))

    def totals(self) -> list[mecn_native.PortTotals]:
        """Counts of the interfaces."""
        return self._runtime.totals()

    @property
    def unattached(self) -> int:
        """Packets sent out of ports that have no interface."""
        return self._runtime.unattached

    @property
    def lost_events(self) -> int:
        """Trace records and warnings that could not be logged fast enough."""
        return self._runtime.lost_events

    def trace(self, on: bool) -> None:
        """Whether to log what becomes of each packet, at level trace."""
        self._runtime.set_trace(on)

    def flush(self) -> None:
        """Writes what capture files have in memory."""
        self._runtime.flush_captures()

    def stop(self) -> None:
        """Closes interfaces and capture files."""
        self._stopping.set()
        if self._links is not None:
            self._links.close()
            self._links = None
        self._runtime.stop()
        for thread in self._threads:
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _thread(self, work: Callable[[], None], name: str) -> threading.Thread:
        """One that does not end in silence: without it the switch would seem to go on."""

        def run() -> None:
            try:
                work()
            except Exception:  # noqa: BLE001
                _LOG.exception("the switch cannot go on: thread %s", name)
                if self._on_failure is not None:
                    self._on_failure()

        return threading.Thread(target=run, name=name, daemon=True)

    def _events(self) -> None:
        while True:
            event = self._runtime.next_event(_POLL_S)
            if event is None:
                self._program_log()
                if self._stopping.is_set():
                    return
                continue
            match event.kind:
                case "trace":
                    fields = {"packet": event.packet, "time_ns": event.time_ns}
                    _LOG.log(TRACE, "%s", event.text, extra={"fields": fields})
                case "warning":
                    _LOG.warning("%s", event.text)
                case "failed":
                    _LOG.error("%s", event.text)
                    if self._on_failure is not None:
                        self._on_failure()

    def _program_log(self) -> None:
        """Messages of the program's log_msg."""
        with self._lock:
            switches = [self._switches[number] for number in sorted(self._switches)]
        for switch in switches:
            for message in switch.take_log():
                _LOG.info("%s", message, extra={"fields": {"source": "log_msg"}})

    def _wait_for_digests(self) -> None:
        while not self._stopping.is_set():
            if self._runtime.wait_for_digests(_POLL_S):
                self._take_digests()

    def _packet_ins(self) -> None:
        while not self._stopping.is_set():
            punted = self._runtime.next_punted(_POLL_S)
            if punted is None or self._packet_in is None:
                continue
            number, frame = punted
            with self._lock:
                switch = self._switches.get(number)
            if switch is not None:
                self._packet_in(switch, frame)
