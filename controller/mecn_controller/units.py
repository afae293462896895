# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Depths in bytes or in queueing delay, and the average by a time constant: what they are in packets.

The canonical unit is the packet of mean size. Nothing is assumed of the port: whoever writes bytes must say
how long a packet is, and whoever writes a time also how fast the link is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mecn_controller.quantities import SIZES, TIMES, parse_rate, parse_size, parse_time

DEPTH_STEPS = 256
"""Depths are multiples of 1/256 packet, the resolution of the curve table's key."""


def unit_of(text: str) -> str:
    """What stands behind the number: `B` of `7500 B`."""
    return text.strip().lstrip("0123456789. ")


@dataclass(frozen=True)
class Link:
    """What a port sends, as far as it is known."""

    rate_bps: float | None = None
    packet_bytes: int | None = None

    @classmethod
    def of(cls, rate: object, packet_bytes: object) -> Link:
        """From a profile's `link_rate` and `link_packet_bytes`; what is not given or not usable is None."""
        size = packet_bytes if isinstance(packet_bytes, int) and packet_bytes > 0 else None
        return cls(parse_rate(rate) if isinstance(rate, str) else None, size)

    def _packet_bytes(self) -> int:
        if self.packet_bytes is None:
            raise ValueError("needs link_packet_bytes, the mean length of a packet")
        return self.packet_bytes

    @property
    def service_time_s(self) -> float:
        """Time of a packet on the link. ValueError says what is not known."""
        size = self._packet_bytes()
        if self.rate_bps is None:
            raise ValueError("needs link_rate, the rate of the port's link")
        return 8 * size / self.rate_bps

    def packets_per(self, unit: str) -> float:
        """Packets in one `B`, `kB`, `ms` and so on. ValueError if the unit or the link is not known."""
        if unit.lower() in SIZES:
            return float(SIZES[unit.lower()]) / self._packet_bytes()
        if unit.lower() in TIMES:
            return float(TIMES[unit.lower()]) / self.service_time_s
        raise ValueError(f"{unit!r} is neither bytes nor a time")

    def packets(self, text: str) -> float:
        """`7500 B` or `10 ms` as packets, rounded to the nearest depth that the data plane tells apart."""
        unit = unit_of(text).lower()
        if unit in SIZES:
            depth = parse_size(text) / self._packet_bytes()
        elif unit in TIMES:
            depth = parse_time(text) / self.service_time_s
        else:
            raise ValueError(
                f"write packets as a number, or bytes or a time, as in '7500 B' or '10 ms', not {text!r}"
            )
        if not math.isfinite(depth * DEPTH_STEPS):
            raise ValueError("is too large")
        return round(depth * DEPTH_STEPS) / DEPTH_STEPS

    def time_constant_ms(self, weight: float) -> float:
        """Inverse of `weight`, for a weight below 1."""
        return -1e3 * self.service_time_s / math.log1p(-weight)

    def weight(self, time_constant_ms: float) -> float:
        """The weight w with which the average, at full load, fades to 1/e in so long: 1 - exp(-s / T)."""
        return -math.expm1(-self.service_time_s / (time_constant_ms / 1e3))
