# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Configured switches on request: the controller sets up real P4Runtime targets, runs take forks of them.

Each router is an embedded switch behind a P4Runtime server of its own on a loopback port. The controller
does to it what it would do to any switch; only then is the configured switch taken into virtual time.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import cache
from threading import Lock, Thread
from typing import TYPE_CHECKING, TypeVar

from mecn_controller import Route as ControllerRoute
from mecn_controller.errors import ControllerError, UnreachableError
from mecn_controller.runtime.session import SwitchSession
from mecn_switch import P4RuntimeServer

from .errors import ExperimentError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from types import TracebackType

    import mecn_native
    from mecn_controller.policy.profile import Profile
    from mecn_topo import Route

    from .program import Program

CAPACITY = 64
"""Configured sets of switches that are kept."""
PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)
"""After each time that a switch did not answer, which a busy machine is enough for."""

T = TypeVar("T")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The one event loop of all benches, in a thread of its own: gRPC stays with the first loop it meets, so
    that one must not end."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, name="bench", daemon=True).start()
    return loop


@dataclass(frozen=True, slots=True)
class Push:
    """A profile for a port of a switch."""

    switch: str
    port: int
    profile: Profile


class Bench:
    """Sets switches up, and keeps those that were asked for last. Threads may share one."""

    def __init__(self, program: Program, note: Callable[[str], None] = lambda _: None) -> None:
        """note: is told when a switch did not answer and is set up again."""
        self.program = program
        self._note = note
        self._lock = Lock()
        self._ready: OrderedDict[object, dict[str, mecn_native.Switch]] = OrderedDict()
        self._servers: _Servers | None = None

    def switches(
        self, routes: Mapping[str, Sequence[Route]], pushes: Sequence[Push]
    ) -> dict[str, mecn_native.Switch]:
        """The switches of the routing tables' names, with routes and profiles written and verified.

        They must not be changed: others get the same ones. A virtual network takes forks.
        """
        tables = tuple((name, tuple(table)) for name, table in routes.items())
        request = (tables, tuple(pushes))
        with self._lock:
            found = self._ready.get(request)
            if found is None:
                found = self._run(self._patiently(tables, tuple(pushes)))
                self._ready[request] = found
                if len(self._ready) > CAPACITY:
                    self._ready.popitem(last=False)
            self._ready.move_to_end(request)
            return found

    async def _patiently(
        self, tables: tuple[tuple[str, tuple[Route, ...]], ...], pushes: tuple[Push, ...]
    ) -> dict[str, mecn_native.Switch]:
        for pause_s in PAUSES_S:
            try:
                return await self._configure(tables, pushes)
            except UnreachableError as error:
                self._note(f"{error}; fresh switches are set up in {pause_s:g} s")
                await self._release()
                await asyncio.sleep(pause_s)
        return await self._configure(tables, pushes)

    async def _configure(
        self, tables: tuple[tuple[str, tuple[Route, ...]], ...], pushes: tuple[Push, ...]
    ) -> dict[str, mecn_native.Switch]:
        # A profile stays on its port until another one replaces it there, so a request that covers other
        # ports needs fresh switches.
        place = (tables, frozenset((push.switch, push.port) for push in pushes))
        if self._servers is None or self._servers.place != place:
            await self._release()
            self._servers = await _Servers.start(self.program, tables, place)
        return await self._servers.apply(pushes)

    async def _release(self) -> None:
        servers, self._servers = self._servers, None
        if servers is not None:
            await servers.stack.aclose()

    @staticmethod
    def _run(work: Coroutine[None, None, T]) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(work, _loop()).result()
        except ControllerError as error:
            raise ExperimentError(f"the controller could not set up the switch: {error}") from None
        except OSError as error:
            raise ExperimentError(f"the P4Runtime server could not be started: {error}") from None

    def close(self) -> None:
        """Stops the servers."""
        with self._lock:
            if self._servers is not None:
                self._run(self._release())

    def __enter__(self) -> Bench:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass
class _Servers:
    """Switches that are being served, each with the controller's session."""

    place: object
    stack: AsyncExitStack
    servers: dict[str, P4RuntimeServer]
    sessions: dict[str, SwitchSession]

    @classmethod
    async def start(
        cls, program: Program, tables: tuple[tuple[str, tuple[Route, ...]], ...], place: object
    ) -> _Servers:
        servers: dict[str, P4RuntimeServer] = {}
        sessions: dict[str, SwitchSession] = {}
        async with AsyncExitStack() as stack:
            for device_id, (name, table) in enumerate(tables, start=1):
                server = stack.enter_context(P4RuntimeServer(address="127.0.0.1:0", device_id=device_id))
                session = await stack.enter_async_context(SwitchSession(server.address, device_id=device_id))
                await session.set_pipeline(program.p4info, program.bmv2_json)
                await session.write_routes(
                    [ControllerRoute(row.prefix, row.port, row.src_mac, row.dst_mac) for row in table]
                )
                servers[name], sessions[name] = server, session
            return cls(place, stack.pop_all(), servers, sessions)

    async def apply(self, pushes: tuple[Push, ...]) -> dict[str, mecn_native.Switch]:
        for push in pushes:
            await self.sessions[push.switch].apply_profile(push.profile, port=push.port, drain_s=0)
        return {name: server.switch.fork(0) for name, server in self.servers.items()}
