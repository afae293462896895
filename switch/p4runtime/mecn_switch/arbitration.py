# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Who is primary: client arbitration of one device and role (section 5).

No input or output here: sessions are opaque keys, and what must be told to whom is returned as notices, in
the order in which they must be sent.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field

from finsy.proto import p4r, rpc_code

from .budgets import LASTING_ELECTION_IDS
from .status import StatusError, invalid_argument


def election_id_of(message: p4r.Uint128) -> int:
    """A 128-bit election id as one integer."""
    return message.high << 64 | message.low


@dataclass(frozen=True)
class Notice:
    """What one controller is told: the highest election id so far, and where this leaves it.

    `code` is OK for the primary, ALREADY_EXISTS for a backup beside a primary, NOT_FOUND if there is no
    primary.
    """

    session: Hashable
    election_id: int | None
    code: rpc_code.Code.ValueType
    message: str


@dataclass
class Election:
    """The controllers that are connected, and the one among them that may write."""

    max_sessions: int = 32
    _sessions: dict[Hashable, int | None] = field(default_factory=dict)
    _primary: Hashable | None = None
    _highest: int | None = None

    def update(self, session: Hashable, election_id: int | None) -> list[Notice]:
        """A controller states its election id, first or anew; None: it only wants to be a backup.

        Raises INVALID_ARGUMENT if another connected controller has this id, RESOURCE_EXHAUSTED if there are
        too many.
        """
        if self.is_taken(session, election_id):
            raise invalid_argument(f"election id {election_id} is already used by another controller")
        if session not in self._sessions and len(self._sessions) >= self.max_sessions:
            raise StatusError(
                rpc_code.RESOURCE_EXHAUSTED, f"there are already {self.max_sessions} controllers connected"
            )
        self._sessions[session] = election_id
        if election_id is not None and (self._highest is None or election_id >= self._highest):
            self._primary = session
            self._highest = election_id
            return self._tell_all()
        if self._primary == session:
            self._primary = None
            return self._tell_all()
        return [self._notice(session)]

    def is_taken(self, session: Hashable, election_id: int | None) -> bool:
        """Whether another connected controller has this id."""
        others = (id for other, id in self._sessions.items() if other != session)
        return election_id is not None and election_id in others

    def leave(self, session: Hashable) -> list[Notice]:
        """A controller has gone. No backup moves up by itself: it must ask, with a high enough id."""
        if session not in self._sessions:
            return []
        del self._sessions[session]
        if self._highest is not None and self._highest >= LASTING_ELECTION_IDS:
            self._highest = max((id for id in self._sessions.values() if id is not None), default=None)
        if self._primary != session:
            return []
        self._primary = None
        return self._tell_all()

    def check_primary(self, election_id: int | None) -> None:
        """Raises PERMISSION_DENIED unless `election_id` is that of the connected primary."""
        if self._primary is None:
            raise StatusError(rpc_code.PERMISSION_DENIED, "no controller is primary")
        if election_id is None:
            raise StatusError(
                rpc_code.PERMISSION_DENIED, "the request has no election id; only the primary may write"
            )
        if election_id != self._sessions[self._primary]:
            raise StatusError(
                rpc_code.PERMISSION_DENIED, f"election id {election_id} is not that of the primary controller"
            )

    @property
    def is_deserted(self) -> bool:
        """Whether no controller is connected."""
        return not self._sessions

    @property
    def primary(self) -> Hashable | None:
        """The controller that may write, if there is one."""
        return self._primary

    def is_primary(self, session: Hashable) -> bool:
        """Whether this controller is the primary."""
        return self._primary is not None and self._primary == session

    def _notice(self, session: Hashable) -> Notice:
        if self._primary is None:
            return Notice(session, self._highest, rpc_code.NOT_FOUND, "there is no primary controller")
        if session == self._primary:
            return Notice(session, self._highest, rpc_code.OK, "you are the primary controller")
        return Notice(session, self._highest, rpc_code.ALREADY_EXISTS, "another controller is primary")

    def _tell_all(self) -> list[Notice]:
        """Backups first, then the primary, so that nobody believes to be primary beside a new one."""
        return [self._notice(session) for session in sorted(self._sessions, key=self.is_primary)]
