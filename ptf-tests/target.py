# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The switch under test: the compiled program behind P4Runtime, driven in virtual time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mecn_controller import Route, parse_profile
from mecn_controller.push import apply_sync
from mecn_native import CompiledProgram, Departure, ReceiveOutcome, Switch, compile_p4
from mecn_switch import P4RuntimeServer
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

PROGRAM = Path(__file__).resolve().parent.parent / "p4src" / "mecn_v1model.p4"

IN_PORT = 1
SLOW_PORT = 2
OTHER_PORT = 3
ROUTES = (
    Route("10.0.1.0/24", IN_PORT, "02:00:00:00:01:fe", "02:00:00:00:01:01"),
    Route("10.0.2.0/24", SLOW_PORT, "02:00:00:00:02:fe", "02:00:00:00:02:01"),
    Route("10.0.3.0/24", OTHER_PORT, "02:00:00:00:03:fe", "02:00:00:00:03:01"),
)
HOST_BEHIND = {SLOW_PORT: "10.0.2.1", OTHER_PORT: "10.0.3.1"}

NOT_ECT, ECT_1, ECT_0, CE = 0b00, 0b01, 0b10, 0b11
CODEPOINTS = (NOT_ECT, ECT_1, ECT_0, CE)

# Average registers, index port * 8 + priority, Q16.48.
MARKING_AVERAGE = "MecnEgress.marking.average.avg_qdepth"
ARRIVAL_AVERAGE = "MecnIngress.admission.arrival_average.avg_qdepth"
ARRIVAL_DEPTH = "arrival_qdepth"
MARKING_STATS = "MecnEgress.marking.marking_stats"
EARLY_DROP_STATS = "MecnIngress.admission.early_drop_stats"


def frame(
    *,
    ecn: int = ECT_0,
    dscp: int = 0,
    port: int = SLOW_PORT,
    ttl: int = 64,
    payload: int = 100,
    udp: bool = False,
) -> bytes:
    """A packet to the host behind a port, with correct checksums."""
    transport = UDP(sport=5001, dport=5002) if udp else TCP(sport=5001, dport=5002, flags="A", seq=1, ack=1)
    ip = IP(src="10.0.1.1", dst=HOST_BEHIND[port], tos=dscp << 2 | ecn, ttl=ttl, id=7)
    return bytes(
        Ether(src="02:00:00:00:01:01", dst="02:00:00:00:01:fe") / ip / transport / Raw(bytes(payload))
    )


def decode(data: bytes | None) -> Packet:
    """What left, by scapy; fails if nothing left or if the IPv4 checksum is not what scapy computes."""
    assert data is not None
    packet = Ether(data)
    again = packet.copy()
    del again[IP].chksum
    assert Ether(bytes(again))[IP].chksum == packet[IP].chksum, "IPv4 header checksum"
    return packet


def ecn_of(data: bytes | None) -> int:
    """ECN field of an IPv4 frame, without decoding all of it."""
    assert data is not None
    return data[15] & 0b11


@dataclass
class Target:
    """A configured switch and its clock."""

    program: CompiledProgram
    server: P4RuntimeServer
    now_ns: int = 0

    @property
    def switch(self) -> Switch:
        """The switch that the control plane has configured."""
        return self.server.switch

    def apply(
        self, profile: Mapping[str, object], port: int = SLOW_PORT, dscp: tuple[int, ...] | None = None
    ) -> None:
        """Put a port, or some DSCP classes of it, under a profile: over gRPC, read back."""
        apply_sync(
            [(parse_profile({"name": "test", **profile}), port)], address=self.server.address, dscp=dscp
        )

    def slow(self, port: int = SLOW_PORT, rate_pps: int = 1000, limit: int | None = None) -> None:
        """Give a port a rate, so that a burst queues."""
        self.switch.configure_port(port, rate_pps=rate_pps, limit_packets=limit)

    def send(self, data: bytes, port: int = IN_PORT) -> ReceiveOutcome:
        """One packet in, now."""
        return self.switch.receive(port, data, self.now_ns)

    def burst(self, frames: Sequence[bytes]) -> list[ReceiveOutcome]:
        """Packets in, all at the same instant: packet k meets k queued before it."""
        return [self.send(data) for data in frames]

    def drain(self) -> list[Departure]:
        """Let time pass until every queue is empty; what left, in order."""
        departed = []
        while (due := self.switch.next_departure()) is not None:
            self.now_ns = max(self.now_ns, due)
            departure = self.switch.depart(self.now_ns)
            assert departure is not None
            departed.append(departure)
            self.now_ns = max(self.now_ns, departure.end_ns)
        return departed

    def forward(self, data: bytes) -> list[Departure]:
        """One packet through an otherwise empty switch."""
        self.send(data)
        return self.drain()

    def average(self, register: str = MARKING_AVERAGE, port: int = SLOW_PORT) -> float:
        """An average depth, packets."""
        return self.switch.register_read(register, port * 8) / 2**48


@contextmanager
def configured(program: CompiledProgram) -> Iterator[Target]:
    """A switch with the program and the routes, and no profile."""
    with P4RuntimeServer(address="127.0.0.1:0") as server:
        apply_sync(
            [], address=server.address, p4info_text=program.p4info, bmv2_json=program.bmv2_json, routes=ROUTES
        )
        yield Target(program, server)


def compile_program() -> CompiledProgram:
    """The program under test."""
    return compile_p4(PROGRAM, [PROGRAM.parent])


def unlikely(successes: int, trials: int, p: float) -> float:
    """Upper bound of the probability that a binomial count is at least as far from p * trials as this one.

    Chernoff: P <= 2 exp(-n D(k/n || p)) with D the Kullback-Leibler divergence.
    """
    share = successes / trials

    def term(a: float, b: float) -> float:
        return 0.0 if a == 0 else math.inf if b == 0 else a * math.log(a / b)

    return min(1.0, 2 * math.exp(-trials * (term(share, p) + term(1 - share, 1 - p))))
