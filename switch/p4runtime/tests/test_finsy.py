# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A stock client, finsy: what a controller author would write."""

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import finsy as fy
import pytest
from google.protobuf import text_format
from mecn_switch import P4RuntimeServer

from . import program
from .compiled import compiled


@pytest.fixture
def options(tmp_path: Path) -> fy.SwitchOptions:
    info, pipeline = tmp_path / "probe.p4info.txtpb", tmp_path / "probe.json"
    info.write_text(text_format.MessageToString(program.p4info()))
    pipeline.write_text(json.dumps(program.bmv2_json()))
    return fy.SwitchOptions(p4info=info, p4blob=pipeline)


Entity = TypeVar("Entity", fy.P4TableEntry, fy.P4CounterEntry, fy.P4DirectCounterEntry)


async def read(switch: fy.Switch, query: Entity) -> list[Entity]:
    # finsy declares `read` as a coroutine; it is an asynchronous generator.
    found: AsyncIterator[Entity] = switch.read(query)  # type: ignore[assignment]
    return [entity async for entity in found]


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, timeout=20))


def forward(prefix: str, port: int) -> fy.P4TableEntry:
    return fy.P4TableEntry("route", match=fy.Match(addr=prefix), action=fy.Action("forward", port=port))


def test_write_and_read(server: P4RuntimeServer, options: fy.SwitchOptions) -> None:
    async def work() -> None:
        async with fy.Switch("s1", server.address, options) as switch:
            assert switch.is_primary
            entries = [
                forward("10.0.0.0/8", 3),
                fy.P4TableEntry(
                    "classify",
                    match=fy.Match(kind=7, port=(0x1200, 0xFF00), mark=(5, 9)),
                    action=fy.Action("set_mark", mark=2),
                    priority=4,
                ),
                fy.P4TableEntry(
                    "choose", match=fy.Match(kind=7), action=fy.Action("set_mark", mark=2), priority=4
                ),
            ]
            await switch.write(+entry for entry in entries)
            found = await read(switch, fy.P4TableEntry())
            written = [entry.encode(switch.p4info).table_entry for entry in entries]
            assert [entry.encode(switch.p4info).table_entry for entry in found][:3] == written
            await switch.write([~forward("10.0.0.0/8", 4)])
            [changed] = await read(switch, fy.P4TableEntry("route"))
            assert changed.action == forward("10.0.0.0/8", 4).action
            await switch.write([-forward("10.0.0.0/8", 4)])
            assert await read(switch, fy.P4TableEntry("route")) == []

    run(work())


def test_errors_reach_the_client(server: P4RuntimeServer, options: fy.SwitchOptions) -> None:
    async def work() -> None:
        async with fy.Switch("s1", server.address, options) as switch:
            await switch.insert([forward("10.0.0.0/8", 3)])
            with pytest.raises(fy.P4ClientError) as caught:
                await switch.insert([forward("11.0.0.0/8", 3), forward("10.0.0.0/8", 3)])
            assert caught.value.code == fy.GRPCStatusCode.UNKNOWN
            [detail] = caught.value.details.values()
            assert detail.canonical_code == fy.GRPCStatusCode.ALREADY_EXISTS
            assert "Ingress.route" in detail.message

    run(work())


def test_counters(server: P4RuntimeServer, options: fy.SwitchOptions) -> None:
    async def work() -> None:
        async with fy.Switch("s1", server.address, options) as switch:
            await switch.insert([forward("10.0.0.0/8", 3)])
            for _ in range(3):
                server.switch.process(0, program.frame(kind=0xF0, addr=0x0A000001))
            [cell] = await read(switch, fy.P4CounterEntry("seen", index=6))
            assert cell.packet_count == 3
            assert len(await read(switch, fy.P4CounterEntry("seen"))) == 8
            [direct] = await read(switch, fy.P4DirectCounterEntry("route_stats"))
            assert direct.packet_count == 3

    run(work())


def test_second_client_is_backup_and_pipeline_stays(
    server: P4RuntimeServer, options: fy.SwitchOptions
) -> None:
    async def work() -> None:
        high = options(initial_election_id=20)
        low = options(initial_election_id=10)
        async with fy.Switch("high", server.address, high) as first:
            before = server.switch
            async with fy.Switch("low", server.address, low) as second:
                assert first.is_primary
                assert not second.is_primary
                with pytest.raises(fy.P4ClientError) as caught:
                    await second.insert([forward("10.0.0.0/8", 3)])
                assert caught.value.code == fy.GRPCStatusCode.PERMISSION_DENIED
            assert server.switch is before

    run(work())


def test_what_the_program_configures_beside_tables(server: P4RuntimeServer, tmp_path: Path) -> None:
    config = compiled("externs")
    p4info, blob = tmp_path / "externs.p4info.txtpb", tmp_path / "externs.json"
    p4info.write_text(text_format.MessageToString(config.p4info))
    blob.write_bytes(config.p4_device_config)
    options = fy.SwitchOptions(p4info=p4info, p4blob=blob)

    async def work() -> None:
        async with fy.Switch("s1", server.address, options) as switch:
            await switch.insert(
                [
                    fy.P4TableEntry(
                        "balance",
                        match=fy.Match(mark=0),
                        action=fy.P4IndirectAction([(1, fy.Action("forward", port=4))]),
                    ),
                    fy.P4MulticastGroupEntry(5, replicas=[(2, 1), (4, 9)]),
                    fy.P4CloneSessionEntry(100, replicas=[5]),
                    fy.P4DigestEntry("learn_t", max_list_size=1, max_timeout_ns=0, ack_timeout_ns=0),
                ]
            )
            await switch.modify(
                [
                    fy.P4MeterEntry(
                        "limits", index=2, config=fy.P4MeterConfig(cir=1, cburst=2, pir=1, pburst=4)
                    )
                ]
            )
            ports = [
                sorted(left.port for left in server.inject(3, frame))
                for frame in (b"\x01\0\0\0", b"\x07\0\0\x05", b"\x08\0\0\x64")
            ]
            assert ports == [[4], [2, 4], [1, 5]]
            lists = switch.read_digests("learn_t")
            waiting = asyncio.ensure_future(anext(lists))
            await asyncio.sleep(0)
            server.inject(3, b"\x05\0\0\x07")
            learned = await waiting
            assert [dict(message) for message in learned.data] == [{"key": 7, "port": 3}]

    run(work())
