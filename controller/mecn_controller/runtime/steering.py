# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The adaptive ports of one switch: reports in, profiles with other probabilities onto the switch.

The same object runs beside a virtual network and in `mecn serve`: the switch is a target, and time an
argument.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller.defaults import DEFAULT_DRAIN_S
from mecn_controller.errors import ProfileError
from mecn_controller.policy.entries import profile_entries
from mecn_controller.runtime.readback import PolicyIndex, wanted_policies
from mecn_controller.runtime.writer import Assignment
from mecn_controller.theory.adaptation import PROBABILITY_STEP, probabilities, steerable, with_probabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mecn_controller.policy.entries import Entry
    from mecn_controller.reports import PortReport
    from mecn_controller.runtime.writer import AppliedProfile, ProfileWriter
    from mecn_controller.theory.adaptation import Rule, Steerable


@dataclass
class _Port:
    """A port whose profile is steered."""

    declared: Assignment
    profile: Steerable
    """The declared profile with the present probabilities."""
    rule: Rule

    @property
    def assignment(self) -> Assignment:
        return Assignment(self.profile, self.declared.port, self.declared.dscp)


class Steering:
    """The rules of some ports, and what they make of the declared profiles.

    The declaration says thresholds and everything else, the switch holds the probabilities: a controller that
    is started anew, or takes over, goes on from those that it finds.
    """

    def __init__(
        self,
        assignments: Sequence[tuple[Assignment, Callable[[Steerable], Rule] | None]],
        *,
        drain_s: float = DEFAULT_DRAIN_S,
    ) -> None:
        self.drain_s = drain_s
        self._makers = [make for _, make in assignments]
        self._all: list[Assignment | _Port] = []
        self.declare([assignment for assignment, _ in assignments])
        self._retired: list[tuple[float, int]] = []

    def declare(self, assignments: Sequence[Assignment]) -> None:
        """Take other assignments in the place of those given at first, in the same order.

        A steered port whose assignment is the same goes on from its present probabilities, another begins
        with those of its profile.
        """
        before = {id(port.declared): port for port in self._ports}
        self._all = []
        for assignment, make in zip(assignments, self._makers, strict=True):
            if make is None:
                self._all.append(assignment)
            elif (port := before.get(id(assignment))) is not None:
                self._all.append(port)
            else:
                profile = steerable(assignment.profile)
                self._all.append(_Port(assignment, profile, make(profile)))

    @property
    def _ports(self) -> list[_Port]:
        return [each for each in self._all if isinstance(each, _Port)]

    @property
    def wanted(self) -> list[Assignment]:
        """What is to be in force now, steered probabilities included, in the order of the declaration."""
        return [each.assignment if isinstance(each, _Port) else each for each in self._all]

    @property
    def adaptive(self) -> bool:
        """Whether there is anything to steer."""
        return bool(self._ports)

    def adopt(self, entries: Iterable[Entry]) -> None:
        """Go on from the probabilities that stand on the switch, where only they differ from the declaration.

        `entries`: of `names.AQM_TABLES`, as read.
        """
        index = PolicyIndex(entries)
        for port in self._ports:
            values = _found(index, port.declared, port.profile)
            if values is not None:
                port.profile = with_probabilities(port.profile, values)
                port.rule.adopt(values)

    def on_report(self, report: PortReport, now_s: float) -> list[Assignment]:
        """What is to be applied after a report."""
        changes = []
        for port in self._ports:
            if port.declared.port == report.port:
                values = port.rule.on_report(report, now_s)
                if values is not None:
                    port.profile = with_probabilities(port.profile, values)
                    changes.append(port.assignment)
        return changes

    def young(self, now_s: float) -> set[int]:
        """Profile ids of curves that packets may still be queued under."""
        self._retired = [(at, number) for at, number in self._retired if 0 <= now_s - at < self.drain_s]
        return {number for _, number in self._retired}

    async def apply(
        self, target: ProfileWriter, changes: Sequence[Assignment], now_s: float
    ) -> list[AppliedProfile]:
        """Bring changes about, and delete curves that have not been used for as long as a queue may hold a
        packet."""
        if not changes:
            return []
        done = await target.apply_profiles(changes, keep=self.young(now_s))
        self._retired += [(now_s, number) for number in done[0].retired]
        return done


def _found(index: PolicyIndex, declared: Assignment, profile: Steerable) -> tuple[float, ...] | None:
    """The probabilities with which the profile is in force; None if it is not, whatever they are."""
    wanted = wanted_policies(profile_entries(profile, 1, declared.port, declared.dscp))
    present = [index.policy(declared.port, policy.traffic) for policy in wanted]
    if not present or present[0] is None:
        return None
    ends = present[0].ends(profile.max_th)
    if len(ends) != len(probabilities(profile)):
        return None
    values = tuple(round(round(p / PROBABILITY_STEP) * PROBABILITY_STEP, 6) for p in ends)
    try:
        same = with_probabilities(profile, values)
    except ProfileError:
        return None
    again = wanted_policies(profile_entries(same, 1, declared.port, declared.dscp))
    for policy, there in zip(again, present, strict=True):
        if there is None or there.lines(exact=True) != policy.lines(exact=True):
            return None
    return values
