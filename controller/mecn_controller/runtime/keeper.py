# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Keeping a switch in a declared state: compare, apply only what differs, again and again.

What stands on the switch decides, not what this process remembers, so a restart of either side, a cut
connection and a takeover are all the same case: connect, read, correct.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.defaults import DEFAULT_DRAIN_S
from mecn_controller.errors import ElectionError, PipelineError, SwitchError
from mecn_controller.policy.entries import profile_entries
from mecn_controller.runtime.readback import PolicyIndex, wanted_policies
from mecn_controller.runtime.session import SwitchSession
from mecn_controller.runtime.steering import Steering
from mecn_controller.runtime.writer import Assignment

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from mecn_controller.policy.entries import Entry
    from mecn_controller.policy.routes import AnyRoute
    from mecn_controller.reports import PortReport
    from mecn_controller.runtime.tls import TlsFiles
    from mecn_controller.runtime.writer import AppliedProfile, ProfileWriter
    from mecn_controller.theory.adaptation import Rule, Steerable

MAX_WAITING = 1024
"""Reports that wait while entries are written; the oldest beyond them are dropped."""

__all__ = ["STATES", "Assignment", "Event", "Keeper", "in_force", "reconcile"]


def in_force(entries: Iterable[Entry], assignment: Assignment) -> bool:
    """Whether entries read from a switch (`names.AQM_TABLES`) give the port exactly this policy.

    Under whatever profile id: ids are the controller's to choose.
    """
    index = PolicyIndex(entries)
    for policy in wanted_policies(profile_entries(assignment.profile, 1, assignment.port, assignment.dscp)):
        present = index.policy(assignment.port, policy.traffic)
        if present is None or present.lines(exact=True) != policy.lines(exact=True):
            return False
    return True


async def reconcile(
    session: ProfileWriter, assignments: Sequence[Assignment], *, drain_s: float = DEFAULT_DRAIN_S
) -> list[AppliedProfile]:
    """Apply what is not in force yet; what was done, empty if all is as it should be.

    What a controller that died left behind is removed.
    """
    done = await session.apply_profiles(assignments, drain_s=drain_s)
    return [each for each in done if each.changed]


_LOG = logging.getLogger(__name__)

STATES = ("primary", "standby", "lost", "refused")
"""Events that say how the keeper stands with its switch."""


@dataclass(frozen=True)
class Event:
    """What the keeper did or met."""

    what: str
    """One of `STATES`, applied, adapted, routed, or no reports."""
    detail: str = ""


def ignore(_event: Event) -> None:
    """Reports to nobody."""


def ignore_wanted(_assignments: Sequence[Assignment]) -> None:
    """Tells nobody."""


def ignore_round(_done: Sequence[AppliedProfile]) -> None:
    """Tells nobody."""


@dataclass(frozen=True, kw_only=True)
class Keeper:
    """Keeps one switch in a declared state, as primary or as a backup that waits for its turn.

    Several may run for one switch, with different election ids. A backup stays connected, and takes over as
    soon as the switch tells that the primary's connection has ended.
    """

    address: str
    device_id: int
    election_id: int
    assignments: Sequence[Assignment]
    """Read at each comparison: they may be replaced in place, but not become more or fewer."""
    rules: Sequence[Callable[[Steerable], Rule] | None] = ()
    """For each assignment what steers it; empty: nothing is steered."""
    routes: Sequence[AnyRoute] = ()
    """Kept like the assignments; other routes are left alone."""
    program: tuple[str, str] | None = None
    """P4Info text and BMv2 JSON, loaded where the switch does not run them."""
    check_s: float = 5.0
    """From one comparison to the next."""
    retry_s: float = 0.25
    """After a failure."""
    timeout_s: float = 30.0
    """For one comparison with its corrections; a switch that takes longer counts as lost."""
    drain_s: float = DEFAULT_DRAIN_S
    report: Callable[[Event], None] = ignore
    reconciled: Callable[[Sequence[AppliedProfile]], None] = ignore_round
    """Called after each comparison with what was applied. It must not block."""
    wanted: Callable[[Sequence[Assignment]], None] = ignore_wanted
    """Told what the ports are to be under, steered probabilities included, whenever that changes; in the
    order of `assignments`. It must not block."""
    tls: TlsFiles | None = None
    on_report: Callable[[PortReport], None] | None = None
    """Told of every report of the switch; reports are asked for if this is set, or anything is steered."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    """Seconds; only differences count."""

    async def run(self) -> None:
        """Until cancelled. PipelineError where the switch runs no usable program and none was given.

        Everything else that a switch can do is met by trying again, what nobody thought of as well: a keeper
        that ends leaves its ports to whatever comes.
        """
        pause_s = self.retry_s
        last: Event | None = None

        def tell(event: Event) -> None:
            nonlocal last
            if event != last:
                self.report(event)
            last = event

        while True:
            try:
                await self._serve(tell)
            except PipelineError:
                if self.program is None:
                    raise
                tell(Event("refused", "the program"))
            except ElectionError as error:
                tell(Event("standby", str(error)))
            except SwitchError as error:
                tell(Event("lost", str(error)))
            except TimeoutError:
                tell(Event("lost", f"{self.address}: no answer within {self.timeout_s:g} s"))
            except Exception as error:  # noqa: BLE001
                _LOG.exception("the keeper tries again")
                tell(Event("lost", f"{self.address}: {type(error).__name__}: {error}"))
                pause_s = min(2 * pause_s, self.check_s)
                await self.sleep(pause_s)
                continue
            pause_s = self.retry_s
            await self.sleep(pause_s)

    def run_sync(self) -> None:
        """`run` in an event loop of its own, as the work of a process."""
        asyncio.run(self.run())

    async def _serve(self, tell: Callable[[Event], None]) -> None:
        def stand_by(why: str) -> None:
            tell(Event("standby", f"{self.address}: {why}"))

        session = SwitchSession(
            self.address, self.device_id, self.election_id, tls=self.tls, stand_by=stand_by
        )
        async with session:
            tell(Event("primary"))
            rules = self.rules or [None] * len(self.assignments)
            pairs = list(zip(self.assignments, rules, strict=True))
            steering = Steering(pairs, drain_s=self.drain_s)
            async with asyncio.timeout(self.timeout_s):
                await self._use_program(session)
                steering.adopt(await session.read(names.AQM_TABLES))
            waiting: asyncio.Queue[PortReport] = asyncio.Queue(MAX_WAITING)
            wanted = steering.adaptive or self.on_report is not None
            if wanted and not steering.adaptive and session.schema.digests.get(names.PORT_REPORT) is None:
                tell(Event("no reports", f"{self.address}: the program on the switch sends none"))
                wanted = False
            listener = asyncio.create_task(self._listen(session, waiting, wanted))
            try:
                await self._keep(session, steering, waiting, listener, tell)
            finally:
                listener.cancel()
                await asyncio.gather(listener, return_exceptions=True)

    async def _use_program(self, session: SwitchSession) -> None:
        if self.program is not None:
            await session.set_pipeline(*self.program)
        else:
            await session.use_pipeline()

    async def _listen(self, session: SwitchSession, waiting: asyncio.Queue[PortReport], wanted: bool) -> None:
        async for report in session.reports(wanted=wanted):
            if self.on_report is not None:
                self.on_report(report)
            if waiting.full():
                waiting.get_nowait()
            waiting.put_nowait(report)

    async def _keep(
        self,
        session: SwitchSession,
        steering: Steering,
        waiting: asyncio.Queue[PortReport],
        listener: asyncio.Task[None],
        tell: Callable[[Event], None],
    ) -> None:
        """Compare and correct every `check_s`, and answer reports in between."""
        while True:
            async with asyncio.timeout(self.timeout_s):
                await self._use_program(session)
                if self.routes and (count := await session.write_routes(self.routes)):
                    tell(Event("routed", f"{self.address}: {count} routes written"))
                steering.declare(self.assignments)
                self.wanted(steering.wanted)
                done = await steering.apply(session, steering.wanted, self.clock())
            changed = [each for each in done if each.changed]
            for each in changed:
                tell(Event("applied", f"port {each.port}: {each.profile.name}"))
            self.reconciled(changed)
            # The comparison after packets have drained removes the curves that they were queued under.
            drains = bool(done and done[0].retired)
            pause_s = min(self.drain_s, self.check_s) if drains else self.check_s
            await self._pause(session, steering, waiting, listener, tell, pause_s)

    async def _pause(
        self,
        session: SwitchSession,
        steering: Steering,
        waiting: asyncio.Queue[PortReport],
        listener: asyncio.Task[None],
        tell: Callable[[Event], None],
        seconds: float,
    ) -> None:
        """Answer reports for so long. What ends the stream, another primary as well, ends this."""
        pause = asyncio.ensure_future(self.sleep(seconds))
        try:
            while not pause.done():
                getter = asyncio.ensure_future(waiting.get())
                await asyncio.wait({pause, getter, listener}, return_when=asyncio.FIRST_COMPLETED)
                if not getter.done():
                    getter.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await getter
                    if listener.done():
                        listener.result()
                    continue
                now = self.clock()
                async with asyncio.timeout(self.timeout_s):
                    changes = steering.on_report(getter.result(), now)
                    done = await steering.apply(session, changes, now)
                if done:
                    self.wanted(steering.wanted)
                for each in done:
                    profile = each.profile
                    p = [getattr(profile, "max_p", None), *getattr(profile, "rtt_class_max_p", ())]
                    tell(Event("adapted", f"port {each.port}: max_p {', '.join(map(str, p))}"))
        finally:
            pause.cancel()
            await asyncio.gather(pause, return_exceptions=True)
