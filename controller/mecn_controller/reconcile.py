# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Keeping a switch in a declared state: compare, apply only what differs, again and again.

What stands on the switch decides, not what this process remembers, so a restart of either side, a cut
connection and a takeover are all the same case: connect, read, correct.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mecn_controller import names
from mecn_controller.applying import Assignment
from mecn_controller.defaults import DEFAULT_DRAIN_S
from mecn_controller.entries import profile_entries
from mecn_controller.errors import ElectionError, PipelineError, SwitchError
from mecn_controller.push import SwitchSession
from mecn_controller.state import port_policies, wanted_policies

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from mecn_controller.entries import Entry
    from mecn_controller.push import AppliedProfile


def in_force(entries: Iterable[Entry], assignment: Assignment) -> bool:
    """Whether entries read from a switch (`names.AQM_TABLES`) give the port exactly this policy.

    Under whatever profile id: ids are the controller's to choose.
    """
    wanted = wanted_policies(profile_entries(assignment.profile, 1, assignment.port, assignment.dscp))
    present = {policy.traffic: policy for policy in port_policies(entries) if policy.port == assignment.port}
    return all(
        policy.traffic in present and present[policy.traffic].lines() == policy.lines() for policy in wanted
    )


async def reconcile(
    session: SwitchSession, assignments: Sequence[Assignment], *, drain_s: float = DEFAULT_DRAIN_S
) -> list[AppliedProfile]:
    """Apply what is not in force yet; what was done, empty if all is as it should be.

    What a controller that died left behind is removed.
    """
    entries = await session.read(names.AQM_TABLES)
    done = [
        await session.apply_profile(
            each.profile,
            port=each.port,
            dscp=each.dscp,
            drain_s=drain_s,
        )
        for each in assignments
        if not in_force(entries, each)
    ]
    await session.remove_unused()
    return done


@dataclass(frozen=True)
class Event:
    """What the keeper did or met."""

    what: str
    """primary, applied, standby, lost or refused."""
    detail: str = ""


def ignore(_event: Event) -> None:
    """Reports to nobody."""


@dataclass(frozen=True, kw_only=True)
class Keeper:
    """Keeps one switch in a declared state, as primary or as a backup that waits for its turn.

    Several may run for one switch, with different election ids; the highest that is alive is in charge. A
    backup asks again every `retry_s`, so it takes over at most about so long after the primary's connection
    has ended.
    """

    address: str
    device_id: int
    election_id: int
    assignments: Sequence[Assignment]
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
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def run(self) -> None:
        """Until cancelled. PipelineError where the switch runs no usable program and none was given.

        Everything else that a switch can do is met by trying again.
        """
        last: Event | None = None
        while True:
            try:
                await self._serve()
            except PipelineError:
                if self.program is None:
                    raise
                event = Event("refused", "the program")
            except ElectionError as error:
                event = Event("standby", str(error))
            except SwitchError as error:
                event = Event("lost", str(error))
            except TimeoutError:
                event = Event("lost", f"{self.address}: no answer within {self.timeout_s:g} s")
            if event != last:
                self.report(event)
            last = event
            await self.sleep(self.retry_s)

    def run_sync(self) -> None:
        """`run` in an event loop of its own, as the work of a process."""
        asyncio.run(self.run())

    async def _serve(self) -> None:
        async with SwitchSession(self.address, self.device_id, self.election_id) as session:
            self.report(Event("primary"))
            while True:
                async with asyncio.timeout(self.timeout_s):
                    if self.program is not None:
                        await session.set_pipeline(*self.program)
                    else:
                        await session.use_pipeline()
                    done = await reconcile(session, self.assignments, drain_s=self.drain_s)
                for each in done:
                    self.report(Event("applied", f"port {each.port}: {each.profile.name}"))
                await self.sleep(self.check_s)
