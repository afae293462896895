# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The rules of section 5 without a network."""

import pytest
from finsy.proto import rpc_code
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from hypothesis.strategies import integers, none, one_of
from mecn_switch.arbitration import Election, Notice
from mecn_switch.status import StatusError


def told(notices: list[Notice]) -> list[tuple[object, int | None, int]]:
    return [(notice.session, notice.election_id, notice.code) for notice in notices]


def test_first_controller_becomes_primary() -> None:
    election = Election()
    assert told(election.update("a", 5)) == [("a", 5, rpc_code.OK)]
    election.check_primary(5)


def test_higher_id_takes_over_and_backups_hear_first() -> None:
    election = Election()
    election.update("a", 5)
    assert told(election.update("b", 6)) == [("a", 6, rpc_code.ALREADY_EXISTS), ("b", 6, rpc_code.OK)]
    with pytest.raises(StatusError, match="not that of the primary"):
        election.check_primary(5)


def test_lower_id_is_backup_and_only_it_is_told() -> None:
    election = Election()
    election.update("a", 5)
    assert told(election.update("b", 4)) == [("b", 5, rpc_code.ALREADY_EXISTS)]


def test_same_id_is_refused() -> None:
    election = Election()
    election.update("a", 5)
    with pytest.raises(StatusError, match="election id 5 is already used") as caught:
        election.update("b", 5)
    assert caught.value.code == rpc_code.INVALID_ARGUMENT
    election.check_primary(5)


def test_no_backup_moves_up_by_itself() -> None:
    election = Election()
    election.update("a", 5)
    election.update("b", 4)
    assert told(election.leave("a")) == [("b", 5, rpc_code.NOT_FOUND)]
    assert told(election.update("b", 4)) == [("b", 5, rpc_code.NOT_FOUND)]
    assert told(election.update("b", 5)) == [("b", 5, rpc_code.OK)]


def test_primary_can_step_down() -> None:
    election = Election()
    election.update("a", 5)
    election.update("b", 3)
    notices = told(election.update("a", 4))
    assert sorted(notices, key=str) == [("a", 5, rpc_code.NOT_FOUND), ("b", 5, rpc_code.NOT_FOUND)]
    with pytest.raises(StatusError, match="no controller is primary") as caught:
        election.check_primary(4)
    assert caught.value.code == rpc_code.PERMISSION_DENIED


def test_no_election_id_is_a_backup() -> None:
    election = Election()
    assert told(election.update("a", None)) == [("a", None, rpc_code.NOT_FOUND)]
    assert told(election.update("b", 0)) == [("a", 0, rpc_code.ALREADY_EXISTS), ("b", 0, rpc_code.OK)]


def test_limit() -> None:
    election = Election(max_sessions=2)
    election.update("a", 1)
    election.update("b", 2)
    with pytest.raises(StatusError, match="2 controllers") as caught:
        election.update("c", 3)
    assert caught.value.code == rpc_code.RESOURCE_EXHAUSTED


class ElectionMachine(RuleBasedStateMachine):
    """Any order of events: the primary is the live controller with the highest id ever seen, if it lives."""

    def __init__(self) -> None:
        super().__init__()
        self.election = Election()
        self.live: dict[int, int | None] = {}
        self.highest: int | None = None

    @rule(session=integers(0, 4), election_id=one_of(none(), integers(0, 6)))
    def update(self, session: int, election_id: int | None) -> None:
        taken = election_id is not None and any(
            id == election_id for other, id in self.live.items() if other != session
        )
        try:
            self.election.update(session, election_id)
            assert not taken
        except StatusError:
            assert taken
            return
        self.live[session] = election_id
        if election_id is not None:
            self.highest = election_id if self.highest is None else max(self.highest, election_id)

    @rule(session=integers(0, 4))
    def leave(self, session: int) -> None:
        self.election.leave(session)
        self.live.pop(session, None)

    @invariant()
    def primary_has_highest_id(self) -> None:
        for session, election_id in self.live.items():
            expected = election_id is not None and election_id == self.highest
            assert self.election.is_primary(session) == expected


TestElection = ElectionMachine.TestCase
