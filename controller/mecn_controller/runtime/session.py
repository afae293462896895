# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A P4Runtime switch that routes and profiles are written to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.defaults import (
    DEFAULT_ADDRESS,
    DEFAULT_DEVICE_ID,
    DEFAULT_DRAIN_S,
    DEFAULT_ELECTION_ID,
)
from mecn_controller.errors import ControllerError
from mecn_controller.policy.routes import RESERVED_ROUTES, NoRoute, by_prefix, route_of
from mecn_controller.runtime.connection import Connection
from mecn_controller.runtime.writer import AppliedProfile, Assignment, ProfileWriter, by_key, differs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mecn_controller.policy.profile import Profile
    from mecn_controller.policy.routes import AnyRoute

__all__ = ["AppliedProfile", "Assignment", "SwitchSession", "apply_sync"]


class SwitchSession(Connection, ProfileWriter):
    """A connection that applies routes and profiles."""

    async def write_routes(self, routes: Iterable[AnyRoute]) -> int:
        """Add routes, or change those with the same prefix; others stay. Read back, all or nothing.

        Where a reserved prefix (`RESERVED_ROUTES`) has no entry, it gets one. Returns how many entries were
        written: 0 if everything was there already.
        """
        tables = names.ROUTE_TABLES
        wanted = by_key(route.entry() for route in routes)
        for entry in wanted.values():
            self.check_entry(entry)
        before = await self.read(tables)
        present = by_key(before)
        reserved = by_key(route.entry() for route in RESERVED_ROUTES)
        wanted = {key: entry for key, entry in reserved.items() if key not in present} | wanted
        new = [entry for key, entry in wanted.items() if key not in present]
        other = [e for key, e in wanted.items() if key in present and differs(e, present[key])]
        if not new and not other:
            return 0
        try:
            await self.insert(new)
            await self.modify(other)
            await self.verify(tables, {**present, **wanted}.values())
        except BaseException as error:
            await self._undo(tables, before, error)
            raise
        return len(new) + len(other)

    async def delete_routes(self, prefixes: Iterable[str]) -> None:
        """Delete the routes of these prefixes; ControllerError names those that have none. All or nothing."""
        present = by_key(await self.read(names.ROUTE_TABLES))
        gone = {prefix: NoRoute(prefix).entry().key for prefix in prefixes}
        missing = [prefix for prefix, key in gone.items() if key not in present]
        if missing:
            raise ControllerError(f"{self.address}: no route to {', '.join(missing)}")
        await self.delete([present[key] for key in gone.values()])

    async def routes(self) -> list[AnyRoute]:
        """All routes, by prefix, those that every router has included."""
        found = [route_of(entry) for entry in await self.read(names.ROUTE_TABLES)]
        return sorted(
            (route for route in found if route is not None), key=lambda route: by_prefix(route.prefix)
        )


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
