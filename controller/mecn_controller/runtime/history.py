# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What was applied to a switch from this machine, on disk: one JSON object per line, one file per switch.

A change puts a profile on some code points of a port. The changes of a port are a stack: applying pushes,
rolling back pops. What others did to the switch is not in it.
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

LIMIT = 1000
"""Changes that are kept for a switch; older ones are forgotten."""

PROBE_BYTES = 1 << 16
"""Written before the switch is changed: where so much fits, a record does."""

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

    def check(self) -> None:
        """ControllerError if nothing can be written: better before the switch is changed than after."""
        with self._locked():
            probe = self.path.with_suffix(".probe")
            try:
                write_durably(probe, " " * PROBE_BYTES)
            finally:
                probe.unlink(missing_ok=True)

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

    def _append(self, record: dict[str, Any]) -> int:
        with self._locked():
            records = self._records()
            number = 1 + max((each["number"] for each in records), default=0)
            full = {"number": number, "time": time.time(), **record}
            kept = [*records[max(0, len(records) - LIMIT + 1) :], full]
            write_durably(self.path, "".join(json.dumps(each) + "\n" for each in kept))
        return number

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

    def applied(self, by: str, applied: AppliedProfile, before: tuple[str, ...] = ()) -> None:
        """Remember what was applied, unless that is what the history says already.

        before: by default nobody knows what was there.
        """
        data = applied.profile.model_dump(mode="json", exclude_unset=True)
        data = {"name": applied.profile.name, "scheme": applied.profile.scheme, **data}
        data.pop("dscp", None)
        points = points_of(applied.dscp)
        rulers = state_of(self.stack(applied.port))
        if all(point in rulers and rulers[point].data == data for point in points):
            return
        self._append(
            {
                "by": by,
                "port": applied.port,
                "points": points,
                "profile": data,
                "before": before or [OTHER] * len(points),
            }
        )

    def rolled_back(self, port: int, to: int) -> None:
        """The changes of a port after number `to` were undone."""
        self._append({"by": "rollback", "port": port, "to": to})


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
    session: SwitchSession, history: History | None, profile: Profile, *, port: int, drain_s: float
) -> AppliedProfile:
    """`SwitchSession.apply_profile`, kept in the history."""
    if history is None:
        return await session.apply_profile(profile, port=port, drain_s=drain_s)
    history.check()
    entries = await session.read(names.AQM_TABLES)
    before = history.before(entries, port, points_of(profile.dscp))
    applied = await session.apply_profile(profile, port=port, drain_s=drain_s)
    history.applied("apply", applied, before)
    return applied


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
    history.check()
    back = [Assignment(change.profile(points), planned.port) for change, points in planned.applies]

    def goes(entry: Entry) -> bool:
        return any(_is_entry_of(entry, planned.port, point) for point in planned.removes)

    await session.apply_profiles(back, drain_s=drain_s, remove=goes)
    history.rolled_back(planned.port, planned.to)
