# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Applying profiles to a switch: all of them or nothing.

New curves are written under profile ids that nobody uses, read back and compared bit for bit; only then are
the ports' entries changed, each by one write that takes effect for the next packet; then curves that no
port uses any more are deleted. If anything fails on the way, the tables are set back to what they were
before.

Ports whose profiles have the same curve share it, also with what stands on the switch already. So applying
what is in force writes nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.defaults import DEFAULT_DRAIN_S
from mecn_controller.errors import ControllerError, PipelineError, SwitchError
from mecn_controller.policy.entries import Entry, Exact, Policy
from mecn_controller.runtime.targets.base import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from mecn_controller.policy.entries import Key, ProfileEntries
    from mecn_controller.policy.profile import Profile

SCHEME_TABLES = (names.ADMISSION_TABLE, names.VERDICT_TABLE)


@dataclass(frozen=True)
class Assignment:
    """A port's traffic under a profile."""

    profile: Profile
    port: int
    dscp: tuple[int, ...] | None = None
    """Only these code points; None: as the profile says."""


@dataclass(frozen=True)
class AppliedProfile:
    """What was done: the entries that now stand on the switch, all of them read back."""

    profile: Profile
    port: int
    dscp: tuple[int, ...] | None
    profile_id: int
    entries: tuple[Entry, ...]
    changed: bool
    """Whether anything had to be written for it."""
    retired: tuple[int, ...]
    """Profile ids whose curves no port uses any more since this apply, that of other ports included."""


def profile_id_of(entry: Entry) -> int:
    """The profile that an aqm_port entry refers to, or that another entry belongs to; 0 for none."""
    if entry.table == names.PORT_TABLE:
        policy = Policy.from_entry(entry)
        return policy.profile_id if policy is not None else 0
    match = entry.field("profile_id")
    return match.value if isinstance(match, Exact) else 0


def _class_curve(entry: Entry) -> tuple[int, ...]:
    """The profile id of the curve that an entry of aqm_class_curve gives to a class."""
    if entry.table != names.CLASS_CURVE_TABLE or entry.action != names.SET_CURVE:
        return ()
    return (entry.param("curve"),)


def _port_ids(entries: Iterable[Entry]) -> set[int]:
    return {profile_id_of(entry) for entry in entries if entry.table == names.PORT_TABLE}


def _used(entries: Iterable[Entry]) -> set[int]:
    """Profile ids that ports refer to, and those of the curves of their classes."""
    everything = list(entries)
    ports = _port_ids(everything)
    classes = (curve for e in everything if profile_id_of(e) in ports for curve in _class_curve(e))
    return ports | set(classes)


def _scheme_id(entry: Entry) -> int:
    match = entry.field("scheme")
    return match.value if isinstance(match, Exact) else 0


def by_key(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """Entries by what makes each the one it is."""
    return {entry.key: entry for entry in entries}


def differs(one: Entry, other: Entry) -> bool:
    """Whether two entries with the same key do different things."""
    return one.action != other.action or sorted(one.params) != sorted(other.params)


MAX_CLASS_DEPTH = 16
"""Curves whose classes lead to curves: what the controller writes goes one step."""


class _Curves:
    """The curves among some entries, without regard to their ids."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._of: dict[int, list[Entry]] = defaultdict(list)
        for entry in entries:
            if entry.table != names.PORT_TABLE and (number := profile_id_of(entry)):
                self._of[number].append(entry)
        self._shapes: dict[int, str] = {}
        self._open: set[int] = set()
        """Ids whose shapes are being found."""

    def shape(self, profile_id: int) -> str:
        """What a profile id means: equal for ids that mean the same, those of its classes included.

        A switch may have anything: classes that lead back to an id, or on for long, mean nothing that another
        id does. Each id is looked at once, and its shape is short, however many lead to it.
        """
        if profile_id in self._shapes:
            return self._shapes[profile_id]
        if profile_id in self._open or len(self._open) >= MAX_CLASS_DEPTH:
            return f"id {profile_id}"
        self._open.add(profile_id)
        parts = []
        for entry in self._of.get(profile_id, ()):
            match = tuple(sorted((f for f in entry.match if f[0] != "profile_id"), key=lambda item: item[0]))
            curves = tuple(self.shape(curve) for curve in _class_curve(entry) if curve != profile_id)
            params = () if curves else tuple(sorted(entry.params))
            parts.append(repr((entry.table, match, entry.action, params, entry.priority, curves)))
        self._open.remove(profile_id)
        shape = hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()
        self._shapes[profile_id] = shape
        return shape


class ProfileWriter(Target):
    """A target that profiles are applied to."""

    async def apply_profile(
        self,
        profile: Profile,
        *,
        port: int,
        dscp: tuple[int, ...] | None = None,
        drain_s: float = DEFAULT_DRAIN_S,
    ) -> AppliedProfile:
        """Put a port's traffic under a profile.

        `dscp` limits it to some code points; without it the profile says. `drain_s` is how long the old
        profile's curve is kept for packets that were admitted under it and are still queued.
        """
        (done,) = await self.apply_profiles([Assignment(profile, port, dscp)], drain_s=drain_s)
        return done

    async def apply_profiles(
        self,
        assignments: Sequence[Assignment],
        *,
        drain_s: float = DEFAULT_DRAIN_S,
        keep: Collection[int] | None = None,
        remove: Callable[[Entry], bool] | None = None,
    ) -> list[AppliedProfile]:
        """Put ports under profiles, all of them or none, in the order given.

        Each port changes by one write; between those of several ports packets pass. With `keep` nothing
        waits: curves that go out of use now stay, and what has been out of use before is deleted, but for
        these ids. `remove` tells the port entries that are deleted in the same act: their traffic has no
        active queue management of its own afterwards.
        """
        before = await self.read(self.dialect.tables)
        wanted = self._entries(assignments, before)
        present = by_key(before)
        curves = dict.fromkeys(one.curve for one in wanted)
        curve = {e.key: e for curve in curves for e in curve if e.key not in present}
        schemes = dict.fromkeys(one.scheme for one in wanted)
        rows = self._missing_rows(before, [entry for scheme in schemes for entry in scheme])
        as_present = _AsPresent(before)
        ports = [[as_present(entry) for entry in one.ports] for one in wanted]
        queues = [entry for one in wanted for entry in one.queues]
        changed = by_key(entry for entries in ports for entry in entries)
        flipped = {k: e for k, e in changed.items() if k not in present or differs(e, present[k])}
        removed = [
            entry
            for key, entry in present.items()
            if remove is not None and key not in changed and entry.table == names.PORT_TABLE and remove(entry)
        ]
        for entry in (*curve.values(), *rows, *flipped.values()):
            self.check_entry(entry)
        after = present | curve | by_key(rows)
        queues_before = await self.read_queues(queues)
        try:
            new = [*curve.values(), *rows]
            if new:
                await self.insert(new)
                await self._verify({entry.table for entry in new}, after)
            await self.set_queues(queues)
            if flipped or removed:
                await self.modify([entry for key, entry in flipped.items() if key in present])
                await self.insert([entry for key, entry in flipped.items() if key not in present])
                await self.delete(removed)
                after |= flipped
                for entry in removed:
                    del after[entry.key]
                await self._verify({names.PORT_TABLE}, after)
            old = gone = self._unused(after.values())
            if keep is not None:
                in_use = _used(before)
                gone = [e for e in old if profile_id_of(e) not in in_use and profile_id_of(e) not in keep]
                old = [e for e in old if profile_id_of(e) in in_use]
            elif old and drain_s > 0:
                await asyncio.sleep(drain_s)
            if gone:
                await self.delete(gone)
                for entry in gone:
                    del after[entry.key]
                await self._verify(set(self.dialect.profile_tables), after)
        except BaseException as error:
            await self._undo(self.dialect.tables, before, error, queues_before)
            raise
        retired = tuple(sorted({profile_id_of(entry) for entry in old}))
        written = {entry.key for entry in new} | flipped.keys()
        return [
            AppliedProfile(
                each.profile,
                each.port,
                each.profile.dscp if each.dscp is None else each.dscp,
                profile_id_of(flips[0]),
                (*one.curve, *one.scheme, *flips),
                any(entry.key in written for entry in (*one.curve, *one.scheme, *flips)),
                retired,
            )
            for each, one, flips in zip(assignments, wanted, ports, strict=True)
        ]

    async def remove_unused(
        self, entries: Sequence[Entry] | None = None, *, keep: Collection[int] = ()
    ) -> tuple[int, ...]:
        """Delete curves and classes that no port refers to, such as a killed controller leaves; their ids.

        `entries`: of the dialect's tables, where they have just been read. `keep`: ids that stay.
        """
        old = self._unused(await self.read(self.dialect.tables) if entries is None else entries)
        old = [entry for entry in old if profile_id_of(entry) not in keep]
        if old:
            await self.delete(old)
        return tuple(sorted({profile_id_of(entry) for entry in old}))

    def _unused(self, entries: Iterable[Entry]) -> list[Entry]:
        everything = list(entries)
        used = _used(everything)
        return [
            e for e in everything if e.table in self.dialect.profile_tables and profile_id_of(e) not in used
        ]

    def _entries(self, assignments: Sequence[Assignment], before: Sequence[Entry]) -> list[ProfileEntries]:
        """The entries of each assignment, under ids that have its curve already, or under fresh ones."""
        curves = _Curves(before)
        known = {curves.shape(number): [number] for number in sorted(_port_ids(before) - {0}, reverse=True)}
        class_curves: dict[int, dict[int, int]] = defaultdict(dict)
        for entry in before:
            match = entry.field("rtt_class")
            for curve in _class_curve(entry):
                if isinstance(match, Exact):
                    class_curves[profile_id_of(entry)][match.value] = curve
        for ids in known.values():
            ids += [curve for _, curve in sorted(class_curves[ids[0]].items())]
        fresh = self._fresh_profile_ids(before)
        shapes: dict[object, str] = {}
        found = []
        for each in assignments:
            try:
                # Equal profiles have equal curves, which need not be computed for each port.
                key = each.profile
                if key not in shapes:
                    first = self.dialect.entries(each.profile, 1, each.port, each.dscp)
                    shapes[key] = _Curves(first.curve).shape(1)
                if shapes[key] not in known:
                    count = self.dialect.curves(each.profile)
                    known[shapes[key]] = list(itertools.islice(fresh, count))
                    if len(known[shapes[key]]) < count:
                        raise SwitchError(self.address, f"all {names.PROFILE_ID_MAX} profile ids are in use")
                ids = known[shapes[key]]
                found.append(self.dialect.entries(each.profile, ids[0], each.port, each.dscp, ids[1:]))
            except ValueError as error:
                message = f"port {each.port}: {each.profile.name}: {error}"
                raise PipelineError(self.address, message) from None
        return found

    def _fresh_profile_ids(self, entries: Iterable[Entry]) -> Iterable[int]:
        """Ids that no entry knows, in ascending order."""
        known = {0}
        for entry in entries:
            known |= {profile_id_of(entry), *_class_curve(entry)}
        return (number for number in range(1, names.PROFILE_ID_MAX + 1) if number not in known)

    def _missing_rows(self, before: Sequence[Entry], wanted: Sequence[Entry]) -> list[Entry]:
        """Rows of the schemes that are not there yet; what stands there already must mean the same."""
        schemes = {_scheme_id(entry) for entry in wanted}
        rows = by_key(wanted)
        for entry in before:
            if entry.table in SCHEME_TABLES and _scheme_id(entry) in schemes:
                mine = rows.pop(entry.key, None)
                if mine is None or differs(mine, entry):
                    number = _scheme_id(entry)
                    message = (
                        f"{entry.table} holds rows of scheme {number} that this controller did not write"
                    )
                    raise SwitchError(self.address, f"{message}; load the program anew to be rid of them")
        return list(rows.values())

    async def _verify(self, tables: set[str], wanted: Mapping[Key, Entry]) -> None:
        """Compare these tables with what they should hold."""
        await self.verify(sorted(tables), [entry for entry in wanted.values() if entry.table in tables])

    async def _undo(
        self,
        tables: Sequence[str],
        before: Sequence[Entry],
        cause: BaseException,
        queues: Sequence[Entry] = (),
    ) -> None:
        """Set tables back to `before`: first what ports may refer to, then ports, then what is left over."""
        try:
            wanted, present = by_key(before), by_key(await self.read(tables))
            await self.insert([entry for key, entry in wanted.items() if key not in present])
            await self.set_queues(queues)
            changed = [entry for key, entry in wanted.items() if key in present]
            await self.modify([entry for entry in changed if differs(entry, present[entry.key])])
            extra = [entry for key, entry in present.items() if key not in wanted]
            await self.delete([entry for entry in extra if entry.table == names.PORT_TABLE])
            await self.delete([entry for entry in extra if entry.table != names.PORT_TABLE])
            await self.verify(tables, before)
        except ControllerError as error:
            address = self.address
            why = f"setting the tables back failed too: {str(error).removeprefix(f'{address}: ')}"
            message = str(cause).removeprefix(f"{address}: ") or type(cause).__name__
            kind = type(cause) if isinstance(cause, SwitchError) else SwitchError
            raise kind(address, f"{message}; {why}") from cause


class _AsPresent:
    """Gives entries the priority of those present with the same match, so that they are changed, not
    shadowed."""

    def __init__(self, before: Iterable[Entry]) -> None:
        self._priorities = {self._match(entry): entry.priority for entry in before}

    @staticmethod
    def _match(entry: Entry) -> Key:
        table, match, _ = entry.key
        return table, match, 0

    def __call__(self, entry: Entry) -> Entry:
        priority = self._priorities.get(self._match(entry), entry.priority)
        return Entry(entry.table, entry.match, entry.action, entry.params, priority)
