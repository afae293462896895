# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A switch of a virtual network that is led in steps, and the controller in lock step with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import mecn_native
from mecn_native import ActionCall, MatchField, TableUpdate

from mecn_controller import names
from mecn_controller.errors import PipelineError, WriteError
from mecn_controller.policy.entries import Entry, Exact, Lpm, Match, Range, Ternary, describe
from mecn_controller.reports import FIELDS, PortReport
from mecn_controller.runtime.writer import ProfileWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence

    from mecn_controller.runtime.steering import Steering

T = TypeVar("T")

CONTROL_STEP_S = 0.01
"""From one look at the digests to the next: the longest that the controller takes to answer one."""


class VirtualSwitch(ProfileWriter):
    """A switch node of a session. Nothing here waits: virtual time stands still meanwhile.

    `program`: any switch that runs the same program; the session's own can only be asked by name.
    """

    def __init__(
        self, session: mecn_native.NetworkSession, node: mecn_native.Node, program: mecn_native.Switch
    ) -> None:
        self.address = f"switch {node.name}"
        self._session = session
        self._node = node
        self._keys = {table.name: table.keys for table in program.tables()}
        self._params = {action.name: [param.name for param in action.params] for action in program.actions()}

    def check_entry(self, entry: Entry) -> None:
        """PipelineError if the program has no such table or action."""
        if entry.table not in self._keys or entry.action not in self._params:
            raise PipelineError(self.address, f"the program does not have {describe(entry)}")

    async def read(self, tables: Iterable[str]) -> list[Entry]:
        """See `Target.read`."""
        return [
            self._decoded(table, found)
            for table in tables
            for found in self._session.entries(self._node, table)
        ]

    def _decoded(self, table: str, found: mecn_native.TableEntry) -> Entry:
        assert found.action is not None  # these tables have no action profiles
        match = []
        for key, value in zip(self._keys[table], found.match, strict=True):
            field = _match(value)
            if field is not None:
                match.append((key.name, field))
        params = zip(self._params[found.action.name], found.action.args, strict=True)
        return Entry(table, tuple(match), found.action.name, tuple(params), found.priority)

    async def insert(self, entries: Sequence[Entry]) -> None:
        """See `Target.insert`."""
        self._update(entries, lambda e, match, call: TableUpdate.Insert(e.table, match, e.priority, call))

    async def modify(self, entries: Sequence[Entry]) -> None:
        """See `Target.modify`."""
        self._update(entries, lambda e, match, call: TableUpdate.Modify(e.table, match, e.priority, call))

    async def delete(self, entries: Sequence[Entry]) -> None:
        """See `Target.delete`."""
        self._update(entries, lambda e, match, _call: TableUpdate.Delete(e.table, match, e.priority))

    def _update(
        self,
        entries: Sequence[Entry],
        make: Callable[[Entry, list[MatchField], ActionCall], TableUpdate],
    ) -> None:
        updates = []
        for entry in entries:
            fields = dict(entry.match)
            match = [match_field(fields.get(key.name)) for key in self._keys[entry.table]]
            params = dict(entry.params)
            call = ActionCall(entry.action, [params[name] for name in self._params[entry.action]])
            updates.append(make(entry, match, call))
        refused = self._session.update_tables(self._node, updates)
        if refused is not None:
            index, why = refused
            raise WriteError(self.address, f"{describe(entries[index])} was refused: {why}")

    def reports(self) -> list[PortReport]:
        """Those that have come since the last call."""
        return [
            PortReport.from_fields(dict(zip(FIELDS, values, strict=True)))
            for name, values in self._session.take_digests(self._node)
            if name == names.PORT_REPORT
        ]


def _match(value: MatchField) -> Match | None:
    match value:
        case MatchField.Exact(number):
            return Exact(number)
        case MatchField.Lpm(number, prefix_len):
            return Lpm(number, prefix_len)
        case MatchField.Ternary(number, mask):
            return Ternary(number, mask) if mask else None
        case MatchField.Range(low, high):
            return Range(low, high)
        case MatchField.Any():
            return None
        case _:
            raise ValueError(f"match {value!r} is not used by this data plane")


def match_field(match: Match | None) -> MatchField:
    """What the engine's tables take for a field of an entry."""
    match match:
        case Exact(value):
            return MatchField.Exact(value)
        case Lpm(value, prefix_len):
            return MatchField.Lpm(value, prefix_len)
        case Ternary(value, mask):
            return MatchField.Ternary(value, mask)
        case Range(low, high):
            return MatchField.Range(low, high)
        case None:
            return MatchField.Any()


def run_steered(
    session: mecn_native.NetworkSession,
    switch: VirtualSwitch,
    steering: Steering,
    *,
    until_s: float,
    step_s: float = CONTROL_STEP_S,
) -> mecn_native.NetworkResult:
    """Run a session to its end with a controller in lock step.

    Every `step_s` of virtual time the reports that have come are answered. The same description, seed and
    rules give the same result.
    """
    steering.adopt(at_once(switch.read(names.AQM_TABLES)))
    step = 0
    while (now := (step := step + 1) * step_s) < until_s:
        session.run_until(now)
        for report in switch.reports():
            at_once(steering.apply(switch, steering.on_report(report, now), now))
    return session.finish()


def at_once(work: Coroutine[object, object, T]) -> T:
    """The result of a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    work.close()
    raise RuntimeError("this must not wait: virtual time stands still")
