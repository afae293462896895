# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Rates, times, sizes and ranges as people write them: 1.5Mbps, 100ms, 7500B, 50ms..200ms, 10..40."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

RATES = {"bps": 1.0, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9, "tbps": 1e12}
TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
SIZES = {"b": 1.0, "kb": 1e3, "mb": 1e6}
"""Bytes, in powers of ten."""

_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([A-Za-z]*)\s*", re.ASCII)


def _quantity(text: str, units: dict[str, float], what: str) -> float:
    found = _QUANTITY.fullmatch(text)
    factor = units.get(found.group(2).lower()) if found else None
    if found is None or factor is None:
        raise ValueError(f"{text!r} is not a {what}: write a number and one of {', '.join(units)}")
    value = float(found.group(1)) * factor
    if not 0 < value < math.inf:
        raise ValueError(f"{text!r}: a {what} must be above 0")
    return value


def parse_rate(text: str) -> float:
    """Bits per second. ValueError says what is wrong."""
    return _quantity(text, RATES, "rate")


def parse_size(text: str) -> float:
    """Bytes. ValueError says what is wrong."""
    return _quantity(text, SIZES, "size in bytes")


def parse_time(text: str) -> float:
    """Seconds. ValueError says what is wrong."""
    return _quantity(text, TIMES, "time")


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
