# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""PTF's data plane on a switch in virtual time (`virtual_time.py`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from ptf import ptfutils
from ptf.dataplane import DataPlane, DataPlanePortIface

from mecn_ptf.virtual_time import NS, Arrival, VirtualSwitch


class VirtualPort(DataPlanePortIface):
    """A port as PTF's data plane wants it. Nothing waits for it: `VirtualDataPlane.poll` delivers."""

    def __init__(self, switch: VirtualSwitch, port: int) -> None:
        self._switch = switch
        self._port = port

    def get_packet_source(self) -> VirtualPort:
        """PTF asks, and does nothing with it."""
        return self

    def send(self, packet: bytes) -> int:
        """A frame enters the switch; returns its length."""
        self._switch.receive(self._port, bytes(packet))
        return len(packet)


class VirtualDataPlane(DataPlane):
    """PTF's data plane without its thread: polling makes time pass and fills the queues."""

    switch: VirtualSwitch
    on_kill: Callable[[], None]

    def run(self) -> None:
        """PTF's thread waits for frames here. There is nothing to wait for."""

    def poll(
        self,
        device_number: int = 0,
        port_number: int | None = None,
        timeout: float | None = None,
        exp_pkt: object = None,
        filters: Sequence[Callable[[bytes], bool]] = (),
    ) -> DataPlane.PollResult:
        """As PTF's, with the timeout in virtual seconds."""
        seconds = ptfutils.default_timeout if timeout is None else timeout
        deadline = self.switch.now_ns() + round(seconds * NS)
        recent: deque[bytes] = deque(maxlen=self.POLL_MAX_RECENT_PACKETS)
        count = 0
        while True:
            result = super().poll(device_number, port_number, 0, exp_pkt, filters)
            if isinstance(result, self.PollSuccess):
                return result
            recent.extend(result.recent_packets)
            count += result.packet_count
            arrival = self.switch.step(deadline)
            if arrival is None:
                return self.PollFailure(exp_pkt, recent, count)
            self._deliver(arrival)

    def _deliver(self, arrival: Arrival) -> None:
        seconds = arrival.time_ns / NS
        queue = self.packet_queues.get((0, arrival.port))
        if queue is None:
            return
        if self.pcap_writer:
            self.pcap_writer.write(arrival.frame, seconds, 0, arrival.port)
        if len(queue) >= self.qlen:
            raise RuntimeError(
                f"more than {self.qlen} frames wait at port {arrival.port}: raise ptf's --qlen"
            )
        queue.append((arrival.frame, seconds))
        self.rx_counters[(0, arrival.port)] += 1

    def kill(self) -> None:
        """Ends the test run."""
        super().kill()
        self.on_kill()
