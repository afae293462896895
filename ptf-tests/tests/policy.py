# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Policy: by port and DSCP class, swapped by one entry."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import groupby

from mecn_ptf.base import MecnTest, flat
from mecn_ptf.frames import CE, ECT_0, ECT_1, OTHER_PORT, SLOW_PORT, frame

MARK_ALL_QUEUED = {"scheme": "threshold", "threshold": 0, "mark_point": "tail"}


class PortsHavePoliciesOfTheirOwn(MecnTest):
    """Two loaded ports, one of them under a profile."""

    def runTest(self) -> None:
        ports = (SLOW_PORT, OTHER_PORT)
        self.apply(MARK_ALL_QUEUED, port=SLOW_PORT)
        for port in ports:
            self.slow(port)
        self.burst([frame(port=port) for _ in range(10) for port in ports])
        left = Counter((departed.port, departed.ecn) for departed in self.departures())
        assert left == {(SLOW_PORT, ECT_0): 1, (SLOW_PORT, CE): 9, (OTHER_PORT, ECT_0): 10}


class NoStateOfOnePortShowsOnAnother(MecnTest):
    """Of two loaded ports under the same profile each is judged by its own queue."""

    def runTest(self) -> None:
        lengths = {SLOW_PORT: 20, OTHER_PORT: 5}
        for port in lengths:
            self.apply({"scheme": "threshold", "threshold": 3, "mark_point": "tail"}, port=port)
            self.slow(port)
        self.burst([frame(port=port) for k in range(20) for port in lengths if k < lengths[port]])
        left = self.departures()
        for port, length in lengths.items():
            of_port = [departed.ecn for departed in left if departed.port == port]
            assert of_port == [ECT_0] * 4 + [CE] * (length - 4), port


class AveragesOfPortsAreTheirOwn(MecnTest):
    """A port that was loaded has an average above max_th, and one that was not has none."""

    fresh_registers = True

    def runTest(self) -> None:
        shape = {"scheme": "ecnm", "min_th": 1, "max_th": 2, "max_p": 0.1, "mark_point": "tail"}
        ports = (SLOW_PORT, OTHER_PORT)
        self.apply({**shape, "weight": 0.5})
        self.slow()
        self.marks([frame()] * 60)
        # From now on both averages stay where they are.
        for port in ports:
            self.apply({**shape, "weight": 0.0005}, port=port)
        self.burst([frame(port=port) for port in ports for _ in range(5)])
        left = Counter((departed.port, departed.ecn) for departed in self.departures())
        assert left == {(SLOW_PORT, CE): 5, (OTHER_PORT, ECT_0): 5}


class DscpClassesHavePoliciesOfTheirOwn(MecnTest):
    """A profile for two classes of a port leaves the others alone."""

    def runTest(self) -> None:
        self.apply(MARK_ALL_QUEUED, dscp=(10, 46))
        self.slow()
        classes = [0, 10, 11, 46]
        self.burst([frame(dscp=dscp) for dscp in classes for _ in range(5)])
        left = Counter((departed.frame[15] >> 2, departed.ecn) for departed in self.departures())
        assert left == {(0, ECT_0): 5, (10, CE): 5, (11, ECT_0): 5, (46, CE): 5}


class SwapLeavesNoPacketUnderMixedPolicy(MecnTest):
    """Packets admitted under a policy are marked under it, also after another has taken its place."""

    def runTest(self) -> None:
        first, second = self.prepare_curve(flat(p_moderate=1)), self.prepare_curve(flat(p_incipient=1))
        self.controller.flip(first)
        self.slow()
        self.burst([frame()] * 10)
        self.controller.flip(second)
        self.still_queued()
        assert [departed.ecn for departed in self.departures()] == [CE] * 10
        assert self.marks([frame()] * 10) == [ECT_1] * 10


class SwapUnderLoad(MecnTest):
    """Policies swapped while packets stream in: each packet is under one of both, and the order is kept."""

    def runTest(self) -> None:
        packets, swaps = 400, 10
        policies = self.prepare_curve(flat(p_moderate=1)), self.prepare_curve(flat(p_incipient=1))
        self.controller.flip(policies[0])
        self.pace(2000, limit=1000)
        stream = threading.Thread(target=self.stream, args=(packets,))
        stream.start()
        for swap in range(1, swaps + 1):
            self.controller.flip(policies[swap % 2])
        stream.join()
        self.controller.flip(policies[1])
        self.send(frame())
        left = [departed.ecn for departed in self.departures()]
        assert len(left) == packets + 1
        assert set(left) <= {CE, ECT_1}, Counter(left)
        assert left[-1] == ECT_1
        assert len(list(groupby(left))) <= swaps + 2, "no policy comes back that was replaced"

    def stream(self, packets: int) -> None:
        """Packets as fast as they go."""
        for _ in range(packets):
            self.send(frame())


class ControllerSwapsProfiles(MecnTest):
    """One profile after the other on the same port."""

    def runTest(self) -> None:
        self.slow()
        for profile, expected in (
            (MARK_ALL_QUEUED, [ECT_0] + [CE] * 4),
            ({"scheme": "drop-tail"}, [ECT_0] * 5),
            ({"scheme": "threshold", "threshold": 3, "mark_point": "tail"}, [ECT_0] * 4 + [CE]),
        ):
            self.apply(profile)
            assert self.marks([frame()] * 5) == expected, profile["scheme"]
