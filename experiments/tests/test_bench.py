# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A sweep survives a switch that does not answer in time."""

import pytest
from mecn_controller.errors import UnreachableError, WriteError
from mecn_controller.policy.profile import parse_profile
from mecn_controller.runtime.session import SwitchSession
from mecn_experiments import bench as module
from mecn_experiments.bench import Bench, Push
from mecn_experiments.errors import ExperimentError
from mecn_experiments.program import P4_PROGRAM, compile_program
from mecn_topo import address_plan, builtin

TOPOLOGY = builtin("003", 1).topology
PUSH = Push("R1", 1, parse_profile({"name": "plain", "scheme": "drop-tail"}, "plain"))


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[Exception]:
    """Errors that the next writes of a profile end with, first to last; pauses are short."""
    errors: list[Exception] = []
    apply = SwitchSession.apply_profile

    async def fail(session: SwitchSession, *arguments: object, **named: object) -> object:
        if errors:
            raise errors.pop(0)
        return await apply(session, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(SwitchSession, "apply_profile", fail)
    monkeypatch.setattr(module, "PAUSES_S", (0.01, 0.02))
    return errors


def late() -> UnreachableError:
    return UnreachableError("127.0.0.1:1", "the switch did not answer in time: write")


def test_a_slow_moment_is_survived(failing: list[Exception]) -> None:
    failing += [late(), late()]
    notes: list[str] = []
    with Bench(compile_program(P4_PROGRAM), notes.append) as bench:
        switches = bench.switches(address_plan(TOPOLOGY).routes, [PUSH])
    assert set(switches) == {"R1", "R2"}
    assert [note.rpartition("; ")[2] for note in notes] == [
        "fresh switches are set up in 0.01 s",
        "fresh switches are set up in 0.02 s",
    ]
    assert all("did not answer in time" in note for note in notes)


def test_what_lasts_is_told(failing: list[Exception]) -> None:
    failing += [late()] * 3
    notes: list[str] = []
    with (
        Bench(compile_program(P4_PROGRAM), notes.append) as bench,
        pytest.raises(ExperimentError, match="did not answer in time"),
    ):
        bench.switches(address_plan(TOPOLOGY).routes, [PUSH])
    assert len(notes) == 2


def test_a_refusal_is_told_at_once(failing: list[Exception]) -> None:
    failing += [WriteError("127.0.0.1:1", "no")]
    notes: list[str] = []
    with (
        Bench(compile_program(P4_PROGRAM), notes.append) as bench,
        pytest.raises(ExperimentError, match="could not set up the switch"),
    ):
        bench.switches(address_plan(TOPOLOGY).routes, [PUSH])
    assert notes == []
