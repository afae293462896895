# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The controller against each switch, with nothing in between."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from mecn_controller import Ecn, Mecn, load_profile, names
from mecn_controller.errors import ElectionError, PipelineError, UnreachableError, WriteError
from mecn_controller.policy.entries import SEGMENT_PRIORITY, Entry, Exact
from mecn_controller.runtime.keeper import Assignment, in_force
from mecn_controller.runtime.readback import read_counters
from mecn_controller.runtime.session import SwitchSession, apply_sync

if TYPE_CHECKING:
    from tests.command import FOLDER, mecn
    from tests.switches import Switch
else:
    from mecn_controller_command import FOLDER, mecn

PROFILES = sorted((FOLDER / "profiles").rglob("*.yaml"))

MECN = Mecn(name="m", min_th=1, mid_th=2, max_th=4, max_p=0.1)
ECN = Ecn(name="e", min_th=1, max_th=4, max_p=0.1)


def test_every_example_is_written_and_read_back(server: Switch) -> None:
    async def run() -> None:
        async with SwitchSession(server.address) as session:
            await session.use_pipeline()
            for path in PROFILES:
                profile = load_profile(path)
                done = await session.apply_profile(profile, port=2, drain_s=0)
                again = await session.apply_profile(profile, port=2, drain_s=0)
                assert (again.changed, again.profile_id, again.retired) == (False, done.profile_id, ())
                assert in_force(await session.read(names.AQM_TABLES), Assignment(profile, 2)), path

    asyncio.run(run())
    shown = mecn("diff", PROFILES[-1], "--port", "2", "--address", server.address)
    assert (shown.returncode, shown.stderr) == (0, "")


def test_all_tables_of_the_data_plane_are_known_by_their_names(bare: Switch) -> None:
    for name in (
        *names.ROUTE_TABLES,
        names.FORWARD,
        names.TO_CONTROLLER,
        names.UNROUTABLE,
        *names.AQM_TABLES,
        names.EARLY_DROP_STATS,
        names.MARKING_STATS,
    ):
        assert f'name: "{name}"' in bare.program.p4info


def test_a_swap_leaves_one_curve(server: Switch) -> None:
    async def run() -> None:
        async with SwitchSession(server.address) as session:
            await session.use_pipeline()
            for profile in (MECN, ECN, MECN):
                await session.apply_profile(profile, port=2, drain_s=0)
            entries = await session.read(names.AQM_TABLES)
            ids = {e.field("profile_id") for e in entries if e.table == names.MARKING_CURVE_TABLE}
            assert ids == {Exact(1)}
            assert sum(entry.table == names.PORT_TABLE for entry in entries) == 1
            assert (await read_counters(session, [2]))[2].passed == (0, 0)

    asyncio.run(run())


def test_a_full_table_leaves_everything_as_it_was(server: Switch) -> None:

    async def run() -> None:
        async with SwitchSession(server.address) as session:
            await session.use_pipeline()
            await session.apply_profile(ECN, port=2)
            # 2 segments of the profile and 4092 others leave room for 2 of the next profile's 3 segments.
            table, severe = names.ADMISSION_CURVE_TABLE, f"{names.ADMISSION_CURVE}.severe"
            others = [
                Entry(table, (("profile_id", Exact(1000 + n)),), severe, priority=SEGMENT_PRIORITY)
                for n in range(4092)
            ]
            await session.insert(others)
            before = set(await session.read(names.AQM_TABLES))
            with pytest.raises(WriteError, match=r"admission\.curve\.aqm_curve is full: 4096 entries"):
                await session.apply_profile(MECN, port=2)
            assert set(await session.read(names.AQM_TABLES)) == before

    asyncio.run(run())


def test_the_same_election_id_is_refused(server: Switch) -> None:
    async def run() -> None:
        async with SwitchSession(server.address, election_id=5):
            for election_id, message in (
                (5, "another controller holds election id 5"),
                (4, "ours, 4, is lower"),
            ):
                with pytest.raises(ElectionError, match=message):
                    async with SwitchSession(server.address, election_id=election_id):
                        pass
            where = ("--address", server.address)
            apply = ("apply", PROFILES[0], "--port", "2", "--election-id", "5")
            done = await asyncio.to_thread(mecn, *apply, *where)
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr.startswith(
                f"{server.address}: another controller holds election id 5 of device 1"
            )
            assert done.stderr.count("\n") == 1
            # Reading needs no election id.
            beside = await asyncio.to_thread(mecn, "show", *where)
            assert beside.stdout == f"{server.address}: no active queue management\n"

    asyncio.run(run())


def test_no_program_yet(bare: Switch) -> None:
    with pytest.raises(PipelineError, match="the switch runs no program yet"):
        apply_sync([(MECN, 2)], address=bare.address)


def test_a_program_that_the_switch_refuses(bare: Switch) -> None:
    """BMv2 JSON with all tables, which name actions that are not there."""
    document = json.loads(bare.program.bmv2_json)
    document["actions"] = []
    config = json.dumps(document)
    with pytest.raises(PipelineError) as caught:
        apply_sync([], address=bare.address, p4info_text=bare.program.p4info, bmv2_json=config)
    assert str(caught.value).startswith(f"{bare.address}: the switch refused the program: ")
    assert "\n" not in str(caught.value)


def test_the_switch_goes_away(server: Switch) -> None:
    address = server.address

    async def run() -> None:
        async with SwitchSession(address) as session:
            await session.use_pipeline()
            await asyncio.to_thread(server.stop)
            with pytest.raises(UnreachableError, match="the switch went away"):
                await session.apply_profile(MECN, port=2)

    asyncio.run(run())
    with pytest.raises(UnreachableError, match="cannot reach the switch: connection refused"):
        apply_sync([(MECN, 2)], address=address)
