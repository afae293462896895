# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The base test: connects, makes the switch run the program, and undoes what the test did.

A test is a class with `runTest`, which reads as entries, packets in, packets out.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from socket import inet_aton

import ptf
from mecn_controller import Curve, Segment, names
from ptf import testutils
from ptf.base_tests import BaseTest
from ptf.dataplane import DataPlane
from scapy.packet import Packet

from mecn_ptf.controller import Controller, Prepared
from mecn_ptf.frames import HOST_BEHIND, IN_PORT, PORTS, ROUTES, SLOW_PORT, decode, ecn_of, frame, ident_of
from mecn_ptf.targets import Target
from mecn_ptf.virtual_time import Queue

PLUG, MARKER, BARRIER = 0xFFFF, 0xFFFE, 0xFFFD
"""IPv4 identifications of packets that the base test sends for itself."""
OWN_HOST = 99
"""Whom it sends them to, so that a test's routes to hosts do not lead them astray."""

DEVICE = 0
ATTEMPTS = 10
"""How often a test is begun before this machine is found too slow for its bursts."""


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


class LateBurstError(Exception):
    """This machine did not send a burst before its first packet had to leave: the test says nothing yet."""


def _repeated(run: Callable[[MecnTest], None]) -> Callable[[MecnTest], None]:
    """A test that begins again, with a queue that is held longer, when a burst came too late."""

    @functools.wraps(run)
    def attempts(test: MecnTest) -> None:
        for _ in range(ATTEMPTS - 1):
            try:
                run(test)
            except LateBurstError as late:
                logging.warning("repeated: %s: %s", test.id(), late)
                test.target.hold_longer()
                test.tearDown()
                test.doCleanups()
                test.setUp()
            else:
                return
        run(test)

    return attempts


def flat(p_incipient: float = 0.0, p_moderate: float = 0.0) -> Curve:
    """A curve with the same probabilities at every depth."""
    p1, p2 = Fraction(p_incipient), Fraction(p_moderate)
    return Curve((Segment(Fraction(0), Fraction(2048), p1, p1, p2, p2),), None)


class MecnTest(BaseTest):
    """A switch that runs the program, with routes to the hosts behind ports 1, 2 and 3, and no profile."""

    fresh_registers = False
    """Load the program anew before the test, so that averages and counts begin at 0."""

    target: Target

    def __init_subclass__(cls, **arguments: object) -> None:
        """Makes a burst that came too late no failure."""
        super().__init_subclass__(**arguments)
        if "runTest" in vars(cls):
            cls.runTest = _repeated(cls.runTest)

    # ---- Before and after ---------------------------------------------------------------------------------

    def setUp(self) -> None:
        """Connects and writes the routes."""
        super().setUp()
        self.dataplane = ptf.dataplane_instance
        self.dataplane.flush()
        self.target = ptf.config["mecn_target"]
        self.controller = Controller(self.target)
        self._slow: dict[int, int] = {}
        """Ports that hold bursts, and the limits of their queues."""
        self._configured: set[int] = set()
        """Ports whose queues a test has changed."""
        self._held_since = 0.0
        self._arrived: list[Departed] = []
        """Packets that came while the base test waited for one of its own."""
        self._awaited = 0
        self.addCleanup(self.controller.close)
        self.controller.open(fresh=self.fresh_registers)
        self.addCleanup(self.controller.undo)
        self.controller.routes(ROUTES)
        self._early_drops = self._all_early_drops()

    def tearDown(self) -> None:
        """Empties the switch; fails if packets leave that the test did not ask for."""
        for port in self._configured:
            self.target.set_queue(port, Queue())
        self.controller.lift_policies()
        left = self._flush()
        super().tearDown()
        assert len(left) <= self._awaited, f"packets left that nobody sent, one of {left}"

    # ---- Entries ------------------------------------------------------------------------------------------

    def apply(
        self, profile: Mapping[str, object], port: int = SLOW_PORT, dscp: tuple[int, ...] | None = None
    ) -> None:
        """Puts a port, or some DSCP classes of it, under a profile, as `mecn apply` does."""
        self.controller.apply(profile, port, dscp)

    def apply_curve(
        self, curve: Curve, port: int = SLOW_PORT, *, scheme: str = "mecn", **keys: object
    ) -> None:
        """Puts a port under a profile with a curve of any shape, judged by the actual depth met (w = 1)."""
        self.controller.flip(self.prepare_curve(curve, port, scheme=scheme, **keys))

    def prepare_curve(
        self, curve: Curve, port: int = SLOW_PORT, *, scheme: str = "mecn", **keys: object
    ) -> Prepared:
        """As `apply_curve`, but for the write that makes it take effect: `self.controller.flip`."""
        profile: dict[str, object] = {"scheme": scheme, "min_th": 1, "max_th": 3, "max_p": 1, "weight": 1}
        if scheme == "mecn":
            profile["mid_th"] = 2
        return self.controller.prepare({**profile, "mark_point": "tail", **keys}, port, curve)

    def levels(self, port: int = SLOW_PORT) -> list[tuple[int, int]]:
        """Packets and bytes that left a port unmarked, as incipient, as CE; since the program was loaded."""
        cells = [port * 4 + level for level in names.Level]
        counts = self.controller.counters(names.MARKING_STATS, cells)
        return [counts[cell] for cell in cells]

    def early_drops(self, port: int = SLOW_PORT) -> tuple[int, int]:
        """Packets and bytes that were dropped before the queue of a port, since the program was loaded."""
        return self.controller.counters(names.EARLY_DROP_STATS, [port])[port]

    def slow(self, port: int = SLOW_PORT, limit: int = 64) -> None:
        """Lets bursts queue at a port, in a queue of `limit` packets."""
        self._slow[port] = limit

    def pace(self, pps: int, port: int = SLOW_PORT, limit: int = 64) -> None:
        """Gives a port a rate in packets per second, whatever is sent to it."""
        self._set_queue(port, Queue(pps, limit))

    def unlimited(self, port: int = SLOW_PORT) -> None:
        """Takes the rate away again: packets leave at once."""
        self._slow.pop(port, None)
        self._set_queue(port, Queue())

    def _set_queue(self, port: int, queue: Queue) -> None:
        self._configured.add(port)
        self.target.set_queue(port, queue)

    # ---- Packets in ---------------------------------------------------------------------------------------

    def send(self, data: bytes, in_port: int = IN_PORT) -> None:
        """A packet in, now; `departures` waits for it."""
        testutils.send_packet(self, (DEVICE, in_port), data)
        self._awaited += 1

    def burst(self, frames: Sequence[bytes]) -> None:
        """Packets in, while slow ports are busy: packet k finds those before it in the queue, and no other.

        A plug goes first through each slow port: it leaves at once, and keeps the port busy for a service
        time. Its sample of the queue is 0. `departures` leaves it out.
        """
        self._held_since = self.target.clock()
        for port, limit in self._slow.items():
            if self.target.follows_rate:
                self._set_queue(port, Queue(self.target.hold_pps, limit))
                self._plug(port)
            else:
                self._set_queue(port, Queue(None, limit))
                self._plug(port)
                self._set_queue(port, Queue(self.target.hold_pps, limit))
        ahead = 0 if self.target.follows_rate else self._first_of_each_port(frames)
        for data in frames[:ahead]:
            self.send(data)
        if ahead:
            # The first packet waits for its turn; those behind it leave with it.
            self._barrier()
            self._release()
        for data in frames[ahead:]:
            self.send(data)
        self.still_queued()

    def _release(self) -> None:
        """Lets the packets leave that are held, or come from now on."""
        for port, limit in self._slow.items():
            self._set_queue(port, Queue(self.target.drain_pps, limit))

    def still_queued(self) -> None:
        """Begins the test anew if the burst may have begun to leave by now.

        Its first packet leaves a service time after the plug. The switch works on what it receives in order:
        with the barrier out, all that was sent before it is in the queues.
        """
        self._barrier()
        held = 1 / self.target.hold_pps
        if self._slow and (took := self.target.clock() - self._held_since) >= held:
            raise LateBurstError(f"a burst took {took:.3f} s, and the queue held it for {held:.3f} s")

    def _first_of_each_port(self, frames: Sequence[bytes]) -> int:
        """How many of these packets it takes until each slow port has one."""
        if len(self._slow) < 2:
            return len(self._slow)
        waiting = {port: inet_aton(HOST_BEHIND[port]) for port in self._slow}
        for number, data in enumerate(frames, start=1):
            waiting = {port: host for port, host in waiting.items() if host not in data}
            if not waiting:
                return number
        return len(frames)

    def _plug(self, port: int) -> None:
        self.send(frame(port=port, host=OWN_HOST, ident=PLUG))
        if self.target.sends_at_start:
            self._await(port, PLUG)
            self._awaited -= 1
        else:
            self._barrier()
            self.target.settle()

    def _barrier(self) -> None:
        """Waits until the switch has decided on all that was sent: what it queues is queued."""
        barrier = frame(port=IN_PORT, host=OWN_HOST, ident=BARRIER)
        testutils.send_packet(self, (DEVICE, IN_PORT), barrier)
        self._await(IN_PORT, BARRIER)

    def _await(self, port: int, ident: int) -> None:
        while (departed := self._poll(port)) is not None:
            if ident_of(departed.frame) == ident:
                return
            self._arrived.append(departed)
        raise AssertionError(f"a packet does not leave port {port}")

    # ---- Packets out --------------------------------------------------------------------------------------

    def departures(self, lost: int = 0) -> list[Departed]:
        """What leaves, in order: all that was sent, but for what the early drop counters say.

        lost: how many of the packets do not fit their queue. Fails if fewer leave; `tearDown` if more do.
        """
        self._barrier()
        if self.target.follows_rate:
            self._release()
        before, self._early_drops = self._early_drops, self._all_early_drops()
        self._awaited -= lost + self._early_drops - before
        left: list[Departed] = []
        while self._awaited > 0:
            departed = self._arrived.pop(0) if self._arrived else self._poll()
            assert departed is not None, f"{self._awaited} packets are missing"
            self._awaited -= 1
            if ident_of(departed.frame) != PLUG:
                left.append(departed)
        return left

    def _all_early_drops(self) -> int:
        counts = self.controller.counters(names.EARLY_DROP_STATS, PORTS)
        return sum(packets for packets, _ in counts.values())

    def _poll(self, port: int | None = None) -> Departed | None:
        result = self.dataplane.poll(device_number=DEVICE, port_number=port, timeout=self.target.patience_s)
        if isinstance(result, DataPlane.PollFailure):
            return None
        return Departed(result.port, bytes(result.packet), result.time)

    def _flush(self) -> list[Departed]:
        """Sends a packet through each port; what leaves before it."""
        for port in PORTS:
            marker = frame(port=port, host=OWN_HOST, ident=MARKER)
            testutils.send_packet(self, (DEVICE, IN_PORT), marker)
        left, self._arrived = self._arrived, []
        markers: list[int] = []
        while len(markers) < len(PORTS):
            departed = self._poll()
            assert departed is not None, f"of packets through all ports, only those through {markers} leave"
            if ident_of(departed.frame) == MARKER:
                markers.append(departed.port)
            else:
                left.append(departed)
        return left

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
        """None of these packets leaves anywhere. A packet to each port follows, so that no clock decides."""
        for data in frames:
            testutils.send_packet(self, (DEVICE, IN_PORT), data)
        for departed in self._flush():
            raise AssertionError(f"left port {departed.port}: {departed.frame.hex()}")
