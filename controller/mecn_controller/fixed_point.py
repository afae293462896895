# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The data plane's number formats (types.p4 in p4src), and how exact numbers are rounded into them.

Probabilities and slopes are rounded *down*: the switch never marks more than the curve asks for, and a sum
of a rounded left end and a rounded rise can never pass 1. Weights are rounded to the nearest value. Depths
are not rounded at all: a threshold that is no multiple of 1/256 packet is refused, because the key of the
curve table could not tell it apart.
"""

from __future__ import annotations

import math
from fractions import Fraction

QDEPTH_MAX = 65535
"""Deepest queue that the data plane tells apart, packets."""

KEY_FRACTION_BITS = 8
"""avg_q8_t, the key of aqm_curve: unsigned Q16.8."""
KEY_MAX = (1 << 24) - 1

LEFT_FRACTION_BITS = 16
"""avg_q16_t, left ends of segments: unsigned Q16.16."""

AVERAGE_FRACTION_BITS = 48
"""avg_qdepth_t, the average register: unsigned Q16.48."""

PROBABILITY_ONE = 1 << 32
"""probability_t and ewma_weight_t: 1, in units of 2^-32."""
SLOPE_MAX = (1 << 33) - 1
"""Steepest slope that 33 bits hold: just under 2 per packet."""

SERVICE_TIME_MAX = (1 << 32) - 1
"""service_time_t, microseconds."""
IDLE_TIME_MAX = (1 << 28) - 1
"""idle_time_t, microseconds; longer is taken as this."""
IDLE_DECAY_FRACTION_BITS = 40
"""idle_decay_t: halvings of an idle queue's average per microsecond, unsigned Q-4.40."""
IDLE_DECAY_MAX = (1 << 36) - 1

SIZE_RATIO_FRACTION_BITS = 24
"""Packet length / mean packet size in byte mode: unsigned Q7.24."""
SIZE_RATIO_MAX = (1 << 31) - 1
LENGTH_MAX = 65535
"""Longer packets count as this long, bytes."""

REPORT_PERIOD_MAX = (1 << 32) - 1
"""report_period_t, microseconds."""
RTT_STEP_US = 16
"""rtt_t, the key of aqm_rtt_class, counts in steps of this."""
RTT_MAX = (1 << 20) - 1
RTT_CLASSES = 4
"""Class 0 is what is not TCP, or whose handshake was not seen."""
ACTIVE_MAP_BITS = 1024
"""Bits of the map by which a report counts the flows of one class."""


def depth_to_fixed(depth: Fraction, fraction_bits: int) -> int:
    """A depth in packets as unsigned fixed point, exactly.

    ValueError if it has no exact form or is out of range.
    """
    scaled = depth * (1 << fraction_bits)
    if scaled.denominator != 1:
        raise ValueError(f"{float(depth)} packets is not a multiple of 2^-{fraction_bits}")
    if not 0 <= scaled.numerator < 1 << (16 + fraction_bits):
        raise ValueError(f"{float(depth)} packets is not within 0 to {QDEPTH_MAX}")
    return scaled.numerator


def depth_to_key(depth: Fraction) -> int:
    """A depth in packets as key of aqm_curve, Q16.8."""
    return depth_to_fixed(depth, KEY_FRACTION_BITS)


def depth_to_left(depth: Fraction) -> int:
    """A depth in packets as left end of a segment, Q16.16."""
    return depth_to_fixed(depth, LEFT_FRACTION_BITS)


def probability_to_fixed(probability: Fraction) -> int:
    """A probability times 2^32, rounded down."""
    if not 0 <= probability <= 1:
        raise ValueError(f"probability {float(probability)} is not within 0 to 1")
    return int(probability * PROBABILITY_ONE)


def slope_to_fixed(slope: Fraction) -> int:
    """A slope (probability per packet) times 2^32, rounded down."""
    if slope < 0:
        raise ValueError(f"slope {float(slope)} per packet is negative")
    fixed = int(slope * PROBABILITY_ONE)
    if fixed > SLOPE_MAX:
        raise ValueError(f"slope {float(slope)} per packet is steeper than the data plane's limit of 2")
    return fixed


def weight_to_fixed(weight: Fraction) -> int:
    """An EWMA weight times 2^32, rounded to nearest (ties to even)."""
    if not 0 < weight <= 1:
        raise ValueError(f"weight {float(weight)} is not within 0 (exclusive) to 1")
    fixed = round(weight * PROBABILITY_ONE)
    if fixed == 0:
        raise ValueError(f"weight {float(weight)} is smaller than 2^-32")
    return fixed


def service_time_to_fixed(microseconds: float | None) -> int:
    """A mean service time as whole microseconds, at least 1; 0 if it is not known."""
    return 0 if microseconds is None else max(1, round(microseconds))


def idle_decay_to_fixed(weight: Fraction, service_time_us: float | None) -> int:
    """Halvings per idle microsecond, log2(1 / (1 - w)) / service time, times 2^40, rounded to nearest.

    (1 - w)^m with m idle service times is then 2^-(idle * decay). 0, no decay, without a service time or at
    w = 1, where the average has no memory. A decay beyond the format's 1/16 per microsecond is cut to that.
    """
    if service_time_us is None or weight == 1:
        return 0
    halvings = -math.log1p(-float(weight)) / math.log(2) / service_time_us
    return min(IDLE_DECAY_MAX, round(halvings * (1 << IDLE_DECAY_FRACTION_BITS)))


def byte_scale_to_fixed(mean_bytes: int | None) -> int:
    """2^32 / mean packet size, rounded to nearest; 0, no byte mode, without a mean size."""
    return 0 if mean_bytes is None else round(Fraction(PROBABILITY_ONE, mean_bytes))


def report_period_to_fixed(milliseconds: float | None) -> int:
    """A period of reports as whole microseconds, at least 1; 0, no reports, without a period."""
    return 0 if milliseconds is None else max(1, round(milliseconds * 1000))


def rtt_to_key(milliseconds: float) -> int:
    """A round-trip time as key of aqm_rtt_class, rounded to the nearest step of 16 us."""
    return min(RTT_MAX, round(milliseconds * 1000 / RTT_STEP_US))


def fixed_to_probability(fixed: int) -> Fraction:
    """The exact value of a probability, slope or weight in units of 2^-32."""
    return Fraction(fixed, PROBABILITY_ONE)


def key_to_depth(key: int) -> Fraction:
    """The exact depth in packets of a key of aqm_curve."""
    return Fraction(key, 1 << KEY_FRACTION_BITS)


def left_to_depth(left: int) -> Fraction:
    """The exact depth in packets of a segment's left end."""
    return Fraction(left, 1 << LEFT_FRACTION_BITS)


def average_to_depth(average: int) -> Fraction:
    """The exact depth in packets of the average register."""
    return Fraction(average, 1 << AVERAGE_FRACTION_BITS)
