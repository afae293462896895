# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Profiles and curves as table entries, in whole numbers as the switch holds them.

Pure: nothing here talks to a switch. push.py writes these entries over P4Runtime; tests may give them to
any target.

A `scheme` number names one set of rows in aqm_admission and aqm_verdict, and its meaning never changes, so
the rows are shared by all profiles that behave alike and may be written again at any time.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeAlias

from mecn_controller import names
from mecn_controller.fixed_point import (
    KEY_MAX,
    RTT_MAX,
    byte_scale_to_fixed,
    depth_to_key,
    depth_to_left,
    idle_decay_to_fixed,
    probability_to_fixed,
    report_period_to_fixed,
    rtt_to_key,
    service_time_to_fixed,
    slope_to_fixed,
    weight_to_fixed,
)
from mecn_controller.names import Ecn, MarkPoint, Signal, Spacing
from mecn_controller.policy.curve import Curve, Segment, curve_of
from mecn_controller.policy.profile import SCHEMES, Drawn, EcnGentle, Marking, Profile, Red, RedGentle

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SEGMENT_PRIORITY = 1
"""Segments of a profile do not overlap, so one priority serves all."""
ANY_DSCP_PRIORITY = 1
ONE_DSCP_PRIORITY = 2
"""A code point's own entry goes before the one for all of them."""

DSCP_MASK = 0x3F

MAX_SEGMENT_PACKETS = 2048
"""Longer ramps are cut.

A slope is rounded down by less than 2^-32 per packet, so its error stays below 2^-21 (5e-7).
"""


@dataclass(frozen=True)
class Exact:
    """This value."""

    value: int


@dataclass(frozen=True)
class Lpm:
    """Values with this prefix."""

    value: int
    prefix_len: int


@dataclass(frozen=True)
class Ternary:
    """Values that equal this one under the mask."""

    value: int
    mask: int


@dataclass(frozen=True)
class Range:
    """Values from `low` to `high`, both included."""

    low: int
    high: int


Match: TypeAlias = Exact | Lpm | Ternary | Range
Key: TypeAlias = tuple[str, tuple[tuple[str, Match], ...], int]
"""What makes an entry this one and no other: table, match and priority (P4Runtime, section 9.1)."""


@dataclass(frozen=True)
class Entry:
    """One table entry; names as in P4Info, values as unsigned integers.

    A match that matches everything is left out, as P4Runtime asks.
    """

    table: str
    match: tuple[tuple[str, Match], ...]
    action: str
    params: tuple[tuple[str, int], ...] = ()
    priority: int = 0

    @cached_property
    def key(self) -> Key:
        """What makes it this entry and no other."""
        return (self.table, tuple(sorted(self.match, key=lambda item: item[0])), self.priority)

    def param(self, name: str) -> int:
        """The value of an action parameter; KeyError if there is none."""
        return dict(self.params)[name]

    def field(self, name: str) -> Match | None:
        """The match on a field; None if it matches everything."""
        return dict(self.match).get(name)


def describe(entry: Entry) -> str:
    """An entry in one line, for error messages."""
    fields = []
    for name, match in entry.match:
        match match:
            case Exact(value):
                fields.append(f"{name}={value}")
            case Lpm(value, prefix_len):
                fields.append(f"{name}={value:#x}/{prefix_len}")
            case Ternary(value, mask):
                fields.append(f"{name}={value}&{mask:#x}")
            case Range(low, high):
                fields.append(f"{name}={low}..{high}")
    return f"{entry.table}({', '.join(fields) or 'any'})"


# ---- Curves --------------------------------------------------------------------------------------


def _pieces(segment: Segment) -> Iterable[Segment]:
    left = segment.left
    while left < segment.right:
        right = min(left + MAX_SEGMENT_PACKETS, segment.right)
        at_left, at_right = segment.at(left), segment.at(right)
        yield Segment(
            left, right, at_left.p_incipient, at_right.p_incipient, at_left.p_moderate, at_right.p_moderate
        )
        left = right


def curve_entries(curve: Curve, profile_id: int, instance: str) -> list[Entry]:
    """The curve as entries of one instance of aqm_curve (`names.CURVES`)."""
    table = f"{instance}.aqm_curve"
    profile = ("profile_id", Exact(profile_id))
    entries = []
    for segment in curve.segments:
        for piece in _pieces(segment):
            params = (
                ("left", depth_to_left(piece.left)),
                ("p_incipient_left", probability_to_fixed(piece.p_incipient_left)),
                ("slope_incipient", slope_to_fixed(piece.slope_incipient)),
                ("p_moderate_left", probability_to_fixed(piece.p_moderate_left)),
                ("slope_moderate", slope_to_fixed(piece.slope_moderate)),
            )
            keys = Range(depth_to_key(piece.left), depth_to_key(piece.right) - 1)
            entries.append(
                Entry(table, (profile, ("avg_qdepth", keys)), f"{instance}.ramp", params, SEGMENT_PRIORITY)
            )
    if curve.severe is not None and curve.severe * 256 <= KEY_MAX:
        keys = Range(depth_to_key(curve.severe), KEY_MAX)
        match: tuple[tuple[str, Match], ...] = (profile,)
        if keys.low > 0:
            match += (("avg_qdepth", keys),)
        entries.append(Entry(table, match, f"{instance}.severe", (), SEGMENT_PRIORITY))
    return entries


# ---- Schemes -------------------------------------------------------------------------------------

_SCHEME_NUMBERS = {
    "drop-tail": 1,
    "threshold": 2,
    "ecn": 3,
    "ecnm": 4,
    "mecn": 5,
    "red": 6,
    "red-gentle": 7,
    "ecn-gentle": 8,
}
_GENTLE_DROP = 9
"""ecn-gentle whose upper ramp drops."""
_DROPPING = ("red", "red-gentle")
"""Schemes whose every signal is a drop before the queue, whatever the packet's codepoint."""
assert _SCHEME_NUMBERS.keys() == SCHEMES.keys()


@dataclass(frozen=True)
class Behaviour:
    """What a scheme does about signals; decides the rows of aqm_admission and aqm_verdict."""

    scheme: str
    drop_severe: bool = False
    """Drop before the queue at or above max_th (gentle schemes: 2 max_th)."""
    drop_not_ect: bool = False
    """Drop a packet that cannot be marked before the queue, where one that can would have been marked."""
    drop_gentle: bool = False
    """ecn-gentle: drop between max_th and 2 max_th. The incipient signal marks CE, the moderate one drops."""

    @property
    def scheme_id(self) -> int:
        """The number that stands for it in the tables' `scheme` field.

        Scheme * 4 + drop_severe * 2 + drop_not_ect.
        """
        number = _GENTLE_DROP if self.drop_gentle else _SCHEME_NUMBERS[self.scheme]
        return number << 2 | int(self.drop_severe) << 1 | int(self.drop_not_ect)

    @classmethod
    def from_id(cls, scheme_id: int) -> Behaviour | None:
        """The inverse of `scheme_id`; None for a number that is not in use."""
        flags = bool(scheme_id & 2), bool(scheme_id & 1)
        if scheme_id >> 2 == _GENTLE_DROP:
            return cls("ecn-gentle", *flags, drop_gentle=True)
        for name, number in _SCHEME_NUMBERS.items():
            if scheme_id >> 2 == number:
                return cls(name, *flags)
        return None


def behaviour_of(profile: Profile) -> Behaviour:
    """What a profile's scheme does about signals."""
    if isinstance(profile, Marking):
        gentle = isinstance(profile, EcnGentle) and profile.gentle_signal == "drop"
        return Behaviour(profile.scheme, profile.above_max_th == "drop", profile.not_ect == "drop", gentle)
    dropping = isinstance(profile, Red | RedGentle)
    return Behaviour(profile.scheme, dropping, dropping)


def _row(table: str, scheme_id: int, signal: Signal, ecn: Ecn, action: str) -> Entry:
    match = (("scheme", Exact(scheme_id)), ("signal", Exact(int(signal))), ("ecn", Exact(int(ecn))))
    return Entry(table, match, action)


@lru_cache
def _scheme_rows(behaviour: Behaviour) -> tuple[Entry, ...]:
    return tuple(scheme_entries(behaviour))


def scheme_entries(behaviour: Behaviour) -> list[Entry]:
    """The rows that differ from the tables' defaults (admit; pass)."""
    number = behaviour.scheme_id
    if behaviour.scheme == "drop-tail":
        return []
    signals = [Signal.MODERATE, Signal.SEVERE]
    if behaviour.scheme == "mecn" or behaviour.drop_gentle:
        signals.insert(0, Signal.INCIPIENT)
    rows: list[Entry] = []
    if behaviour.scheme in _DROPPING:
        return [
            _row(names.ADMISSION_TABLE, number, signal, ecn, names.EARLY_DROP)
            for signal in signals
            for ecn in Ecn
        ]
    for signal in signals:
        dropped: set[Ecn] = set()
        if (signal is Signal.SEVERE and behaviour.drop_severe) or (
            signal is Signal.MODERATE and behaviour.drop_gentle
        ):
            dropped = set(Ecn)
        if behaviour.drop_not_ect:
            dropped.add(Ecn.NOT_ECT)
        rows.extend(
            _row(names.ADMISSION_TABLE, number, signal, ecn, names.EARLY_DROP) for ecn in sorted(dropped)
        )
    for signal in signals:
        if signal is Signal.MODERATE and behaviour.drop_gentle:
            continue
        if signal is Signal.INCIPIENT and behaviour.scheme == "mecn":
            rows.append(_row(names.VERDICT_TABLE, number, signal, Ecn.ECT_0, names.MARK_INCIPIENT))
        else:
            # A severe signal marks also where admission drops: the packet is already in the queue.
            rows.extend(
                _row(names.VERDICT_TABLE, number, signal, ecn, names.MARK_CE)
                for ecn in (Ecn.ECT_1, Ecn.ECT_0)
            )
    return rows


# ---- Ports ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Policy:
    """What an aqm_port entry says; the action parameters of set_profile."""

    profile_id: int
    scheme_id: int
    mark_point: MarkPoint
    ewma_weight: int
    spacing: Spacing = Spacing.INDEPENDENT
    min_depth: int = 0
    service_time: int = 0
    idle_decay: int = 0
    queue_limit: int = 0
    byte_scale: int = 0
    report_period: int = 0
    flow_classes: bool = False

    @cached_property
    def params(self) -> tuple[tuple[str, int], ...]:
        """The parameters of set_profile."""
        return (
            ("profile_id", self.profile_id),
            ("scheme", self.scheme_id),
            ("mark_point", int(self.mark_point)),
            ("spacing", int(self.spacing)),
            ("min_depth", self.min_depth),
            ("ewma_weight", self.ewma_weight),
            ("service_time", self.service_time),
            ("idle_decay", self.idle_decay),
            ("queue_limit", self.queue_limit),
            ("byte_scale", self.byte_scale),
            ("report_period", self.report_period),
            ("flow_classes", int(self.flow_classes)),
        )

    @classmethod
    def from_entry(cls, entry: Entry) -> Policy | None:
        """The policy of an aqm_port entry; None for one that sets no profile."""
        if entry.action != names.SET_PROFILE:
            return None
        return cls(
            entry.param("profile_id"),
            entry.param("scheme"),
            MarkPoint(entry.param("mark_point")),
            entry.param("ewma_weight"),
            Spacing(entry.param("spacing")),
            entry.param("min_depth"),
            entry.param("service_time"),
            entry.param("idle_decay"),
            entry.param("queue_limit"),
            entry.param("byte_scale"),
            entry.param("report_period"),
            bool(entry.param("flow_classes")),
        )


@lru_cache(4096)
def policy_of(profile: Profile, profile_id: int) -> Policy:
    """A profile's policy under a given id."""
    if not 0 < profile_id <= names.PROFILE_ID_MAX:
        raise ValueError(f"profile id {profile_id} is not within 1 and {names.PROFILE_ID_MAX}")
    point = MarkPoint.FRONT if profile.mark_point == "front" else MarkPoint.TAIL
    ramp = profile if isinstance(profile, Drawn) else None
    return Policy(
        profile_id,
        behaviour_of(profile).scheme_id,
        point,
        weight_to_fixed(profile.ewma_weight),
        Spacing[ramp.spacing.upper()] if ramp else Spacing.INDEPENDENT,
        ramp.min_depth if ramp else 0,
        service_time_to_fixed(profile.mean_service_time_us),
        idle_decay_to_fixed(profile.ewma_weight, profile.idle_decay_step_us),
        profile.queue_limit_packets or 0,
        byte_scale_to_fixed(ramp.mean_packet_bytes if ramp else None),
        report_period_to_fixed(profile.report_period_ms),
        bool(ramp and ramp.rtt_class_max_p),
    )


# ---- Classes by round-trip time ------------------------------------------------------------------


def classes_of(profile: Profile) -> tuple[Profile, ...]:
    """The profiles of classes 1, 2..., each a curve of its own; empty if there are none."""
    if not isinstance(profile, Drawn):
        return ()
    return tuple(profile.of_class(p) for p in profile.rtt_class_max_p)


def class_entries(profile: Profile, profile_id: int, curves: Sequence[int]) -> list[Entry]:
    """Which round-trip times make a class, and which curve (profile id) each class has.

    To steer a class, write a curve under another id and change the class's entry of aqm_class_curve.
    """
    if not isinstance(profile, Drawn) or not profile.rtt_class_max_p:
        return []
    if len(curves) != len(profile.rtt_class_max_p):
        raise ValueError(f"{len(curves)} curves for {len(profile.rtt_class_max_p)} classes")
    mine = ("profile_id", Exact(profile_id))
    entries = []
    low = 0
    bounds = [rtt_to_key(bound) for bound in profile.rtt_class_bounds_ms]
    for number, (end, curve) in enumerate(zip([*bounds, RTT_MAX + 1], curves, strict=True), start=1):
        match: tuple[tuple[str, Match], ...] = (mine,)
        if bounds:
            match += (("rtt", Range(low, end - 1)),)
        set_class = (("new_class", number),)
        entries.append(Entry(names.RTT_CLASS_TABLE, match, names.SET_CLASS, set_class, SEGMENT_PRIORITY))
        keys = (mine, ("rtt_class", Exact(number)))
        entries.append(Entry(names.CLASS_CURVE_TABLE, keys, names.SET_CURVE, (("curve", curve),)))
        low = end
    return entries


def check_port(port: int) -> int:
    """An egress port of the data plane; ValueError if there is none of that number."""
    if not 0 <= port < names.MAX_PORTS - 1:
        raise ValueError(f"port {port} is not within 0 and {names.MAX_PORTS - 2}")
    return port


def port_entries(policy: Policy, port: int, dscp: tuple[int, ...] | None) -> list[Entry]:
    """The entries that put a port's traffic (all of it, or some code points) under a policy."""
    port_match: tuple[str, Match] = ("egress_port", Exact(check_port(port)))
    if dscp is None:
        return [Entry(names.PORT_TABLE, (port_match,), names.SET_PROFILE, policy.params, ANY_DSCP_PRIORITY)]
    return [
        Entry(
            names.PORT_TABLE,
            (port_match, ("dscp", Ternary(point, DSCP_MASK))),
            names.SET_PROFILE,
            policy.params,
            ONE_DSCP_PRIORITY,
        )
        for point in dscp
    ]


# ---- All of a profile ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ProfileEntries:
    """All entries of one profile, in the order in which they must be written.

    `ports` comes last and makes it take effect.
    """

    curve: tuple[Entry, ...]
    """The curve, those of its classes, and which class has which."""
    scheme: tuple[Entry, ...]
    ports: tuple[Entry, ...]
    queues: tuple[Entry, ...] = ()
    """What some targets keep for each queue, beside their tables."""

    @property
    def all(self) -> tuple[Entry, ...]:
        """Everything, in that order."""
        return self.curve + self.scheme + self.ports


def profile_entries(
    profile: Profile,
    profile_id: int,
    port: int,
    dscp: tuple[int, ...] | None = None,
    class_ids: Sequence[int] | None = None,
) -> ProfileEntries:
    """A profile on a port as table entries. `dscp` as given, else as the profile says.

    class_ids: profile ids of the curves of classes 1, 2...; by default those after `profile_id`.
    """
    ids = range(profile_id + 1, profile_id + 1 + len(classes_of(profile))) if class_ids is None else class_ids
    return ProfileEntries(
        _all_curves(profile, profile_id, tuple(ids)),
        _scheme_rows(behaviour_of(profile)),
        tuple(port_entries(policy_of(profile, profile_id), port, profile.dscp if dscp is None else dscp)),
    )


@lru_cache(4096)
def _all_curves(profile: Profile, profile_id: int, ids: tuple[int, ...]) -> tuple[Entry, ...]:
    """A profile's curve, those of its classes, and which class has which. Many ports ask for the same."""
    curves = [(profile_id, profile), *zip(ids, classes_of(profile), strict=True)]
    segments = [
        entry
        for instance in names.CURVES
        for number, owner in curves
        for entry in curve_entries(curve_of(owner), number, instance)
    ]
    return (*segments, *class_entries(profile, profile_id, ids))


def weight_of(fixed: int) -> Fraction:
    """The exact weight of a policy's `ewma_weight`."""
    return Fraction(fixed, 1 << 32)
