# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The base test: connects, makes the switch run the program, and undoes what the test did.

A test is a class with `runTest`, which reads as entries, packets in, packets out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import ptf
from mecn_controller import Curve, Segment, names
from mecn_controller.entries import Exact, Ternary
from ptf import testutils
from ptf.base_tests import BaseTest
from ptf.dataplane import DataPlane
from scapy.packet import Packet

from mecn_ptf.controller import Controller, Prepared
from mecn_ptf.frames import HOST_BEHIND, IN_PORT, PORTS, ROUTES, SLOW_PORT, decode, ecn_of, frame, ident_of
from mecn_ptf.targets import Target
from mecn_ptf.virtual_time import Queue

PLUG, MARKER = 0xFFFF, 0xFFFE
"""IPv4 identifications of packets that the base test sends for itself."""

DEVICE = 0
STRAY_S = 0.1
SETTLE_ATTEMPTS = 1000
STRAYS = 100


@dataclass(frozen=True)
class Departed:
    """A packet that left the switch. time_s: by the clock of the target."""

    port: int
    frame: bytes
    time_s: float

    @property
    def ecn(self) -> int:
        """ECN field of the IPv4 header."""
        return ecn_of(self.frame)

    @property
    def packet(self) -> Packet:
        """By scapy; fails if the IPv4 checksum is wrong."""
        return decode(self.frame)


class TooSlowError(Exception):
    """This machine did not send a burst before its first packet had to leave: the test says nothing."""


def flat(p_incipient: float = 0.0, p_moderate: float = 0.0) -> Curve:
    """A curve with the same probabilities at every depth."""
    p1, p2 = Fraction(p_incipient), Fraction(p_moderate)
    return Curve((Segment(Fraction(0), Fraction(2048), p1, p1, p2, p2),), None)


class MecnTest(BaseTest):
    """A switch that runs the program, with routes to the hosts behind ports 1, 2 and 3, and no profile."""

    fresh_registers = False
    """Load the program anew before the test, so that averages and counts begin at 0."""

    target: Target

    # ---- Before and after ---------------------------------------------------------------------------------

    def setUp(self) -> None:
        """Connects and writes the routes."""
        super().setUp()
        self.dataplane = ptf.dataplane_instance
        self.dataplane.flush()
        self.target = ptf.config["mecn_target"]
        self.controller = Controller(self.target)
        self._slow: dict[int, tuple[int, int, int]] = {}
        """Of ports with a rate: that of a burst's arrival, that of its departure, and the queue's limit."""
        self._awaited = 0
        self.addCleanup(self.controller.close)
        self.controller.open(fresh=self.fresh_registers)
        self.addCleanup(self.controller.undo)
        self.controller.routes(ROUTES)

    def tearDown(self) -> None:
        """Empties the switch; fails if packets leave that the test did not ask for."""
        for port in self._slow:
            self.target.set_queue(port, Queue())
        self.departures()
        strays = list(islice(iter(lambda: self._poll(STRAY_S), None), STRAYS))
        super().tearDown()
        assert not strays, f"packets left that nobody sent, the first {strays[0]}"

    # ---- Entries ------------------------------------------------------------------------------------------

    def apply(
        self, profile: Mapping[str, object], port: int = SLOW_PORT, dscp: tuple[int, ...] | None = None
    ) -> None:
        """Puts a port, or some DSCP classes of it, under a profile, as `mecn apply` does."""
        self.controller.apply(profile, port, dscp)

    def apply_curve(
        self, curve: Curve, port: int = SLOW_PORT, *, scheme: str = "mecn", not_ect: str | None = None
    ) -> None:
        """Puts a port under a profile with a curve of any shape, judged by the actual depth met (w = 1)."""
        self.controller.flip(self.prepare_curve(curve, port, scheme=scheme, not_ect=not_ect))

    def prepare_curve(
        self, curve: Curve, port: int = SLOW_PORT, *, scheme: str = "mecn", not_ect: str | None = None
    ) -> Prepared:
        """As `apply_curve`, but for the write that makes it take effect: `self.controller.flip`."""
        profile: dict[str, object] = {"scheme": scheme, "min_th": 1, "max_th": 3, "max_p": 1, "weight": 1}
        if scheme == "mecn":
            profile["mid_th"] = 2
        if not_ect is not None:
            profile["not_ect"] = not_ect
        return self.controller.prepare({**profile, "mark_point": "tail"}, port, curve)

    def levels(self, port: int = SLOW_PORT) -> list[tuple[int, int]]:
        """Packets and bytes that left a port unmarked, as incipient, as CE; since the program was loaded."""
        cells = [port * 4 + level for level in names.Level]
        counts = self.controller.counters(names.MARKING_STATS, cells)
        return [counts[cell] for cell in cells]

    def early_drops(self, port: int = SLOW_PORT) -> tuple[int, int]:
        """Packets and bytes that were dropped before the queue of a port, since the program was loaded."""
        return self.controller.counters(names.EARLY_DROP_STATS, [port])[port]

    def slow(self, port: int = SLOW_PORT, pps: int | None = None, limit: int = 64) -> None:
        """Gives a port a rate, so that a burst queues, and a queue of `limit` packets.

        Without `pps` the rate is what suits the target.
        """
        hold, drain = (self.target.hold_pps, self.target.drain_pps) if pps is None else (pps, pps)
        self._slow[port] = (hold, drain, limit)
        self.target.set_queue(port, Queue(hold, limit))

    def unlimited(self, port: int = SLOW_PORT) -> None:
        """Takes the rate away again: packets leave at once."""
        self._slow.pop(port, None)
        self.target.set_queue(port, Queue())

    # ---- Packets in ---------------------------------------------------------------------------------------

    def send(self, data: bytes, in_port: int = IN_PORT) -> None:
        """A packet in, now; `departures` waits for it."""
        testutils.send_packet(self, (DEVICE, in_port), data)
        self._awaited += 1

    def burst(self, frames: Sequence[bytes], in_port: int = IN_PORT) -> None:
        """Packets in, while slow ports are busy: packet k finds those before it in the queue, and no other.

        A plug goes first through each slow port: it leaves at once, and keeps the port busy for a service
        time. Its sample of the queue is 0. `departures` leaves it out.
        """
        begin = self.target.clock()
        for port in self._slow:
            self._plug(port)
        for data in frames:
            self.send(data, in_port)
        took = self.target.clock() - begin
        for port, (hold, drain, limit) in self._slow.items():
            if took > 0.9 / hold:
                raise TooSlowError(
                    f"the burst took {took:.3f} s, and the queue held it for {1 / hold:.3f} s only"
                )
            if drain != hold:
                self.target.set_queue(port, Queue(drain, limit))

    def _plug(self, port: int) -> None:
        hold, drain, limit = self._slow[port]
        if drain != hold:
            self.target.set_queue(port, Queue(hold, limit))
        plug = frame(port=port, ident=PLUG)
        if self._has_policy(port):
            assert self.left_by(plug, port), f"a packet does not leave port {port}"
        else:
            # Nothing counts it, and no depth matters.
            self.send(plug)
            self.target.settle()

    def _has_policy(self, port: int) -> bool:
        """Whether packets of DSCP 0 to a port are under a profile, and so counted."""
        for entry in self.controller.entries(names.PORT_TABLE):
            dscp = entry.field("dscp")
            zero = dscp is None or (isinstance(dscp, Ternary) and dscp.value & dscp.mask == 0)
            if entry.field("egress_port") == Exact(port) and zero:
                return True
        return False

    def left_by(self, data: bytes, port: int = SLOW_PORT) -> bool:
        """Sends a packet, waits until it is counted: true if it left the queue, false for an early drop."""
        left, dropped = self._left(port), self.early_drops(port)
        self.send(data)
        for _ in range(SETTLE_ATTEMPTS):
            self.target.settle()
            if self._left(port) > left:
                return True
            if self.early_drops(port) > dropped:
                self._awaited -= 1
                return False
        raise AssertionError(f"a packet neither leaves port {port} nor is dropped there")

    def _left(self, port: int) -> int:
        """Packets that have left the queue of a port."""
        return sum(packets for packets, _ in self.levels(port))

    # ---- Packets out --------------------------------------------------------------------------------------

    def departures(self, last: int | None = None) -> list[Departed]:
        """What leaves, in order: until as much has left as was sent, or nothing has for a long time.

        last: ends with the packet of this IPv4 identification. Saves waiting where packets before it may have
        been dropped.
        """
        left = []
        while self._awaited > 0 and (departed := self._poll(self.target.quiet_s)) is not None:
            self._awaited -= 1
            if ident_of(departed.frame) != PLUG:
                left.append(departed)
            if last is not None and ident_of(departed.frame) == last:
                break
        self._awaited = 0
        return left

    def _poll(self, timeout_s: float) -> Departed | None:
        result = self.dataplane.poll(device_number=DEVICE, timeout=timeout_s)
        if isinstance(result, DataPlane.PollFailure):
            return None
        return Departed(result.port, bytes(result.packet), result.time)

    def forward(self, data: bytes) -> Departed:
        """One packet through an otherwise empty switch; fails unless exactly one leaves."""
        self.send(data)
        departed = self.departures()
        assert len(departed) == 1, f"{len(departed)} packets left, not 1"
        return departed[0]

    def marks(self, frames: Sequence[bytes]) -> list[int]:
        """ECN fields of a burst, as its packets leave."""
        self.burst(frames)
        return [departed.ecn for departed in self.departures()]

    def assert_dropped(self, *frames: bytes) -> None:
        """None of these packets leaves anywhere. A packet to each host follows, so that no clock decides."""
        for data in frames:
            testutils.send_packet(self, (DEVICE, IN_PORT), data)
        for port in HOST_BEHIND:
            self.send(frame(port=port, ident=MARKER))
        departed = self.departures()
        for each in departed:
            assert ident_of(each.frame) == MARKER, f"left port {each.port}: {each.frame.hex()}"
        assert sorted(each.port for each in departed) == list(PORTS), "the packets that follow do leave"
