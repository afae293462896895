# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The declared state of a running `mecn serve`, which its page may change.

A change goes the way of all others: a validated profile in the list that the keeper compares with the switch,
which writes it under a fresh profile id, reads it back and flips the port. It lasts as long as the process;
the deployment file stays as it is.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mecn_controller.dscp import format_dscp
from mecn_controller.errors import ControllerError
from mecn_controller.runtime.keeper import STATES

if TYPE_CHECKING:
    from mecn_controller.policy.profile import Profile
    from mecn_controller.runtime.keeper import Assignment, Event
    from mecn_controller.runtime.session import AppliedProfile

CHANGE_TIMEOUT_S = 15.0


class NotInChargeError(ControllerError):
    """Another controller is in charge of the switch, or it cannot be reached."""


def traffic_of(assignment: Assignment) -> str:
    """Which code points an assignment is for, in words."""
    return format_dscp(assignment.profile.dscp if assignment.dscp is None else assignment.dscp)


@dataclass
class _Pending:
    index: int
    assignment: Assignment
    done: asyncio.Future[AppliedProfile | None]
    rounds: int = 0


class Declaration:
    """Assignments; `assignments` is what the keeper compares with, and changes in place."""

    def __init__(self, assignments: Sequence[Assignment], steered: Sequence[bool] = ()) -> None:
        """steered: which of them a rule steers; none by default."""
        self.declared = tuple(assignments)
        self.assignments = list(assignments)
        self.steered = tuple(steered) or (False,) * len(self.declared)
        self._wanted: list[tuple[Assignment, Assignment]] = []
        self.status = "connecting"
        self.detail = ""
        self._wake = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._pending: _Pending | None = None

    # ---- The keeper's side ---------------------------------------------------------------------------------

    async def pause(self, seconds: float) -> None:
        """The keeper's sleep; a change ends it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        self._wake.clear()

    def on_wanted(self, assignments: Sequence[Assignment]) -> None:
        """What the ports are to be under now, steered probabilities included."""
        self._wanted = list(zip(self.assignments, assignments, strict=True))

    def on_event(self, event: Event) -> None:
        """What the keeper reports. A failure takes a change back."""
        if event.what not in STATES:
            return
        self.status, self.detail = event.what, event.detail
        if event.what != "primary" and self._pending is not None:
            self._fail(NotInChargeError(event.detail or event.what))

    def on_round(self, done: Sequence[AppliedProfile]) -> None:
        """The keeper has compared and corrected."""
        pending = self._pending
        if pending is None:
            return
        for each in done:
            if each.profile is pending.assignment.profile and each.port == pending.assignment.port:
                self._finish(each)
                return
        pending.rounds += 1
        if pending.rounds == 2:
            # A comparison that began after the change had nothing to do: the switch has this curve already.
            self._finish(None)
        else:
            self._wake.set()

    def _finish(self, applied: AppliedProfile | None) -> None:
        assert self._pending is not None
        if not self._pending.done.done():
            self._pending.done.set_result(applied)

    def _fail(self, error: ControllerError) -> None:
        assert self._pending is not None
        if not self._pending.done.done():
            self._pending.done.set_exception(error)

    # ---- The page's side -----------------------------------------------------------------------------------

    def present(self, index: int) -> Profile:
        """The profile of an assignment; where a rule steers it, with its present probabilities."""
        declared = self.assignments[index]
        if index < len(self._wanted) and self._wanted[index][0] is declared:
            return self._wanted[index][1].profile
        return declared.profile

    async def change(self, index: int, profile: Profile) -> AppliedProfile | None:
        """Put another profile in the place of an assignment's; returns when it is in force.

        None: the switch had this curve already. If it cannot be applied, everything is as before, and
        ControllerError says why.
        """
        async with self._one_at_a_time:
            if self.status != "primary":
                raise NotInChargeError(f"not in charge of the switch: {self.status} {self.detail}".rstrip())
            before = self.assignments[index]
            if profile == self.present(index):
                return None
            wanted = replace(before, profile=profile)
            self._pending = _Pending(index, wanted, asyncio.get_running_loop().create_future())
            self.assignments[index] = wanted
            self._wake.set()
            try:
                async with asyncio.timeout(CHANGE_TIMEOUT_S):
                    return await self._pending.done
            except TimeoutError:
                self.assignments[index] = before
                raise NotInChargeError(f"the switch did not take it within {CHANGE_TIMEOUT_S:g} s") from None
            except BaseException:
                self.assignments[index] = before
                raise
            finally:
                self._pending = None
                if self.assignments[index] is before:
                    self._wake.set()
