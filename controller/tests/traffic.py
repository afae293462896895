# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The embedded switch in this process, with packets that keep a queue at a wanted depth, in real time."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from mecn_controller import Route
from mecn_controller.push import apply_sync
from mecn_native import CompiledProgram, compile_p4
from mecn_switch import P4RuntimeServer
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

PROGRAM = Path(__file__).resolve().parents[2] / "p4src" / "mecn_v1model.p4"
ROUTES = [Route(f"10.0.{port}.0/24", port, "02:00:00:00:02:fe", "02:00:00:00:02:01") for port in (2, 3)]
TICK_S = 0.005


def program() -> CompiledProgram:
    return compile_p4(PROGRAM, [PROGRAM.parent])


def frame(port: int, flow: int, flags: str = "A", *, ecn: int = 2) -> bytes:
    """A TCP segment that leaves at `port`; by default ECT(0)."""
    segment = TCP(sport=1000 + flow, dport=80, flags=flags)
    payload = b"" if flags == "S" else bytes(946)
    packet = Ether(dst="02:00:00:00:01:fe") / IP(src="10.0.1.1", dst=f"10.0.{port}.1", tos=ecn) / segment
    return bytes(packet / payload)


class Traffic:
    """Feeds a switch: as many packets as keep the queue of each port at a depth, drained at a rate."""

    def __init__(
        self, server: P4RuntimeServer, depths: dict[int, float], *, rate_pps: int, flows: int
    ) -> None:
        self.depths = dict(depths)
        self._switch = server.switch
        self._rate_pps = rate_pps
        self._frames = {port: [frame(port, flow) for flow in range(flows)] for port in depths}
        self._handshakes = {port: [frame(port, flow, "S", ecn=0) for flow in range(flows)] for port in depths}
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

    def _run(self) -> None:
        switch = self._switch
        begin = time.monotonic_ns()
        for port in self.depths:
            switch.configure_port(port, rate_pps=self._rate_pps, limit_packets=1000)
        for frames in self._handshakes.values():
            for segment in frames:
                switch.receive(1, segment, begin)
        while not self._stopped.wait(TICK_S):
            now = time.monotonic_ns()
            # Flow n's handshake takes n times 10 ms, so flows have round-trip times.
            flows = 1 + (now - begin) // 10_000_000
            empty = set(self.depths)
            # Departures and arrivals alternate, each at its own time, as on a link.
            while (due := switch.next_departure()) is not None and due <= now:
                departure = switch.depart(due)
                if departure is not None and departure.port in self.depths:
                    empty.discard(departure.port)
                    self._fill(departure.port, departure.deq_qdepth, due, flows)
            for port in empty:
                self._fill(port, 0, now, flows)

    def _fill(self, port: int, depth: int, now_ns: int, flows: int) -> None:
        frames = self._frames[port][:flows]
        for _ in range(max(0, min(50, int(self.depths[port]) - depth))):
            self._switch.receive(1, frames[self._sent % len(frames)], now_ns)
            self._sent += 1


def new_server(programmed: CompiledProgram) -> P4RuntimeServer:
    """A started switch with the program and routes; to be stopped."""
    server = P4RuntimeServer(address="127.0.0.1:0").start()
    text, config = programmed.p4info, programmed.bmv2_json
    apply_sync([], address=server.address, p4info_text=text, bmv2_json=config, routes=ROUTES)
    return server
