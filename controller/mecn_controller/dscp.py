# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Differentiated services code points: the six bits of RFC 2474, and their names."""

from __future__ import annotations

NAMES: dict[str, int] = {
    **{f"CS{n}": 8 * n for n in range(8)},  # RFC 2474, section 4.2.2.2
    **{f"AF{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)},  # RFC 2597, section 6
    "LE": 1,  # RFC 8622
    "VA": 44,  # RFC 5865
    "EF": 46,  # RFC 3246
}

DSCP_MAX = 63


def parse_code_point(value: object) -> int:
    """A code point given as a number from 0 to 63 or by name.

    ValueError says what is wrong with anything else.
    """
    if isinstance(value, str):
        text = value.strip()
        if text.upper() in NAMES:
            return NAMES[text.upper()]
        if not text.isascii() or not text.isdigit():
            known = "a name such as EF, AF11 or CS1"
            raise ValueError(f"{value!r:.40} is neither a code point from 0 to {DSCP_MAX} nor {known}")
        value = int(text)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= DSCP_MAX:
        raise ValueError(f"{value!r:.40} is not a code point from 0 to {DSCP_MAX}")
    return value


def parse_dscp(value: object) -> tuple[int, ...] | None:
    """`any` (None) or code points: a list, or a text with commas. Sorted, without repetition, never empty."""
    if value is None or (isinstance(value, str) and value.strip().lower() == "any"):
        return None
    if isinstance(value, str):
        items: list[object] = list(value.split(","))
    elif isinstance(value, (list, tuple, set, frozenset)):
        items = list(value)
    else:
        items = [value]
    points = sorted({parse_code_point(item) for item in items})
    if not points:
        raise ValueError("an empty list selects no traffic: give code points, or 'any'")
    return tuple(points)


def format_dscp(points: tuple[int, ...] | None) -> str:
    """The inverse of `parse_dscp`, for people."""
    return "any" if points is None else ",".join(str(point) for point in points)
