# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Applying a profile to a running switch: all of it or nothing.

The new curve is written under a profile id that nobody uses, read back and compared bit for bit; only then
is the port's entry changed, which is one write and takes effect for the next packet; then the old profile's
curve is deleted. If anything fails on the way, the tables are set back to what they were before.
"""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.connection import Connection
from mecn_controller.defaults import (
    DEFAULT_ADDRESS,
    DEFAULT_DEVICE_ID,
    DEFAULT_DRAIN_S,
    DEFAULT_ELECTION_ID,
)
from mecn_controller.entries import Entry, Exact, Policy, classes_of, profile_entries
from mecn_controller.errors import ControllerError, SwitchError
from mecn_controller.routes import RESERVED_ROUTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mecn_controller.profile import Profile
    from mecn_controller.routes import AnyRoute

SCHEME_TABLES = (names.ADMISSION_TABLE, names.VERDICT_TABLE)

Key = tuple[object, ...]


@dataclass(frozen=True)
class AppliedProfile:
    """What was done: the entries that now stand on the switch, all of them read back."""

    profile: Profile
    port: int
    dscp: tuple[int, ...] | None
    profile_id: int
    entries: tuple[Entry, ...]
    retired: tuple[int, ...]
    """Profile ids whose curves were deleted because no port uses them any more."""


def _profile_id(entry: Entry) -> int:
    """The profile that an aqm_port entry refers to or an entry of `PROFILE_TABLES` belongs to; 0 for none."""
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


def _used(entries: Iterable[Entry]) -> set[int]:
    """Profile ids that ports refer to, and those of the curves of their classes."""
    everything = list(entries)
    ports = {_profile_id(entry) for entry in everything if entry.table == names.PORT_TABLE}
    classes = (curve for e in everything if _profile_id(e) in ports for curve in _class_curve(e))
    return ports | set(classes)


def _scheme_id(entry: Entry) -> int:
    match = entry.field("scheme")
    return match.value if isinstance(match, Exact) else 0


def _by_key(entries: Iterable[Entry]) -> dict[Key, Entry]:
    return {entry.key: entry for entry in entries}


class SwitchSession(Connection):
    """A connection that applies routes and profiles."""

    # ---- All or nothing ------------------------------------------------------------------------------------

    async def _undo(self, tables: Sequence[str], before: Sequence[Entry], cause: BaseException) -> None:
        """Set tables back to `before`: first what ports may refer to, then ports, then what is left over."""
        try:
            wanted, present = _by_key(before), _by_key(await self.read(tables))
            await self.insert([entry for key, entry in wanted.items() if key not in present])
            changed = [entry for key, entry in wanted.items() if key in present]
            await self.modify([entry for entry in changed if _differs(entry, present[entry.key])])
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

    # ---- Routes --------------------------------------------------------------------------------------------

    async def write_routes(self, routes: Iterable[AnyRoute]) -> None:
        """Add routes, or change those with the same prefix; others stay. Read back, all or nothing.

        Where a reserved prefix (`RESERVED_ROUTES`) has no entry, it gets one.
        """
        tables = names.ROUTE_TABLES
        wanted = _by_key(route.entry() for route in routes)
        for entry in wanted.values():
            self.encoded(entry)
        before = await self.read(tables)
        present = _by_key(before)
        reserved = _by_key(route.entry() for route in RESERVED_ROUTES)
        wanted = {key: entry for key, entry in reserved.items() if key not in present} | wanted
        try:
            await self.insert([entry for key, entry in wanted.items() if key not in present])
            await self.modify([entry for key, entry in wanted.items() if key in present])
            await self.verify(tables, {**present, **wanted}.values())
        except BaseException as error:
            await self._undo(tables, before, error)
            raise

    # ---- Profiles ------------------------------------------------------------------------------------------

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
        before = await self.read(names.AQM_TABLES)
        profile_id, *class_ids = self._fresh_profile_ids(before, 1 + len(classes_of(profile)))
        wanted = profile_entries(profile, profile_id, port, dscp, class_ids)
        for entry in wanted.all:
            self.encoded(entry)
        rows = self._missing_rows(before, wanted.scheme)
        ports = [_as_present(entry, before) for entry in wanted.ports]
        present = _by_key(before)
        after = {**present, **_by_key((*wanted.curve, *rows))}
        try:
            await self.insert([*wanted.curve, *rows])
            await self.verify(names.AQM_TABLES, after.values())

            await self.modify([entry for entry in ports if entry.key in present])
            await self.insert([entry for entry in ports if entry.key not in present])
            after |= _by_key(ports)
            await self.verify((names.PORT_TABLE,), [e for e in after.values() if e.table == names.PORT_TABLE])

            used = _used(after.values())
            old = [
                e for e in after.values() if e.table in names.PROFILE_TABLES and _profile_id(e) not in used
            ]
            if old and drain_s > 0:
                await asyncio.sleep(drain_s)
            await self.delete(old)
            for entry in old:
                del after[entry.key]
            await self.verify(names.AQM_TABLES, after.values())
        except BaseException as error:
            await self._undo(names.AQM_TABLES, before, error)
            raise
        entries = (*wanted.curve, *wanted.scheme, *ports)
        retired = tuple(sorted({_profile_id(entry) for entry in old}))
        return AppliedProfile(
            profile, port, profile.dscp if dscp is None else dscp, profile_id, entries, retired
        )

    async def remove_unused(self) -> tuple[int, ...]:
        """Delete curves and classes that no port refers to, such as a killed controller leaves; their ids."""
        entries = await self.read(names.AQM_TABLES)
        used = _used(entries)
        old = [e for e in entries if e.table in names.PROFILE_TABLES and _profile_id(e) not in used]
        await self.delete(old)
        return tuple(sorted({_profile_id(entry) for entry in old}))

    def _fresh_profile_ids(self, entries: Iterable[Entry], count: int) -> list[int]:
        """Ids that no entry knows, in ascending order."""
        known = {0}
        for entry in entries:
            known |= {_profile_id(entry), *_class_curve(entry)}
        free = (number for number in range(1, names.PROFILE_ID_MAX + 1) if number not in known)
        fresh = list(itertools.islice(free, count))
        if len(fresh) < count:
            raise SwitchError(self.address, f"all {names.PROFILE_ID_MAX} profile ids are in use")
        return fresh

    def _missing_rows(self, before: Sequence[Entry], wanted: Sequence[Entry]) -> list[Entry]:
        """Rows of the scheme that are not there yet; what stands there already must mean the same."""
        schemes = {_scheme_id(entry) for entry in wanted}
        by_key = _by_key(wanted)
        for entry in before:
            if entry.table in SCHEME_TABLES and _scheme_id(entry) in schemes:
                mine = by_key.pop(entry.key, None)
                if mine is None or _differs(mine, entry):
                    number = _scheme_id(entry)
                    message = (
                        f"{entry.table} holds rows of scheme {number} that this controller did not write"
                    )
                    raise SwitchError(self.address, f"{message}; load the program anew to be rid of them")
        return list(by_key.values())


def _differs(one: Entry, other: Entry) -> bool:
    return one.action != other.action or sorted(one.params) != sorted(other.params)


def _as_present(entry: Entry, before: Iterable[Entry]) -> Entry:
    """The entry with the priority of one that has the same match, so that it is changed and not shadowed."""
    for other in before:
        if other.table == entry.table and sorted(other.match, key=str) == sorted(entry.match, key=str):
            return Entry(entry.table, entry.match, entry.action, entry.params, other.priority)
    return entry


async def _apply(
    session: SwitchSession,
    profiles: Iterable[tuple[Profile, int]],
    dscp: tuple[int, ...] | None,
    p4info_text: str | None,
    bmv2_json: str | bytes | None,
    routes: Sequence[AnyRoute],
    drain_s: float,
) -> list[AppliedProfile]:
    async with session:
        if p4info_text is not None and bmv2_json is not None:
            await session.set_pipeline(p4info_text, bmv2_json)
        else:
            await session.use_pipeline()
        if routes:
            await session.write_routes(routes)
        return [
            await session.apply_profile(profile, port=port, dscp=dscp, drain_s=drain_s)
            for profile, port in profiles
        ]


def apply_sync(
    profiles: Iterable[tuple[Profile, int]],
    *,
    address: str = DEFAULT_ADDRESS,
    device_id: int = DEFAULT_DEVICE_ID,
    election_id: int = DEFAULT_ELECTION_ID,
    dscp: tuple[int, ...] | None = None,
    p4info_text: str | None = None,
    bmv2_json: str | bytes | None = None,
    routes: Sequence[AnyRoute] = (),
    drain_s: float = DEFAULT_DRAIN_S,
) -> list[AppliedProfile]:
    """Connect, load the program if one is given, add routes, apply each (profile, port), disconnect.

    Blocking. `drain_s` as for `SwitchSession.apply_profile`.
    """
    if (p4info_text is None) != (bmv2_json is None):
        raise ValueError("p4info_text and bmv2_json belong together: give both, or neither")
    session = SwitchSession(address, device_id, election_id)
    return asyncio.run(_apply(session, profiles, dscp, p4info_text, bmv2_json, routes, drain_s))
