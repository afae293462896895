# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What was applied to a switch from this machine, on disk: one JSON object per line, one file per switch.

A change puts a profile on some code points of a port. The changes of a port are a stack: applying pushes,
rolling back pops. What others did to the switch is not in it.

A record is written before the switch is changed, as begun, and completed after it. One that stays begun,
because the process was killed between, is settled by what the switch has: completed, or taken out.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mecn_controller import names
from mecn_controller.durable import write_durably
from mecn_controller.errors import ControllerError
from mecn_controller.policy.profile import Profile, parse_profile
from mecn_controller.runtime.keeper import Assignment, in_force

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mecn_controller.policy.entries import Entry
    from mecn_controller.runtime.session import AppliedProfile, SwitchSession
    from mecn_controller.runtime.writer import ProfileWriter

LIMIT = 1000
"""Changes that are kept for a switch; older ones are forgotten."""

_LOG = logging.getLogger(__name__)

NOTHING = "nothing"
RECORDED = "recorded"
OTHER = "other"


def state_folder() -> Path:
    """`mecn` in XDG_STATE_HOME (XDG Base Directory Specification), by default ~/.local/state."""
    given = os.environ.get("XDG_STATE_HOME", "")
    # The specification: paths that are not absolute are to be ignored.
    base = Path(given) if given.startswith("/") else Path.home() / ".local" / "state"
    return base / "mecn"


@dataclass(frozen=True)
class Change:
    """A profile that was applied."""

    number: int
    time: float
    by: str
    """apply, serve, web or rollback."""
    port: int
    points: tuple[int | None, ...]
    """Code points; (None,): all that have no entry of their own."""
    data: dict[str, Any]
    """The profile, without code points."""
    before: tuple[str, ...]
    """What the switch had on each: `nothing`, what is `recorded` here, or something `other`."""
    begun: bool = False
    """Whether nobody knows yet if the switch was changed."""

    @property
    def name(self) -> str:
        """Of the profile."""
        return str(self.data.get("name", "?"))

    def profile(self, points: Sequence[int | None]) -> Profile:
        """The profile, for some of its code points; ProfileError if this version cannot read it."""
        chosen = [point for point in points if point is not None]
        return parse_profile({**self.data, "dscp": chosen or "any"}, f"history, change {self.number}")


def points_of(dscp: tuple[int, ...] | None) -> tuple[int | None, ...]:
    """Code points as changes have them."""
    return (None,) if dscp is None else tuple(sorted(dscp))


def state_of(stack: Sequence[Change]) -> dict[int | None, Change]:
    """Which change rules each code point."""
    return {point: change for change in stack for point in change.points}


class History:
    """The file of one switch."""

    def __init__(self, folder: Path, address: str, device_id: int) -> None:
        name = re.sub(r"[^A-Za-z0-9.-]", "_", address)
        self.path = folder / "history" / f"{name}-{device_id}.jsonl"

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone with the file. The lock is a file of its own: the history itself is replaced now and then."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self.path.with_suffix(".lock").open("a", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            why = error.strerror or error
            message = f"{self.path}: the history cannot be kept: {why} (--state-dir, or --no-history)"
            raise ControllerError(message) from None

    def _records(self) -> list[dict[str, Any]]:
        """All records. Half a line at the end is what a writer left that was killed, or whose disk was full:
        it is no record, and the next one is not put behind it."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        except FileNotFoundError:
            return []
        if lines and not lines[-1].endswith("\n"):
            _LOG.warning("%s: half a record at the end is left out", self.path)
            del lines[-1]
        records = []
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
                if not isinstance(record, dict) or not isinstance(record["number"], int):
                    raise ValueError
            except (ValueError, KeyError):
                raise ControllerError(
                    f"{self.path}:{number}: is not a record of the history; move the file away"
                ) from None
            records.append(record)
        return records

    def _write(self, records: list[dict[str, Any]]) -> None:
        write_durably(self.path, "".join(json.dumps(each) + "\n" for each in records[-LIMIT:]))

    def begin(self, record: dict[str, Any]) -> dict[str, Any]:
        """Write down what is about to be done; ControllerError, before anything is done, if it cannot be."""
        with self._locked():
            records = self._records()
            number = 1 + max((each["number"] for each in records), default=0)
            full = {"number": number, "time": time.time(), **record, "begun": True}
            self._write([*records, full])
        return full

    def end(self, begun: dict[str, Any], *, done: bool = True) -> None:
        """Complete the record of what was begun, or take it out."""
        with self._locked():
            others = [each for each in self._records() if each["number"] != begun["number"]]
            if done:
                others.append({name: value for name, value in begun.items() if name != "begun"})
            self._write(sorted(others, key=lambda each: int(each["number"])))

    def settle(self, entries: Sequence[Entry], port: int) -> None:
        """Complete or take out what others began on a port and did not end, by what the switch has."""
        if not self.path.exists():
            return
        with self._locked():
            begun = [each for each in self._records() if each.get("begun") and each["port"] == port]
        for record in begun:
            stack = self.stack(port)
            if record["by"] == "rollback":
                undone = [(change, point) for point, change in state_of(stack).items()]
                undone = [(change, point) for change, point in undone if change.number > record["to"]]
                done = not any(_stands(entries, change, point) for change, point in undone)
            else:
                (change,) = (each for each in stack if each.number == record["number"])
                done = all(_stands(entries, change, point) for point in change.points)
            self.end(record, done=done)

    def stack(self, port: int) -> list[Change]:
        """The changes of a port that were not rolled back, the oldest first."""
        if not self.path.exists():
            return []
        with self._locked():
            records = self._records()
        stack: list[Change] = []
        try:
            for record in records:
                if record["port"] != port:
                    continue
                if record["by"] == "rollback" and record.get("begun"):
                    continue
                if record["by"] == "rollback":
                    stack = [change for change in stack if change.number <= record["to"]]
                else:
                    stack.append(
                        Change(
                            record["number"],
                            record["time"],
                            record["by"],
                            port,
                            tuple(record["points"]),
                            record["profile"],
                            tuple(record["before"]),
                            bool(record.get("begun")),
                        )
                    )
        except (KeyError, TypeError):
            raise ControllerError(f"{self.path}: was written by another version; move it away") from None
        return stack

    def before(self, entries: Sequence[Entry], port: int, points: Sequence[int | None]) -> tuple[str, ...]:
        """What a switch (its `names.AQM_TABLES`) has on code points of a port, as `Change.before` says it."""
        rulers = state_of(self.stack(port))

        def one(point: int | None) -> str:
            if point in rulers and _stands(entries, rulers[point], point):
                return RECORDED
            return OTHER if any(_is_entry_of(entry, port, point) for entry in entries) else NOTHING

        return tuple(map(one, points))

    def begin_apply(
        self, by: str, profile: Profile, port: int, points: Sequence[int | None], before: Sequence[str] = ()
    ) -> dict[str, Any] | None:
        """Write down that a profile is about to be applied; None if that is what the history says already.

        before: by default nobody knows what was there.
        """
        data = profile.model_dump(mode="json", exclude_unset=True)
        data = {"name": profile.name, "scheme": profile.scheme, **data}
        data.pop("dscp", None)
        rulers = state_of(self.stack(port))
        if all(point in rulers and rulers[point].data == data for point in points):
            return None
        return self.begin(
            {
                "by": by,
                "port": port,
                "points": list(points),
                "profile": data,
                "before": list(before or [OTHER] * len(points)),
            }
        )

    def applied(self, by: str, applied: AppliedProfile) -> None:
        """Remember what was applied already, unless that is what the history says."""
        begun = self.begin_apply(by, applied.profile, applied.port, points_of(applied.dscp))
        if begun is not None:
            self.end(begun)


def _is_entry_of(entry: Entry, port: int, point: int | None) -> bool:
    from mecn_controller.policy.entries import DSCP_MASK, Exact, Ternary

    if entry.table != names.PORT_TABLE or entry.field("egress_port") != Exact(port):
        return False
    wanted = None if point is None else Ternary(point, DSCP_MASK)
    return entry.field("dscp") == wanted


def _stands(entries: Sequence[Entry], change: Change, point: int | None) -> bool:
    """Whether the switch has what a change applied."""
    return in_force(entries, Assignment(change.profile([point]), change.port))


async def apply_and_remember(
    session: ProfileWriter, history: History | None, profile: Profile, *, port: int, drain_s: float
) -> AppliedProfile:
    """`SwitchSession.apply_profile`, kept in the history."""
    if history is None:
        return await session.apply_profile(profile, port=port, drain_s=drain_s)
    entries = await session.read(names.AQM_TABLES)
    history.settle(entries, port)
    points = points_of(profile.dscp)
    begun = history.begin_apply("apply", profile, port, points, history.before(entries, port, points))
    try:
        applied = await session.apply_profile(profile, port=port, drain_s=drain_s)
    except ControllerError:
        await _settle_by_switch(session, history, port)
        raise
    if begun is not None:
        history.end(begun)
    return applied


async def _settle_by_switch(session: ProfileWriter, history: History, port: int) -> None:
    """After a failure: what was begun is ended by what the switch has, if it still answers."""
    with contextlib.suppress(ControllerError):
        history.settle(await session.read(names.AQM_TABLES), port)


@dataclass(frozen=True)
class Rollback:
    """What a rollback of a port would do."""

    port: int
    undone: tuple[Change, ...]
    to: int
    """Number of the last change that stays; 0: none."""
    applies: tuple[tuple[Change, tuple[int | None, ...]], ...]
    """Profiles to put back, and on which code points."""
    removes: tuple[int | None, ...]
    """Code points to leave without active queue management."""
    unknown: tuple[int | None, ...]
    """Of these, those of which nobody knows what was there before."""


def plan(history: History, port: int, to: int | None = None) -> Rollback:
    """Undo the last change of a port, or all after change `to` (0: all)."""
    stack = history.stack(port)
    if not stack:
        raise ControllerError(f"{history.path}: no change of port {port} to roll back")
    if to is not None and to != 0 and to not in {change.number for change in stack}:
        raise ControllerError(f"{history.path}: change {to} of port {port} is not in force (--list)")
    kept = stack[:-1] if to is None else [change for change in stack if change.number <= to]
    undone = stack[len(kept) :]
    if not undone:
        raise ControllerError(f"{history.path}: change {to} is the last of port {port}: nothing to roll back")
    now, then = state_of(stack), state_of(kept)
    groups: dict[int, tuple[Change, list[int | None]]] = {}
    removes: list[int | None] = []
    for point in now:
        if point not in then:
            removes.append(point)
        elif then[point] is not now[point]:
            groups.setdefault(then[point].number, (then[point], []))[1].append(point)
    first = {
        point: before
        for change in reversed(undone)
        for point, before in zip(change.points, change.before, strict=True)
    }
    return Rollback(
        port,
        tuple(undone),
        kept[-1].number if kept else 0,
        tuple((change, tuple(points)) for change, points in groups.values()),
        tuple(removes),
        tuple(point for point in removes if first[point] != NOTHING),
    )


def foreign(history: History, entries: Sequence[Entry], port: int) -> list[int | None]:
    """Code points of a port where the switch has not what the history says."""
    rulers = state_of(history.stack(port))
    return [point for point, change in rulers.items() if not _stands(entries, change, point)]


async def perform(session: SwitchSession, history: History, planned: Rollback, drain_s: float) -> None:
    """Do it as one act, all or nothing: profiles that are put back, and code points that are left without."""
    begun = history.begin({"by": "rollback", "port": planned.port, "to": planned.to})
    back = [Assignment(change.profile(points), planned.port) for change, points in planned.applies]

    def goes(entry: Entry) -> bool:
        return any(_is_entry_of(entry, planned.port, point) for point in planned.removes)

    try:
        await session.apply_profiles(back, drain_s=drain_s, remove=goes)
    except ControllerError:
        await _settle_by_switch(session, history, planned.port)
        raise
    history.end(begun)
