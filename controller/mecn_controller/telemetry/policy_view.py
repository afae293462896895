# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Policies read from a switch as a picture needs them: thresholds, probabilities, corners of the curve."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mecn_controller.fixed_point import KEY_MAX, fixed_to_probability, key_to_depth, left_to_depth
from mecn_controller.policy.entries import Behaviour, Entry, Range, profile_entries, weight_of
from mecn_controller.runtime.readback import port_policies
from mecn_controller.telemetry.sample import PolicyView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mecn_controller.policy.profile import Profile
    from mecn_controller.runtime.readback import PortPolicy


def _keys(entry: Entry) -> Range:
    keys = entry.field("avg_qdepth")
    return keys if isinstance(keys, Range) else Range(0, KEY_MAX)


@dataclass
class _Curve:
    """A marking curve in numbers."""

    starts: dict[str, float] = field(default_factory=dict)
    ends: dict[str, float] = field(default_factory=lambda: {"incipient": 0.0, "moderate": 0.0})
    severe: float | None = None
    points: list[tuple[float, float, float]] = field(default_factory=list)


def _curve(entries: Iterable[Entry]) -> _Curve:
    curve = _Curve()
    for entry in entries:
        keys = _keys(entry)
        low, high = float(key_to_depth(keys.low)), float(key_to_depth(keys.high + 1))
        if entry.action.endswith(".severe"):
            curve.severe = low if curve.severe is None else min(curve.severe, low)
            continue
        width = key_to_depth(keys.high + 1) - left_to_depth(entry.param("left"))
        left, right = [], []
        for level in curve.ends:
            p = fixed_to_probability(entry.param(f"p_{level}_left"))
            end = p + fixed_to_probability(entry.param(f"slope_{level}")) * width
            if end > 0:
                curve.starts.setdefault(level, low)
            curve.ends[level] = min(float(end), 1.0)
            left.append(float(p))
            right.append(curve.ends[level])
        curve.points += [(low, left[0], left[1]), (high, right[0], right[1])]
    return curve


def profile_view(profile: Profile, port: int) -> PolicyView:
    """A profile as a switch would have it on a port. ValueError if it cannot."""
    return policy_view(port_policies(profile_entries(profile, 1, port).all)[0])


def policy_view(policy: PortPolicy) -> PolicyView:
    """One policy of `state.port_policies`."""
    if policy.policy is None:
        return PolicyView(policy.traffic, "none")
    behaviour = Behaviour.from_id(policy.policy.scheme_id)
    curve = _curve(policy.curves.get("marking", ()))
    classes = policy.classes if policy.policy.flow_classes else ()
    report_us = policy.policy.report_period
    return PolicyView(
        traffic=policy.traffic,
        scheme=f"number {policy.policy.scheme_id}" if behaviour is None else behaviour.scheme,
        incipient_from=curve.starts.get("incipient"),
        moderate_from=curve.starts.get("moderate"),
        severe_from=curve.severe,
        p_incipient=curve.ends["incipient"],
        p_moderate=curve.ends["moderate"],
        weight=float(weight_of(policy.policy.ewma_weight)),
        report_period_ms=report_us / 1000 if report_us else None,
        classes=tuple(each.lines()[0] for each in classes),
        class_p=tuple(_curve(each.curves.get("marking", ())).ends["moderate"] for each in classes),
        points=tuple(curve.points),
    )
