# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a switch says of a port once a period: the digest `port_report_t` (p4src/v1model/port_report.p4)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller.fixed_point import ACTIVE_MAP_BITS, RTT_CLASSES

if TYPE_CHECKING:
    from collections.abc import Mapping


FIELDS = (
    "port",
    "begin",
    "end",
    "avg_qdepth",
    "min_qdepth",
    "max_qdepth",
    "passed",
    "incipient",
    "ce",
    "early_drop",
    *(f"active_{number}" for number in range(RTT_CLASSES)),
)
"""Fields of the digest, in its order."""


def active_flows(bits_set: int, size: int = ACTIVE_MAP_BITS) -> float:
    """Flows that set so many bits of a map, most likely: linear counting (Whang et al. 1990, equation 1).

    n = -m ln(V) with V the share of bits that are 0. A full map says only that there were too many; infinity.
    """
    if not 0 <= bits_set <= size:
        raise ValueError(f"{bits_set} bits of {size}")
    return math.inf if bits_set == size else -size * math.log1p(-bits_set / size)


def active_flows_error(flows: float, size: int = ACTIVE_MAP_BITS) -> float:
    """Standard deviation of that estimate (Whang et al. 1990): sqrt(m (exp(t) - t - 1)) with t = n / m."""
    load = flows / size
    return math.sqrt(size * (math.exp(load) - load - 1))


@dataclass(frozen=True)
class PortReport:
    """One period of one egress port."""

    port: int
    begin_us: int
    """First instant, microseconds of the switch's clock."""
    end_us: int
    """The arrival that ended it; that packet belongs to the next period."""
    average: float
    """Average over arrivals at its end, packets."""
    min_depth: int
    """Shallowest queue that an arrival met, packets."""
    max_depth: int
    passed: int
    """Packets that left and had not been marked here."""
    incipient: int
    ce: int
    early_drop: int
    active_bits: tuple[int, ...]
    """Bits that the flows of class 0, 1... have set."""

    @property
    def active(self) -> tuple[float, ...]:
        """Estimated flows by RTT class; class 0 is what is not TCP or whose handshake was not seen."""
        return tuple(active_flows(bits) for bits in self.active_bits)

    @classmethod
    def from_fields(cls, fields: Mapping[str, int]) -> PortReport:
        """From the digest's fields; KeyError if one is missing, ValueError if they cannot be."""
        active_bits = tuple(fields[f"active_{number}"] for number in range(RTT_CLASSES))
        if not all(0 <= bits <= ACTIVE_MAP_BITS for bits in active_bits):
            raise ValueError(f"more than {ACTIVE_MAP_BITS} bits of a map: {active_bits}")
        return cls(
            port=fields["port"],
            begin_us=fields["begin"],
            end_us=fields["end"],
            average=fields["avg_qdepth"] / (1 << 16),
            min_depth=fields["min_qdepth"],
            max_depth=fields["max_qdepth"],
            passed=fields["passed"],
            incipient=fields["incipient"],
            ce=fields["ce"],
            early_drop=fields["early_drop"],
            active_bits=active_bits,
        )
