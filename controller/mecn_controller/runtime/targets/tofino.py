# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Profiles in Tofino's units: cells, time constants, and steps in place of ramps.

The canonical unit of profiles and curves is the packet, of mean size. docs/tofino.md derives the formulas;
p4src/tna/types.p4 defines the formats.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mecn_controller.policy.curve import Curve, Levels, Segment

CELL_BYTES = {1: 80, 2: 176}
"""Unit of queue depths, by generation."""

STEP_TABLE_SIZE = {1: 512, 2: 1024}
"""Entries of aqm_curve, by generation (AQM_STEP_TABLE_SIZE)."""

KEY_FRACTION_BITS = 3
"""avg_key_t, the key of aqm_curve: cells, unsigned Q17.3."""
KEY_MAX = (1 << 20) - 1

PROBABILITY_ONE = 1 << 16
"""step_probability_t: 1, in units of 2^-16; the format ends just below it."""


def cells_per_packet(mean_packet_bytes: int, generation: int) -> int:
    """Cells that a packet takes in the traffic manager's buffer; ValueError for an unknown generation."""
    if generation not in CELL_BYTES:
        raise ValueError(f"Tofino {generation} is not known")
    if mean_packet_bytes < 1:
        raise ValueError(f"{mean_packet_bytes} bytes is not the size of a packet")
    return -(-mean_packet_bytes // CELL_BYTES[generation])


def depth_to_key(depth: Fraction, packet_cells: int) -> int:
    """A depth in packets as key of aqm_curve, rounded to the nearest eighth of a cell.

    ValueError if it is out of range.
    """
    key = round(depth * packet_cells * (1 << KEY_FRACTION_BITS))
    if not 0 <= key <= KEY_MAX:
        deepest = float(Fraction(KEY_MAX, packet_cells << KEY_FRACTION_BITS))
        raise ValueError(f"{float(depth)} packets is not within 0 to {deepest:g}")
    return key


def key_to_depth(key: int, packet_cells: int) -> Fraction:
    """The exact depth in packets of a key of aqm_curve."""
    return Fraction(key, packet_cells << KEY_FRACTION_BITS)


def time_constant_ns(weight: Fraction, mean_service_time_us: float | None) -> float | None:
    """Time constant T of the low-pass filter that stands for an EWMA weight, nanoseconds.

    T = -s / ln(1 - w), s the mean service time: in that time the average fades by exp(-s / T) = 1 - w.
    None at w = 1, which needs no filter. ValueError without a service time.
    """
    if not 0 < weight <= 1:
        raise ValueError(f"weight {float(weight)} is not within 0 (exclusive) to 1")
    if weight == 1:
        return None
    if mean_service_time_us is None:
        raise ValueError("mean_service_time_us is needed: Tofino averages over time")
    return -1000 * mean_service_time_us / math.log1p(-float(weight))


@dataclass(frozen=True)
class Step:
    """One entry of aqm_curve: keys from `low` to `high`, both included.

    The probabilities are in units of 2^-16. `severe`: the moderate signal is certain.
    """

    low: int
    high: int
    p_incipient: int = 0
    p_moderate: int = 0
    severe: bool = False


def staircase(
    curve: Curve, packet_cells: int, tolerance: float = 1 / 512, limit: int = STEP_TABLE_SIZE[1]
) -> tuple[Step, ...]:
    """A curve as steps, each with the curve's probabilities at its middle, in order and without overlap.

    No probability is further from the curve's than `tolerance`, but for what the key rounds (half of an
    eighth of a cell, times the slope) and for 2^-16 where it is 1. ValueError if that takes more steps than
    `limit`.
    """
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance {tolerance} is not within 0 and 1")
    steps: list[Step] = []
    for segment in curve.segments:
        steps.extend(_steps(segment, packet_cells, Fraction(tolerance)))
    if curve.severe is not None:
        try:
            low = depth_to_key(curve.severe, packet_cells)
        except ValueError:
            # Deeper than any depth that the switch tells apart.
            pass
        else:
            steps.append(Step(low, KEY_MAX, severe=True))
    if len(steps) > limit:
        raise ValueError(
            f"the curve takes {len(steps)} steps, and the table holds {limit}: raise the tolerance"
        )
    return tuple(steps)


def _steps(segment: Segment, packet_cells: int, tolerance: Fraction) -> list[Step]:
    rise = max(
        segment.p_incipient_right - segment.p_incipient_left,
        segment.p_moderate_right - segment.p_moderate_left,
    )
    low = depth_to_key(segment.left, packet_cells)
    high = min(
        KEY_MAX + 1, depth_to_key(min(segment.right, key_to_depth(KEY_MAX, packet_cells)), packet_cells)
    )
    parts = max(1, math.ceil(rise / (2 * tolerance)))
    edges = sorted({low + (high - low) * i // parts for i in range(parts + 1)})
    steps = []
    for left, right in itertools.pairwise(edges):
        middle = key_to_depth(left, packet_cells) + key_to_depth(right - left, packet_cells) / 2
        levels = segment.at(min(max(middle, segment.left), segment.right))
        steps.append(Step(left, right - 1, *_fixed(levels)))
    return steps


def _fixed(levels: Levels) -> tuple[int, int]:
    def fixed(p: Fraction) -> int:
        return min(PROBABILITY_ONE - 1, round(p * PROBABILITY_ONE))

    return fixed(levels.p_incipient), fixed(levels.p_moderate)
