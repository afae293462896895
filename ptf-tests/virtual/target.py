# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The switch under test: the compiled program behind P4Runtime, driven in virtual time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mecn_controller import parse_profile
from mecn_controller.runtime.session import apply_sync
from mecn_native import CompiledProgram, Departure, ReceiveOutcome, Switch, compile_p4
from mecn_switch import P4RuntimeServer

from mecn_ptf.bounds import ALPHA, check, unlikely
from mecn_ptf.frames import (
    CE,
    CODEPOINTS,
    ECT_0,
    ECT_1,
    HOST_BEHIND,
    IN_PORT,
    NOT_ECT,
    OTHER_PORT,
    ROUTES,
    SLOW_PORT,
    decode,
    ecn_of,
    ethernet,
    frame,
)
from mecn_ptf.switches import SOURCE as PROGRAM

__all__ = [
    "ALPHA",
    "ARRIVAL_AVERAGE",
    "ARRIVAL_DEPTH",
    "CE",
    "CODEPOINTS",
    "EARLY_DROP_STATS",
    "ECT_0",
    "ECT_1",
    "HOST_BEHIND",
    "IN_PORT",
    "MARKING_AVERAGE",
    "MARKING_STATS",
    "NOT_ECT",
    "OTHER_PORT",
    "PROGRAM",
    "ROUTES",
    "SLOW_PORT",
    "Target",
    "check",
    "compile_program",
    "configured",
    "decode",
    "ecn_of",
    "ethernet",
    "frame",
    "unlikely",
]

# Average registers, index port * 8 + priority, Q16.48.
MARKING_AVERAGE = "MecnEgress.marking.average.avg_qdepth"
ARRIVAL_AVERAGE = "MecnIngress.admission.arrival_average.avg_qdepth"
ARRIVAL_DEPTH = "arrival_qdepth"
MARKING_STATS = "MecnEgress.marking.marking_stats"
EARLY_DROP_STATS = "MecnIngress.admission.early_drop_stats"


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
            [(parse_profile({"name": "test", **profile}), port)],
            address=self.server.address,
            dscp=dscp,
            drain_s=0,
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
