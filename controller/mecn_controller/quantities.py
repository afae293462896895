# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Rates, times, sizes and ranges as people write them: 1.5Mbps or 1.5mbit, 100ms, 7500B, 50ms..200ms, 10..40.

One grammar for command lines, profiles, deployments and topologies; upper and lower case are the same.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
RATES = {
    prefix + unit: Decimal(factor) for unit in ("bps", "bit", "bit/s") for prefix, factor in _PREFIXES.items()
}
TIMES = {
    "ns": Decimal("1e-9"),
    "us": Decimal("1e-6"),
    "ms": Decimal("1e-3"),
    "s": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
}
SIZES = {"b": Decimal(1), "kb": Decimal(10**3), "mb": Decimal(10**6)}
"""Bytes, in powers of ten."""

_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([A-Za-z/]*)\s*", re.ASCII)
MAX_DIGITS = 40


def _quantity(text: str, units: dict[str, Decimal], what: str, examples: str, *, zero: bool = False) -> float:
    found = _QUANTITY.fullmatch(text) if len(text) <= MAX_DIGITS else None
    factor = units.get(found.group(2).lower()) if found else None
    if found is None or factor is None:
        raise ValueError(f"{text!r} is not a {what}: write a number with its unit, such as {examples}")
    value = float(Decimal(found.group(1)) * factor)
    if not (0 < value < math.inf or (zero and value == 0)):
        raise ValueError(f"{text!r}: a {what} must be above 0")
    return value


def parse_rate(text: str) -> float:
    """Bits per second. ValueError says what is wrong."""
    return _quantity(text, RATES, "rate", "1.5Mbps, 1.5mbit or 10Gbit/s")


def parse_size(text: str) -> float:
    """Bytes. ValueError says what is wrong."""
    return _quantity(text, SIZES, "size in bytes", "7500B or 15kB")


def parse_time(text: str, *, zero: bool = False) -> float:
    """Seconds; `zero`: 0s is a time, too. ValueError says what is wrong."""
    return _quantity(text, TIMES, "time", "100ms, 10s or 2min", zero=zero)


def parse_seconds(text: str) -> float:
    """Seconds, with a unit or without; 0 is a time, too. ValueError says what is wrong."""
    return _quantity(text, {"": Decimal(1), **TIMES}, "time", "10, 10s, 500ms or 2min", zero=True)


def parse_count(text: str) -> float:
    """A number without a unit, above 0. ValueError says what is wrong."""
    found = _QUANTITY.fullmatch(text)
    if found is None or found.group(2):
        raise ValueError(f"{text!r} is not a number")
    value = float(found.group(1))
    if not 0 < value < math.inf:
        raise ValueError(f"{text!r}: must be above 0")
    return value


def parse_range(text: str, parse: Callable[[str], float]) -> tuple[float, float]:
    """`A..B`, or `A` for a range of one value. ValueError says what is wrong."""
    low, separator, high = text.partition("..")
    ends = (parse(low), parse(high if separator else low))
    if ends[0] > ends[1]:
        raise ValueError(f"{text!r}: the first must not be above the second")
    return ends
