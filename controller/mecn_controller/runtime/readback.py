# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a switch's entries mean, read back into the words of a profile; for `mecn show` and `mecn diff`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.fixed_point import (
    KEY_MAX,
    PROBABILITY_ONE,
    RTT_MAX,
    RTT_STEP_US,
    fixed_to_probability,
    key_to_depth,
    left_to_depth,
)
from mecn_controller.names import Level, Spacing
from mecn_controller.policy.entries import (
    DSCP_MASK,
    Behaviour,
    Entry,
    Exact,
    Policy,
    ProfileEntries,
    Range,
    Ternary,
    scheme_entries,
    weight_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mecn_controller.runtime.session import SwitchSession


@dataclass(frozen=True)
class ClassCurve:
    """A class of connections by round-trip time, and its own curve."""

    rtt_class: int
    rtt: Range | None
    """Key of aqm_rtt_class; None if no entry makes the class."""
    curves: dict[str, tuple[Entry, ...]] = field(default_factory=dict)

    def lines(self, *, exact: bool = False) -> list[str]:
        """In words, without profile ids. exact: with the data plane's own numbers."""
        times = "no round-trip time"
        if self.rtt is not None:
            low, high = self.rtt.low * RTT_STEP_US / 1000, (self.rtt.high + 1) * RTT_STEP_US / 1000
            end = "" if self.rtt.high == RTT_MAX else f" to {high:g}"
            times = f"round-trip times from {low:g}{end} ms"
        return [
            f"class {self.rtt_class}: {times}",
            *(f"  {line}" for line in _curve_lines(self.curves, exact)),
        ]


@dataclass(frozen=True)
class PortPolicy:
    """One aqm_port entry and what it refers to."""

    port: int
    dscp: Ternary | None
    priority: int
    policy: Policy | None
    curves: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    """Segments of each instance of the curve, by depth."""
    rows: tuple[Entry, ...] = ()
    """Rows of its scheme in aqm_admission and aqm_verdict."""
    classes: tuple[ClassCurve, ...] = ()

    @property
    def traffic(self) -> str:
        """Which code points it is for, in words."""
        if self.dscp is None:
            return "any"
        if self.dscp.mask == DSCP_MASK:
            return str(self.dscp.value)
        return f"{self.dscp.value}&{self.dscp.mask:#04x}"

    def ends(self, depth: float) -> tuple[float, ...]:
        """The probabilities of CE just below a depth, at which ramps end: the policy's own, those of its
        classes.

        Empty where a curve has no ramp that ends there.
        """
        found = [_end(self.curves, depth), *(_end(each.curves, depth) for each in self.classes)]
        ends = tuple(p for p in found if p is not None)
        return ends if len(ends) == len(found) else ()

    def lines(self, *, exact: bool = False) -> list[str]:
        """The policy in words, whatever its profile id.

        exact: with the data plane's own numbers; then equal only for policies that treat packets alike.
        """
        if self.policy is None:
            return ["no active queue management"]
        policy = self.policy
        lines = [
            f"scheme {_scheme(policy.scheme_id)}",
            f"mark point {policy.mark_point.name.lower()}",
            f"weight {float(weight_of(policy.ewma_weight)):.6g}"
            + (f" ({policy.ewma_weight} / 2^32)" if exact else ""),
        ]
        if policy.min_depth:
            lines.append(f"no signal at fewer than {policy.min_depth} packets in the queue")
        if policy.spacing is not Spacing.INDEPENDENT:
            lines.append(f"spacing of signals {policy.spacing.name.lower()}")
        if policy.idle_decay:
            decay = f", idle decay {policy.idle_decay} / 2^40 per us" if exact else ""
            lines.append(f"mean service time {policy.service_time} us{decay}")
        if policy.queue_limit:
            lines.append(f"queue of {policy.queue_limit} packets")
        if policy.byte_scale:
            mean = PROBABILITY_ONE / policy.byte_scale
            scale = f" ({policy.byte_scale} / 2^32)" if exact else ""
            lines.append(f"probabilities scaled by length / {mean:.6g} bytes{scale}")
        if policy.report_period:
            lines.append(f"a report every {policy.report_period / 1000:g} ms")
        behaviour = Behaviour.from_id(policy.scheme_id)
        if behaviour is not None and set(_actions(self.rows)) != set(_actions(scheme_entries(behaviour))):
            lines += [f"row {line}" for line in sorted(map(str, _actions(self.rows)))]
        lines += _curve_lines(self.curves, exact)
        if policy.flow_classes:
            lines.append("connections have classes by round-trip time")
            lines += [line for each in self.classes for line in each.lines(exact=exact)]
        return lines


def _end(curves: dict[str, tuple[Entry, ...]], depth: float) -> float | None:
    """The probability of CE just below a depth, where a segment ends there."""
    for entry in curves.get("marking", ()):
        if key_to_depth(_keys(entry).high + 1) == Fraction(depth) and not entry.action.endswith(".severe"):
            width = key_to_depth(_keys(entry).high + 1) - left_to_depth(entry.param("left"))
            slope = fixed_to_probability(entry.param("slope_moderate"))
            return float(fixed_to_probability(entry.param("p_moderate_left")) + slope * width)
    return None


def _curve_lines(curves: dict[str, tuple[Entry, ...]], exact: bool) -> list[str]:
    """Segments in words; once, if both instances have the same."""
    lines: list[str] = []
    same = len({tuple(_segment(each, True) for each in entries) for entries in curves.values()}) == 1
    for instance, entries in curves.items():
        prefix = "" if same else f"{instance}: "
        lines += [prefix + _segment(entry, exact) for entry in entries] or [f"{prefix}no signal at any depth"]
        if same:
            break
    return lines


def _actions(rows: Iterable[Entry]) -> list[tuple[str, int, int, str]]:
    found = []
    for row in rows:
        signal, ecn = row.field("signal"), row.field("ecn")
        assert isinstance(signal, Exact)
        assert isinstance(ecn, Exact)
        found.append((row.table, signal.value, ecn.value, row.action))
    return found


def _scheme(scheme_id: int) -> str:
    behaviour = Behaviour.from_id(scheme_id)
    if behaviour is None:
        return f"number {scheme_id}, not this controller's"
    if behaviour.scheme == "drop-tail":
        return behaviour.scheme
    if behaviour.scheme in ("red", "red-gentle"):
        return f"{behaviour.scheme}: every signal drops"
    severe = "dropped" if behaviour.drop_severe else "marked CE"
    end = "2 max_th" if behaviour.scheme == "ecn-gentle" else "max_th"
    not_ect = "dropped likewise" if behaviour.drop_not_ect else "passed"
    if behaviour.drop_gentle:
        severe = f"dropped by the ramp from max_th on, {severe}"
    return f"{behaviour.scheme}: {severe} at or above {end}, Not-ECT {not_ect}"


def _keys(entry: Entry) -> Range:
    keys = entry.field("avg_qdepth")
    return keys if isinstance(keys, Range) else Range(0, KEY_MAX)


def _segment(entry: Entry, exact: bool) -> str:
    keys = _keys(entry)
    low, high = float(key_to_depth(keys.low)), float(key_to_depth(keys.high + 1))
    if entry.action.endswith(".severe"):
        return (
            f"from {low:g} packets: severe"
            if keys.high == KEY_MAX
            else f"{low:g} to {high:g} packets: severe"
        )
    text = []
    for name, level in (("incipient", "incipient"), ("CE", "moderate")):
        p, slope = entry.param(f"p_{level}_left"), entry.param(f"slope_{level}")
        width = key_to_depth(keys.high + 1) - left_to_depth(entry.param("left"))
        end = fixed_to_probability(p) + fixed_to_probability(slope) * width
        digits = 6 if exact else 4
        text.append(f"{name} {float(fixed_to_probability(p)):.{digits}g} to {float(end):.{digits}g}")
    slopes = f" (slopes {entry.param('slope_incipient')}, {entry.param('slope_moderate')} / 2^32)"
    return f"{low:g} to {high:g} packets: {', '.join(text)}{slopes if exact else ''}"


class PolicyIndex:
    """The policies among entries of `names.AQM_TABLES`, found by port and traffic."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._ports: list[Entry] = []
        self._of_profile: dict[int, list[Entry]] = defaultdict(list)
        self._rows: dict[int, list[Entry]] = defaultdict(list)
        for entry in entries:
            profile_id, scheme = entry.field("profile_id"), entry.field("scheme")
            if entry.table == names.PORT_TABLE:
                self._ports.append(entry)
            elif entry.table in names.PROFILE_TABLES and isinstance(profile_id, Exact):
                self._of_profile[profile_id.value].append(entry)
            elif isinstance(scheme, Exact):
                self._rows[scheme.value].append(entry)
        self._by_traffic = {(policy.port, policy.traffic): policy for policy in reversed(self.policies())}

    def policy(self, port: int, traffic: str) -> PortPolicy | None:
        """The policy of a port for `PortPolicy.traffic`."""
        return self._by_traffic.get((port, traffic))

    def policies(self) -> list[PortPolicy]:
        """All of them; code points' own before the rest."""
        found = [self._policy(entry) for entry in self._ports]
        return sorted(found, key=lambda p: (p.port, -p.priority, -1 if p.dscp is None else p.dscp.value))

    def _policy(self, entry: Entry) -> PortPolicy:
        port, dscp = entry.field("egress_port"), entry.field("dscp")
        assert isinstance(port, Exact)
        assert dscp is None or isinstance(dscp, Ternary)
        policy = Policy.from_entry(entry)
        if policy is None:
            return PortPolicy(port.value, dscp, entry.priority, None)
        return PortPolicy(
            port.value,
            dscp,
            entry.priority,
            policy,
            self._curves(policy.profile_id),
            tuple(self._rows.get(policy.scheme_id, ())),
            self._classes(policy.profile_id),
        )

    def _curves(self, profile_id: int) -> dict[str, tuple[Entry, ...]]:
        """The segments of a profile id in each instance, by depth."""
        mine = self._of_profile.get(profile_id, ())
        return {
            name: tuple(sorted((e for e in mine if e.table == table), key=lambda e: _keys(e).low))
            for name, table in (
                ("admission", names.ADMISSION_CURVE_TABLE),
                ("marking", names.MARKING_CURVE_TABLE),
            )
        }

    def _classes(self, profile_id: int) -> tuple[ClassCurve, ...]:
        """The classes that have a curve of their own."""
        mine = self._of_profile.get(profile_id, ())
        times = {}
        for entry in mine:
            if entry.table == names.RTT_CLASS_TABLE and entry.action == names.SET_CLASS:
                rtt = entry.field("rtt")
                times[entry.param("new_class")] = rtt if isinstance(rtt, Range) else Range(0, RTT_MAX)
        found = []
        for entry in mine:
            if entry.table == names.CLASS_CURVE_TABLE and entry.action == names.SET_CURVE:
                number = entry.field("rtt_class")
                assert isinstance(number, Exact)
                curves = self._curves(entry.param("curve"))
                found.append(ClassCurve(number.value, times.get(number.value), curves))
        return tuple(sorted(found, key=lambda each: each.rtt_class))


def port_policies(entries: Iterable[Entry]) -> list[PortPolicy]:
    """The policies of all ports among the entries of `names.AQM_TABLES`; code points' own before the rest."""
    return PolicyIndex(entries).policies()


def wanted_policies(wanted: ProfileEntries) -> list[PortPolicy]:
    """The policies that a profile's entries would make."""
    return port_policies(wanted.all)


@dataclass(frozen=True)
class PortCounters:
    """Packets and bytes of one egress port under active queue management."""

    passed: tuple[int, int]
    incipient: tuple[int, int]
    ce: tuple[int, int]
    early_drop: tuple[int, int]


async def read_counters(session: SwitchSession, ports: Iterable[int]) -> dict[int, PortCounters]:
    """The counters of some ports."""
    wanted = sorted(set(ports))
    marks = await session.counters(
        names.MARKING_STATS, [port << 2 | level for port in wanted for level in Level]
    )
    drops = await session.counters(names.EARLY_DROP_STATS, wanted)
    return {
        port: PortCounters(
            passed=marks[port << 2 | Level.PASSED],
            incipient=marks[port << 2 | Level.INCIPIENT],
            ce=marks[port << 2 | Level.CE],
            early_drop=drops[port],
        )
        for port in wanted
    }
