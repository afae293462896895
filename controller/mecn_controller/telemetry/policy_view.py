# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Policies read from a switch as a picture needs them: thresholds, probabilities, corners of the curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mecn_controller.entries import Behaviour, Entry, Range, weight_of
from mecn_controller.fixed_point import KEY_MAX, fixed_to_probability, key_to_depth, left_to_depth
from mecn_controller.telemetry.sample import PolicyView

if TYPE_CHECKING:
    from mecn_controller.state import PortPolicy


def _keys(entry: Entry) -> Range:
    keys = entry.field("avg_qdepth")
    return keys if isinstance(keys, Range) else Range(0, KEY_MAX)


def policy_view(policy: PortPolicy) -> PolicyView:
    """One policy of `state.port_policies`."""
    if policy.policy is None:
        return PolicyView(policy.traffic, "none")
    behaviour = Behaviour.from_id(policy.policy.scheme_id)
    starts: dict[str, float] = {}
    ends = {"incipient": 0.0, "moderate": 0.0}
    severe: float | None = None
    points: list[tuple[float, float, float]] = []
    for entry in policy.curves.get("marking", ()):
        keys = _keys(entry)
        low, high = float(key_to_depth(keys.low)), float(key_to_depth(keys.high + 1))
        if entry.action.endswith(".severe"):
            severe = low if severe is None else min(severe, low)
            continue
        width = key_to_depth(keys.high + 1) - left_to_depth(entry.param("left"))
        left, right = [], []
        for level in ends:
            p = fixed_to_probability(entry.param(f"p_{level}_left"))
            end = p + fixed_to_probability(entry.param(f"slope_{level}")) * width
            if end > 0:
                starts.setdefault(level, low)
            ends[level] = min(float(end), 1.0)
            left.append(float(p))
            right.append(ends[level])
        points += [(low, left[0], left[1]), (high, right[0], right[1])]
    report_us = policy.policy.report_period
    return PolicyView(
        policy.traffic,
        f"number {policy.policy.scheme_id}" if behaviour is None else behaviour.scheme,
        starts.get("incipient"),
        starts.get("moderate"),
        severe,
        ends["incipient"],
        ends["moderate"],
        float(weight_of(policy.policy.ewma_weight)),
        report_us / 1000 if report_us else None,
        tuple(each.lines()[0] for each in policy.classes) if policy.policy.flow_classes else (),
        tuple(points),
    )
