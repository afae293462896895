# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The numbers of a profile that a slider may move, each in the unit in which the profile has it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller.errors import ProfileError
from mecn_controller.policy.profile import DEPTHS, TIME_CONSTANT, Drawn, GentleRamp, Threshold
from mecn_controller.units import DEPTH_STEPS, Link, unit_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mecn_controller.policy.profile import Profile
    from mecn_controller.telemetry.sample import PolicyView

PROBABILITIES = ("max_p", "max_p_incipient", "max_p_moderate")
LABELS = {
    "max_p_incipient": "max_p, incipient",
    "max_p_moderate": "max_p, CE",
    "weight": "weight of the average",
    TIME_CONSTANT: "time constant of the average",
}
CLASS = "rtt_class_max_p."
"""Before the number of a class, from 1: its value in `rtt_class_max_p`."""
LEAST_P = 1e-4
LEAST_WEIGHT = 1e-5
STEPS = 200
"""That a slider of depths has at least."""
READ_BACK = 6
"""Digits of probabilities and weights as read from a switch, which has them in steps of 2^-32."""


@dataclass(frozen=True)
class Adjustable:
    """A number of a profile that a slider may move."""

    name: str
    label: str
    unit: str
    """As the profile has it: packets, B, ms and so on; empty for probabilities and weights."""
    value: float
    low: float
    high: float
    step: float
    logarithmic: bool = False
    packets_per_unit: float | None = None
    """Of depths that are written in bytes or as a time: a change is text then, as in `7500 B`."""


def adjustables(profile: Profile) -> list[Adjustable]:
    """Thresholds, probabilities and the weight of the average."""
    found = _depths(profile)
    for name in PROBABILITIES:
        value = getattr(profile, name, None)
        if value is not None:
            found.append(_probability(name, LABELS.get(name, name), value))
    if isinstance(profile, Drawn):
        words = _classes(profile.rtt_class_bounds_ms)
        for number, value in enumerate(profile.rtt_class_max_p, start=1):
            found.append(_probability(f"{CLASS}{number}", f"max_p, {words[number - 1]}", value))
    constant = profile.written.get(TIME_CONSTANT)
    if isinstance(constant, (int, float)):
        low, high = constant / 100, constant * 100
        found.append(Adjustable(TIME_CONSTANT, LABELS[TIME_CONSTANT], "ms", constant, low, high, 0, True))
    elif isinstance(weight := getattr(profile, "weight", None), float):
        low = min(LEAST_WEIGHT, weight)
        found.append(Adjustable("weight", LABELS["weight"], "", weight, low, 1, 0, True))
    return found


def _probability(name: str, label: str, value: float) -> Adjustable:
    return Adjustable(name, label, "", value, LEAST_P, 1, 0, logarithmic=True)


def _classes(bounds_ms: tuple[float, ...]) -> list[str]:
    if not bounds_ms:
        return ["all round-trip times"]
    inner = [f"RTT {a:g} to {b:g} ms" for a, b in itertools.pairwise(bounds_ms)]
    return [f"RTT below {bounds_ms[0]:g} ms", *inner, f"RTT from {bounds_ms[-1]:g} ms"]


def _depths(profile: Profile) -> list[Adjustable]:
    values = {
        name: value for name in DEPTHS if isinstance(value := getattr(profile, name, None), (int, float))
    }
    # All as far as the deepest, so that the sliders can be compared.
    top = max([*(2 * value for value in values.values()), 16.0])
    link = _link(profile)
    found = []
    for name, packets in values.items():
        text = profile.written.get(name)
        if isinstance(text, str):
            unit = unit_of(text)
            per = link.packets_per(unit)
            high = top / per
            value = float(text.strip().removesuffix(unit))
            found.append(
                Adjustable(name, name, unit, value, 0, high, _round_step(high), packets_per_unit=per)
            )
        else:
            step = 0.25 if top <= 64 else 1
            found.append(Adjustable(name, name, "packets", packets, 0, top, step))
    return found


def _link(profile: Profile) -> Link:
    return Link.of(profile.link_rate, profile.link_packet_bytes)


def _in_unit(profile: Profile, name: str, packets: float) -> float | str:
    """A depth as the profile writes it."""
    text = profile.written.get(name)
    if not isinstance(text, str):
        return packets
    unit = unit_of(text)
    return f"{packets / _link(profile).packets_per(unit):.9g} {unit}"


def _round_step(top: float) -> float:
    """The greatest of 1, 2, 5 times a power of ten that divides `top` into `STEPS` or more."""
    power: float = 10.0 ** math.floor(math.log10(top / STEPS))
    return max(step * power for step in (1, 2, 5) if step * power <= top / STEPS * (1 + 1e-9))


def with_changes(profile: Profile, changes: Mapping[str, object]) -> Profile:
    """The profile with other values of its adjustables, by name; ProfileError says what is not valid."""
    data = {name: value for name, value in changes.items() if not name.startswith(CLASS)}
    classes: list[object] = list(getattr(profile, "rtt_class_max_p", ()))
    for name in changes.keys() - data.keys():
        classes[int(name.removeprefix(CLASS)) - 1] = changes[name]
    if len(data) < len(changes):
        data["rtt_class_max_p"] = classes
    return profile.replace(**data)


def as_on_switch(profile: Profile, view: PolicyView) -> Profile | None:
    """The profile with thresholds and probabilities that a switch has; None if that is another scheme.

    What cannot be told from the view, such as where a ramp of height 0 begins, or max_p of a gentle ramp's
    classes, stays as it is.
    """
    if view.scheme != profile.scheme:
        return None
    gentle = isinstance(profile, GentleRamp)
    severe = view.severe_from
    top = severe / 2 if gentle and severe is not None else severe
    low = view.moderate_from if view.incipient_from is None else view.incipient_from
    depths = {"min_th": low, "mid_th": view.moderate_from, "max_th": top}
    changes: dict[str, object] = {}
    # The actual depth is above a threshold from the next whole packet on.
    if isinstance(profile, Threshold) and severe is not None and math.floor(profile.threshold) + 1 != severe:
        changes["threshold"] = severe - 1
    for name, depth in depths.items():
        now = getattr(profile, name, None)
        if depth is not None and now is not None and round(depth * DEPTH_STEPS) != round(now * DEPTH_STEPS):
            changes[name] = _in_unit(profile, name, depth)
    ends = [(p, q) for depth, p, q in view.points if depth == top]
    incipient, moderate = ends[0] if ends else (view.p_incipient, view.p_moderate)
    # A gentle ramp that drops has its marks as the lower level.
    found = {"max_p": moderate or incipient, "max_p_incipient": incipient, "max_p_moderate": moderate}
    for name, p in found.items():
        now = getattr(profile, name, None)
        if now is not None and round(p, READ_BACK) != round(now, READ_BACK):
            changes[name] = round(p, READ_BACK)
    classes = getattr(profile, "rtt_class_max_p", ())
    present = [round(p, READ_BACK) for p in view.class_p]
    if not gentle and len(present) == len(classes) and present != [round(p, READ_BACK) for p in classes]:
        changes["rtt_class_max_p"] = present
    weight = getattr(profile, "weight", None)
    if weight is not None and not math.isclose(weight, view.weight, rel_tol=1e-3, abs_tol=2**-32):
        if TIME_CONSTANT in profile.written and view.weight < 1:
            changes[TIME_CONSTANT] = float(f"{_link(profile).time_constant_ms(view.weight):.4g}")
        else:
            changes["weight"] = max(round(view.weight, 10), 2**-32)
    try:
        return profile.replace(**changes) if changes else profile
    except ProfileError:
        return None
