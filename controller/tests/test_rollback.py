# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The history of applied profiles, and going back in it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from mecn_controller import Ecn, Mecn, Profile, names
from mecn_controller.commands import policies
from mecn_controller.commands.rollback import rollback
from mecn_controller.errors import ControllerError
from mecn_controller.runtime import history as history_module
from mecn_controller.runtime.history import History, plan, state_of
from mecn_controller.runtime.keeper import Assignment, in_force
from mecn_controller.runtime.session import AppliedProfile, SwitchSession, apply_sync

if TYPE_CHECKING:
    from tests.meddler import Meddler, Update

FIRST = Mecn(name="first", min_th=1, mid_th=2, max_th=4, max_p=0.1)
SECOND = Ecn(name="second", min_th=1, max_th=4, max_p=0.2)
THIRD = Ecn(name="third", min_th=2, max_th=8, max_p=0.3, dscp=(46,))


class Machine:
    """Runs the commands for one switch and looks at what it has."""

    def __init__(self, switch: Meddler, folder: Path) -> None:
        self.switch = switch
        self.folder = folder
        self.where = ["--address", switch.address, "--state-dir", str(folder / "state")]
        self.history = History(folder / "state", switch.address, 1)

    def apply(self, profile: Profile, port: int = 3) -> None:
        path = self.folder / "profile.yaml"
        data = {**profile.model_dump(mode="json", exclude_unset=True), "scheme": profile.scheme}
        path.write_text("".join(f"{key}: {value}\n" for key, value in data.items() if value is not None))
        done = self._run(policies.apply, [str(path), "--port", str(port), "--drain", "0"])
        assert done.exit_code == 0, done.output

    def rollback(self, *args: str, port: int = 3) -> Result:
        return self._run(rollback, ["--port", str(port), *args])

    def _run(self, command: object, args: list[str]) -> Result:
        drain = [] if "--list" in args or "--drain" in args else ["--drain", "0"]
        return CliRunner().invoke(command, [*args, *drain, *self.where])  # type: ignore[arg-type]

    def has(self, profile: Profile, port: int = 3) -> bool:
        async def run() -> bool:
            async with SwitchSession(self.switch.address, election_id=None) as session:
                await session.use_pipeline()
                return in_force(await session.read(names.AQM_TABLES), Assignment(profile, port))

        return asyncio.run(run())

    def tables(self) -> set[str]:
        return {entry.table for entry in self.switch.entries()}


@pytest.fixture
def machine(loaded: Meddler, tmp_path: Path) -> Machine:
    return Machine(loaded, tmp_path)


def test_back_step_by_step_to_nothing(machine: Machine) -> None:
    for profile in (FIRST, SECOND, FIRST):
        machine.apply(profile)
    done = machine.rollback()
    assert (done.exit_code, done.output) == (
        0,
        f"{machine.switch.address}: port 3, DSCP any: second (change 2) is in force again\n",
    )
    assert machine.has(SECOND)
    assert machine.rollback().exit_code == 0
    assert machine.has(FIRST)
    # A change after a rollback goes on from there.
    machine.apply(SECOND)
    assert machine.rollback().exit_code == 0
    assert machine.has(FIRST)
    last = machine.rollback()
    assert last.output.endswith("DSCP any: no active queue management, as before\n")
    assert machine.tables() <= {names.ADMISSION_TABLE, names.VERDICT_TABLE}
    empty = machine.rollback()
    assert isinstance(empty.exception, ControllerError)
    assert "no change of port 3 to roll back" in str(empty.exception)


def test_code_points_go_back_each_to_its_own(machine: Machine) -> None:
    machine.apply(FIRST)
    machine.apply(THIRD)
    machine.apply(THIRD.replace(dscp=(10, 46), max_p=0.5))
    assert machine.rollback().exit_code == 0
    assert machine.has(THIRD)
    assert machine.has(FIRST)
    assert not machine.has(THIRD.replace(dscp=(10,), max_p=0.5))
    assert set(state_of(machine.history.stack(3))) == {None, 46}


def test_several_profiles_and_a_removal_are_one_act(machine: Machine) -> None:
    """Whatever update the switch refuses, it ends as it was, and so does the history; then it succeeds."""
    machine.apply(FIRST)
    machine.apply(THIRD)
    for number, profile in enumerate(
        (SECOND, THIRD.replace(max_p=0.5), THIRD.replace(dscp=(10,), max_p=0.7))
    ):
        machine.apply(profile)
        assert len(machine.history.stack(3)) == 3 + number
    switch, before = machine.switch, machine.switch.snapshot()
    refused: list[Update] = []
    kept = [change.number for change in machine.history.stack(3)]
    for number in range(1, 100):
        updates: list[Update] = []

        def refuse(update: Update, at: int = number, seen: list[Update] = updates) -> str | None:
            seen.append(update)
            return "no" if len(seen) == at else None

        switch.refuse = refuse
        done = machine.rollback("--to", "2")
        if done.exit_code == 0:
            break
        refused.append(updates[number - 1])
        assert isinstance(done.exception, ControllerError)
        assert "no" in str(done.exception)
        assert switch.snapshot() == before
        assert [change.number for change in machine.history.stack(3)] == kept
    # The curves of two profiles, the flips of two ports, the entry that goes, and three curves out of use.
    assert {kind for kind, _, _ in refused} == {"INSERT", "MODIFY", "DELETE"}
    assert [(kind, table) for kind, table, _ in refused if table == names.PORT_TABLE] == [
        ("MODIFY", names.PORT_TABLE),
        ("MODIFY", names.PORT_TABLE),
        ("DELETE", names.PORT_TABLE),
    ]
    assert machine.has(FIRST)
    assert machine.has(THIRD)
    assert not machine.has(THIRD.replace(dscp=(10,), max_p=0.7))
    assert [change.number for change in machine.history.stack(3)] == [1, 2]


def test_other_ports_are_not_touched(machine: Machine) -> None:
    machine.apply(FIRST)
    machine.apply(SECOND, port=4)
    machine.apply(SECOND)
    assert machine.rollback().exit_code == 0
    assert machine.has(FIRST)
    assert machine.has(SECOND, port=4)


def test_to_a_change(machine: Machine) -> None:
    for profile in (FIRST, SECOND, THIRD.replace(dscp="any"), SECOND):
        machine.apply(profile)
    listed = machine.rollback("--list").output
    assert [line.split()[0] for line in listed.splitlines()] == ["change", "1", "2", "3", "4"]
    assert machine.rollback("--to", "1").exit_code == 0
    assert machine.has(FIRST)
    failed = machine.rollback("--to", "3")
    assert "change 3 of port 3 is not in force" in str(failed.exception)


@pytest.mark.parametrize("force", [False, True])
def test_a_switch_that_someone_else_changed(machine: Machine, force: bool) -> None:
    machine.apply(FIRST)
    machine.apply(SECOND)
    other = SECOND.replace(max_p=0.9)
    apply_sync([(other, 3)], address=machine.switch.address, drain_s=0)
    before = machine.switch.snapshot()
    done = machine.rollback(*(["--force"] if force else []))
    if force:
        assert done.exit_code == 0
        assert machine.has(FIRST)
    else:
        assert done.exit_code == 1
        assert "has been changed by someone else since change 2; nothing was done" in done.output
        assert machine.switch.snapshot() == before


def test_what_was_there_before_is_not_known(machine: Machine) -> None:
    apply_sync([(SECOND, 3)], address=machine.switch.address, drain_s=0)
    machine.apply(FIRST)
    done = machine.rollback()
    assert done.exit_code == 1
    assert "was not applied from here and is not known; nothing was done" in done.output
    assert machine.has(FIRST)
    assert machine.rollback("--force").exit_code == 0
    assert names.PORT_TABLE not in machine.tables()


def test_the_same_again_is_no_change(machine: Machine) -> None:
    machine.apply(FIRST)
    machine.apply(FIRST)
    assert [change.number for change in machine.history.stack(3)] == [1]


def test_nothing_is_applied_that_cannot_be_remembered(machine: Machine) -> None:
    (machine.folder / "state").write_text("a file, not a folder")
    path = machine.folder / "p.yaml"
    path.write_text("name: a\nscheme: drop-tail\n")
    done = CliRunner().invoke(policies.apply, [str(path), "--port", "3", *machine.where])
    assert isinstance(done.exception, ControllerError)
    assert "--no-history" in str(done.exception)
    assert machine.switch.writes == []


@pytest.mark.parametrize("changed", [False, True])
def test_a_change_that_a_kill_cut_off_is_settled_by_the_switch(machine: Machine, changed: bool) -> None:
    """As after a kill between the record and the change, or between the change and its completion."""
    history = machine.history
    machine.apply(FIRST)
    if changed:
        machine.apply(SECOND)
        text = history.path.read_text()
        history.path.write_text(text[:-2] + ', "begun": true}\n')
    else:
        history.begin_apply("apply", SECOND, 3, [None], ["recorded"])
    assert [change.begun for change in history.stack(3)] == [False, True]
    assert "not known" in machine.rollback("--list").output
    machine.apply(SECOND.replace(max_p=0.7))
    stack = history.stack(3)
    assert [change.number for change in stack] == ([1, 2, 3] if changed else [1, 2])
    assert not any(change.begun for change in stack)


@pytest.mark.parametrize("changed", [False, True])
def test_a_rollback_that_a_kill_cut_off_is_settled_by_the_switch(machine: Machine, changed: bool) -> None:
    history = machine.history
    machine.apply(FIRST)
    machine.apply(SECOND)
    if changed:
        assert machine.rollback().exit_code == 0
        text = history.path.read_text()
        history.path.write_text(text[:-2] + ', "begun": true}\n')
    else:
        history.begin({"by": "rollback", "port": 3, "to": 1})
    assert len(history.stack(3)) == 2
    assert machine.rollback().exit_code == 0
    assert machine.has(FIRST) is not changed
    assert len(history.stack(3)) == (0 if changed else 1)


def applied(number: int) -> AppliedProfile:
    profile = SECOND.replace(max_p=(number % 900 + 1) / 1000)
    return AppliedProfile(profile, number % 2, None, 1, (), True, ())


def test_the_file_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_module, "LIMIT", 20)
    history = History(tmp_path, "127.0.0.1:1", 1)
    for number in range(50):
        history.applied("apply", applied(number))
    assert len(history.path.read_text().splitlines()) == 20
    assert [change.number for change in history.stack(1)] == list(range(32, 51, 2))
    assert plan(history, 1).to == 48


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    history = History(tmp_path, "127.0.0.1:1", 1)
    history.applied("apply", applied(0))
    with history.path.open("a") as file:
        file.write('{"number": \n')
    with pytest.raises(ControllerError, match=r"jsonl:2: is not a record of the history"):
        history.stack(0)
