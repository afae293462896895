# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING

import pytest
from mecn_controller import Ecn, Mecn, names
from mecn_controller.errors import PipelineError
from mecn_controller.push import SwitchSession, apply_sync
from mecn_controller.reconcile import Assignment, Event, Keeper, in_force, reconcile

if TYPE_CHECKING:
    from collections.abc import Callable

    from mecn_controller.push import AppliedProfile
    from tests.fake_switch import FakeSwitch

MECN = Mecn(name="m", min_th=1, mid_th=2, max_th=4, max_p=0.1)
ECN = Ecn(name="e", min_th=1, max_th=4, max_p=0.1)
WANTED = (Assignment(MECN, 1), Assignment(ECN, 2), Assignment(MECN, 2, (46,)))


def once(switch: FakeSwitch) -> list[AppliedProfile]:
    async def run() -> list[AppliedProfile]:
        async with SwitchSession(switch.address) as session:
            await session.use_pipeline()
            return await reconcile(session, WANTED, drain_s=0)

    return asyncio.run(run())


def all_in_force(switch: FakeSwitch) -> bool:
    async def run() -> bool:
        async with SwitchSession(switch.address, election_id=None) as session:
            await session.use_pipeline()
            entries = await session.read(names.AQM_TABLES)
            return all(in_force(entries, each) for each in WANTED)

    return asyncio.run(run())


def test_the_second_time_nothing_is_written(loaded: FakeSwitch) -> None:
    assert [done.port for done in once(loaded)] == [1, 2, 2]
    loaded.writes.clear()
    assert once(loaded) == []
    assert loaded.writes == []


@pytest.mark.parametrize("table", [names.PORT_TABLE, names.MARKING_CURVE_TABLE, names.VERDICT_TABLE])
def test_an_entry_that_was_lost_comes_back(loaded: FakeSwitch, table: str) -> None:
    once(loaded)
    key = next(key for key, entry in loaded.entries.items() if loaded.table_name(entry) == table)
    del loaded.entries[key]
    assert not all_in_force(loaded)
    assert once(loaded) != []
    assert all_in_force(loaded)


def test_another_profile_on_the_port_is_replaced(loaded: FakeSwitch) -> None:
    once(loaded)
    apply_sync([(ECN, 1)], address=loaded.address, drain_s=0)
    assert [done.port for done in once(loaded)] == [1]


def keeper(switch: FakeSwitch, election_id: int, events: list[Event]) -> Keeper:
    return Keeper(
        address=switch.address,
        device_id=1,
        election_id=election_id,
        assignments=WANTED,
        check_s=0.05,
        retry_s=0.05,
        drain_s=0,
        report=events.append,
    )


async def until(condition: Callable[[], bool], within_s: float = 20.0) -> float:
    """How long it took, seconds."""
    begin = time.monotonic()
    async with asyncio.timeout(within_s):
        while not condition():
            await asyncio.sleep(0.01)
    return time.monotonic() - begin


async def stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def applied(events: list[Event]) -> int:
    return sum(event.what == "applied" for event in events)


def test_a_restarted_switch_is_set_up_again(loaded: FakeSwitch) -> None:
    async def run() -> None:
        events: list[Event] = []
        task = asyncio.create_task(keeper(loaded, 1, events).run())
        await until(lambda: applied(events) == 3)
        loaded.entries.clear()
        await until(lambda: applied(events) == 6)
        await stopped(task)

    asyncio.run(run())
    assert all_in_force(loaded)


def test_a_refused_write_is_tried_again(loaded: FakeSwitch) -> None:
    left = [3]

    def refuse(_update: object) -> str | None:
        left[0] -= 1
        return "no room" if left[0] >= 0 else None

    async def run() -> None:
        events: list[Event] = []
        loaded.refuse = refuse
        task = asyncio.create_task(keeper(loaded, 1, events).run())
        await until(lambda: applied(events) == 3)
        assert any(event.what == "lost" and "no room" in event.detail for event in events)
        await stopped(task)

    asyncio.run(run())
    assert all_in_force(loaded)


def test_the_backup_takes_over(loaded: FakeSwitch) -> None:
    async def run() -> None:
        first: list[Event] = []
        second: list[Event] = []
        primary = asyncio.create_task(keeper(loaded, 2, first).run())
        await until(lambda: applied(first) == 3)
        backup = asyncio.create_task(keeper(loaded, 1, second).run())
        await until(lambda: any(event.what == "standby" for event in second))
        assert not any(event.what == "primary" for event in second)
        await stopped(primary)
        loaded.entries.clear()
        await until(lambda: applied(second) == 3)
        await stopped(backup)

    asyncio.run(run())
    assert all_in_force(loaded)


def test_without_a_program_there_is_nothing_to_keep(switch: FakeSwitch) -> None:
    with pytest.raises(PipelineError):
        asyncio.run(keeper(switch, 1, []).run())
