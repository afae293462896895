# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Every way in which applying can fail, injected: the switch ends as it was, or the keeper brings it about
later."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

import pytest
from mecn_controller import Ecn, Mecn, names
from mecn_controller.errors import ControllerError, PipelineError, SwitchError
from mecn_controller.reports import FIELDS
from mecn_controller.runtime.keeper import Event, Keeper, in_force
from mecn_controller.runtime.session import SwitchSession
from mecn_controller.runtime.writer import Assignment
from mecn_controller.theory.adaptation import AdaptiveEcn, Rule, Steerable

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.meddler import Meddler

MECN = Mecn(name="m", min_th=1, mid_th=2, max_th=4, max_p=0.1)
ECN = Ecn(name="e", min_th=1, max_th=4, max_p=0.1)
AECN = Ecn(
    name="a",
    min_th=5,
    max_th=30,
    max_p=0.1,
    rtt_class_bounds_ms=(80.0, 220.0),
    rtt_class_max_p=(0.1, 0.1, 0.1),
    report_period_ms=500,
)
WANTED = (Assignment(MECN, 1), Assignment(ECN, 2), Assignment(MECN, 2, (46,)))


async def stands(switch: Meddler, assignments: tuple[Assignment, ...] = WANTED) -> bool:
    async with SwitchSession(switch.address, election_id=None) as session:
        await session.use_pipeline()
        entries = await session.read(names.AQM_TABLES)
        return all(in_force(entries, each) for each in assignments)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.01)


def with_keeper(switch: Meddler, steps: Callable[[list[Event]], object], **settings: object) -> list[Event]:
    """Runs a keeper while `steps` (a coroutine function) injects failures; what it told."""
    events: list[Event] = []

    async def run() -> None:
        defaults: dict[str, object] = {
            "assignments": WANTED,
            "check_s": 0.05,
            "retry_s": 0.02,
            "drain_s": 0.0,
        }
        keeper = Keeper(
            address=switch.address,
            device_id=1,
            election_id=1,
            report=events.append,
            **{**defaults, **settings},  # type: ignore[arg-type]
        )
        task = asyncio.create_task(keeper.run())
        try:
            await steps(events)  # type: ignore[misc]
            assert not task.done()
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    asyncio.run(run())
    return events


def applied(events: list[Event]) -> int:
    return sum(event.what == "applied" for event in events)


@pytest.mark.parametrize("write", [1, 2], ids=["curves", "ports"])
def test_the_connection_is_cut_at_any_write(loaded: Meddler, write: int) -> None:
    left = [write]

    def cut() -> None:
        left[0] -= 1
        if left[0] == 0:
            loaded.cut()

    async def steps(events: list[Event]) -> None:
        await until(lambda: applied(events) >= 3)
        loaded.before_write = cut
        loaded.delete(loaded.entries(*names.PROFILE_TABLES))
        # Told as lost connection, or as refused write, by which comes first.
        await until(lambda: sum(event.what == "primary" for event in events) == 2)
        async with asyncio.timeout(30):
            while not await stands(loaded):
                await asyncio.sleep(0.02)

    with_keeper(loaded, steps)


@pytest.mark.parametrize("refused", [1, 3, 5])
def test_a_partial_batch_leaves_nothing_behind(loaded: Meddler, refused: int) -> None:
    """BMv2 goes on after an error (CONTINUE_ON_ERROR): some of a batch is written, some is not."""

    async def run() -> None:
        async with SwitchSession(loaded.address) as session:
            await session.use_pipeline()
            await session.apply_profiles([Assignment(ECN, port) for port in range(8)], drain_s=0)
            before = loaded.snapshot()
            seen = [0]

            def every_so_many(update: object) -> str | None:
                del update
                seen[0] += 1
                return "no" if seen[0] % 7 == refused and seen[0] < 12 else None

            loaded.refuse = every_so_many
            with pytest.raises(SwitchError, match="no"):
                await session.apply_profiles([Assignment(MECN, port) for port in range(8)], drain_s=0)
            assert loaded.snapshot() == before

    asyncio.run(run())


def test_permission_is_denied_while_another_is_in_charge(loaded: Meddler) -> None:
    async def steps(events: list[Event]) -> None:
        await until(lambda: applied(events) == 3)
        async with SwitchSession(loaded.address, election_id=9) as usurper:
            await usurper.use_pipeline()
            await usurper.apply_profile(ECN.replace(max_p=0.3), port=1, drain_s=0)
            await until(lambda: any(event.what == "standby" for event in events))
            assert not await stands(loaded)
        async with asyncio.timeout(30):
            while not await stands(loaded):
                await asyncio.sleep(0.02)

    told = [event.what for event in with_keeper(loaded, steps)]
    assert told.index("standby") < len(told) - 1 - told[::-1].index("primary")


def test_another_program_is_loaded_meanwhile(loaded: Meddler) -> None:
    async def run() -> None:
        keeper = Keeper(
            address=loaded.address, device_id=1, election_id=1, assignments=WANTED, check_s=0.05, drain_s=0
        )
        task = asyncio.create_task(keeper.run())
        while not await stands(loaded):
            await asyncio.sleep(0.02)
        loaded.load(loaded.behind.program.without(names.PORT_TABLE))
        async with asyncio.timeout(30):
            with pytest.raises(PipelineError, match=f"has no table {names.PORT_TABLE}"):
                await task
        assert loaded.entries(names.MARKING_CURVE_TABLE) == []

    asyncio.run(run())


def test_a_keeper_with_a_program_puts_it_back(loaded: Meddler) -> None:
    program = loaded.behind.program

    async def steps(events: list[Event]) -> None:
        await until(lambda: applied(events) == 3)
        loaded.load(program.without(names.PORT_TABLE))
        await until(lambda: applied(events) == 6)
        assert await stands(loaded)

    with_keeper(loaded, steps, program=(program.p4info, program.bmv2_json))


def test_a_slow_switch_is_given_up_and_tried_again(loaded: Meddler) -> None:
    async def steps(events: list[Event]) -> None:
        loaded.delay_s = 1.0
        await until(lambda: any("no answer within 0.3 s" in event.detail for event in events))
        loaded.delay_s = 0.0
        async with asyncio.timeout(30):
            while not await stands(loaded):
                await asyncio.sleep(0.02)

    with_keeper(loaded, steps, timeout_s=0.3)


def fields(end_us: int, flows: int, average: float) -> dict[str, int]:
    values = dict.fromkeys(FIELDS, 0)
    values |= {"port": 1, "begin": end_us - 500_000, "end": end_us, "avg_qdepth": int(average * 65536)}
    return values | {f"active_{number}": flows for number in (1, 2, 3)}


def make(profile: Steerable) -> Rule:
    return AdaptiveEcn(profile, 1250, (0.02, 0.1, 0.3))


@pytest.mark.parametrize("jump_s", [3600.0, -3600.0, 0.0], ids=["forward", "back", "none"])
def test_reports_steer_whatever_the_clock_does(loaded: Meddler, jump_s: float) -> None:
    """Reports become curves on the switch, and a controller that starts anew goes on from them."""
    offset = [0.0]
    adaptive = (Assignment(AECN, 1),)
    settings: dict[str, object] = {
        "assignments": adaptive,
        "rules": [make],
        "clock": lambda: time.monotonic() + offset[0],
        "drain_s": 0.2,
    }

    def curves() -> int:
        return len(loaded.entries(names.MARKING_CURVE_TABLE))

    async def steps(events: list[Event]) -> None:
        await until(lambda: applied(events) == 1)
        await asyncio.sleep(0.2)
        loaded.send_report(fields(500_000, 10, 17.5))
        await until(lambda: sum(event.what == "adapted" for event in events) == 1)
        offset[0] = jump_s
        await asyncio.sleep(0.5)
        loaded.send_report(fields(1_000_000, 40, 17.5))
        loaded.send_report(fields(1_500_000, 40, 17.5))
        await until(lambda: sum(event.what == "adapted" for event in events) == 2)
        assert applied(events) == 1  # what was steered is not set back
        await until(lambda: curves() == 8)  # those out of use are deleted
        assert not await stands(loaded, adaptive)

    first = with_keeper(loaded, steps, **settings)
    steered = first[-1].detail
    assert steered.startswith("port 1: max_p ")
    before = loaded.snapshot()

    async def again(events: list[Event]) -> None:
        await until(lambda: any(event.what == "primary" for event in events))
        await asyncio.sleep(0.4)

    second = with_keeper(loaded, again, **settings)
    assert [event.what for event in second] == ["primary"]
    assert loaded.snapshot() == before


def test_the_stream_ends_between_two_checks(loaded: Meddler) -> None:
    """It is noticed at once, not at the next check."""

    async def steps(events: list[Event]) -> None:
        await until(lambda: applied(events) == 3)
        await asyncio.sleep(0.2)
        loaded.cut()
        await until(lambda: sum(event.what == "primary" for event in events) == 2)

    with_keeper(loaded, steps, check_s=3600.0)


def test_an_error_while_undoing_is_told_with_its_cause(loaded: Meddler) -> None:
    async def run() -> None:
        async with SwitchSession(loaded.address) as session:
            await session.use_pipeline()
            await session.apply_profile(ECN, port=1, drain_s=0)
            loaded.refuse = lambda update: "no" if update[0] != "INSERT" else None
            with pytest.raises(ControllerError, match="setting the tables back failed too"):
                await session.apply_profile(MECN, port=1, drain_s=0)

    asyncio.run(run())
