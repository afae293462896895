# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a queue under a profile does to each packet: the reference that the data plane is tested against.

Written from the papers: average and idle time (Floyd and Jacobson 1993, section 4), uniform spacing (section
7), `wait` (ns-2 2.35, red.cc), gentle RED (Zhang and Qiu, figure 1), ECN (RFC 3168), ECNM (Kinicki and
Zheng), multi-level ECN (Quet et al., section 2.1), mark-front and mark-tail (Liu and Jain). The arithmetic is
that of reference.py, so the result is the data plane's to the bit.

The model is told the true depths; the data plane has to find out for itself what an arrival meets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mecn_controller.fixed_point import IDLE_TIME_MAX, QDEPTH_MAX
from mecn_controller.names import MARKING_CURVE, Ecn, Signal
from mecn_controller.policy.curve import curve_of
from mecn_controller.policy.entries import curve_entries, policy_of
from mecn_controller.policy.profile import EcnGentle, Marking, Red, RedGentle

from reference_model import (
    FixedEwma,
    FixedLevels,
    SpacedDraw,
    lookup,
    scaled,
    size_ratio,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mecn_controller.policy.profile import Profile

_PROFILE = 1


class _Judge:
    """An average and the draws that follow from it: one side of the queue."""

    def __init__(self, profile: Profile, draw: Callable[[], int]) -> None:
        self._policy = policy_of(profile, _PROFILE)
        self._entries = curve_entries(curve_of(profile), _PROFILE, MARKING_CURVE)
        self._draw = draw
        self.average = FixedEwma(self._policy.ewma_weight, idle_decay=self._policy.idle_decay)
        self._idle_counted_until = 0
        spacing = self._policy.spacing
        self._moderate, self._incipient = SpacedDraw(spacing), SpacedDraw(spacing)

    def _idle_us(self, depth_met: int, arrival_us: int, end_of_service_us: int) -> int:
        """For how long the queue had been idle when the packet arrived, as far as it has not been counted."""
        since = max(end_of_service_us, self._idle_counted_until)
        if depth_met > 0 or arrival_us <= since:
            return 0
        self._idle_counted_until = arrival_us
        return min(arrival_us - since, IDLE_TIME_MAX)

    def signal(
        self, sample: int, depth_met: int, arrival_us: int, end_of_service_us: int, length: int
    ) -> Signal:
        """Averages the sample and draws."""
        average = self.average.update(sample, self._idle_us(depth_met, arrival_us, end_of_service_us))
        draw = self._draw()
        levels = FixedLevels(0, 0)
        if sample >= self._policy.min_depth:
            levels = lookup(self._entries, _PROFILE, average)
        if levels.severe:
            return Signal.SEVERE
        p_moderate, p_incipient = levels.p_moderate, levels.p_incipient
        if self._policy.byte_scale:
            ratio = size_ratio(length, self._policy.byte_scale)
            p_moderate, p_incipient = scaled(p_moderate, ratio), scaled(p_incipient, ratio)
        if self._moderate.fires(p_moderate, draw >> 32):
            return Signal.MODERATE
        if self._incipient.fires(p_incipient, draw & 0xFFFF_FFFF):
            return Signal.INCIPIENT
        return Signal.NONE


class QueueModel:
    """One queue.

    `draw` gives the 64-bit uniform numbers of the data plane: one for each packet on each side of the queue,
    in the order in which they pass. The upper half decides about the moderate signal, the lower about the
    incipient one.
    """

    def __init__(self, profile: Profile, draw: Callable[[], int]) -> None:
        self.profile = profile
        self.arrivals = _Judge(profile, draw)
        """Moved by every arrival."""
        self.departures = _Judge(profile, draw)
        """Moved by every packet that leaves, by the depth that the mark point says."""
        self._service_us = policy_of(profile, _PROFILE).service_time
        self._end_of_service_us = 0

    def arrive(self, now_us: int, depth: int, ecn: Ecn, length: int) -> bool:
        """Whether a packet is admitted that meets `depth` packets."""
        depth = min(depth, QDEPTH_MAX)
        signal = self.arrivals.signal(depth, depth, now_us, self._end_of_service_us, length)
        if signal is Signal.NONE:
            return True
        match self.profile:
            case Red() | RedGentle():
                return False
            case EcnGentle(gentle_signal="drop") if signal is Signal.MODERATE:
                return False
            case Marking() as profile:
                if signal is Signal.SEVERE and profile.above_max_th == "drop":
                    return False
                return ecn is not Ecn.NOT_ECT or profile.not_ect == "pass"
            case _:
                return True

    def depart(
        self, now_us: int, arrival_us: int, enq_qdepth: int, deq_qdepth: int, ecn: Ecn, length: int
    ) -> Ecn:
        """The codepoint that a packet leaves with whose service begins now."""
        sample = min(deq_qdepth if self.profile.mark_point == "front" else enq_qdepth, QDEPTH_MAX)
        signal = self.departures.signal(
            sample, min(enq_qdepth, QDEPTH_MAX), arrival_us, self._end_of_service_us, length
        )
        self._end_of_service_us = now_us + self._service_us
        if ecn is Ecn.NOT_ECT or not isinstance(self.profile, Marking):
            return ecn
        if isinstance(self.profile, EcnGentle) and self.profile.gentle_signal == "drop":
            return Ecn.CE if signal in (Signal.INCIPIENT, Signal.SEVERE) else ecn
        if signal in (Signal.MODERATE, Signal.SEVERE):
            return Ecn.CE
        return Ecn.ECT_1 if signal is Signal.INCIPIENT and ecn is Ecn.ECT_0 else ecn

    def depart_unmanaged(self, now_us: int) -> None:
        """A packet without a policy leaves the same queue; how long its service takes is not known."""
        self._end_of_service_us = now_us
