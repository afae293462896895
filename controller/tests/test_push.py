# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import re
import socket
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from mecn_controller import DropTail, Ecn, Mecn, Route, Threshold, names
from mecn_controller.errors import (
    ElectionError,
    PipelineError,
    SwitchError,
    UnreachableError,
    VerifyError,
    WriteError,
)
from mecn_controller.policy.entries import Entry, Exact
from mecn_controller.policy.routes import RESERVED_ROUTES, AnyRoute, LocalRoute, NoRoute
from mecn_controller.runtime.session import SwitchSession, apply_sync
from mecn_controller.runtime.writer import AppliedProfile, Assignment, profile_id_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from finsy.proto import p4i
    from mecn_controller.policy.profile import Profile
    from tests.meddler import Meddler, Update

MECN = Mecn(name="m", min_th=1, mid_th=2, max_th=4, max_p=0.1)
ECN = Ecn(name="e", min_th=1, max_th=4, max_p=0.1)
ROUTE = Route("10.0.1.0/24", 3, "02:00:00:00:00:01", "02:00:00:00:01:01")


def applied(switch: Meddler, profile: Profile, port: int = 1) -> AppliedProfile:
    return apply_sync([(profile, port)], address=switch.address, drain_s=0)[0]


def session(switch: Meddler, action: Callable[[SwitchSession], Awaitable[object]]) -> None:
    async def run() -> None:
        async with SwitchSession(switch.address) as connected:
            await connected.use_pipeline()
            await action(connected)

    asyncio.run(run())


def tables(switch: Meddler) -> dict[str, int]:
    return Counter(entry.table for entry in switch.entries())


def test_curve_and_rows_first_then_the_port(loaded: Meddler) -> None:
    done = applied(loaded, MECN)
    assert (done.profile_id, done.port, done.dscp, done.retired) == (1, 1, None, ())
    assert tables(loaded) == {
        names.ADMISSION_CURVE_TABLE: 3,
        names.MARKING_CURVE_TABLE: 3,
        names.VERDICT_TABLE: 5,
        names.PORT_TABLE: 1,
    }
    order = [table for _kind, table, _entry in loaded.writes]
    assert order.index(names.PORT_TABLE) == len(order) - 1


def test_a_second_profile_takes_a_fresh_id_and_retires_the_first(loaded: Meddler) -> None:
    applied(loaded, MECN)
    loaded.writes.clear()
    done = applied(loaded, ECN)
    assert (done.profile_id, done.retired) == (2, (1,))
    steps = [(kind, table) for kind, table, _entry in loaded.writes]
    flip = steps.index(("MODIFY", names.PORT_TABLE))
    assert {kind for kind, _table in steps[:flip]} == {"INSERT"}
    assert {kind for kind, _table in steps[flip + 1 :]} == {"DELETE"}
    assert tables(loaded)[names.PORT_TABLE] == 1
    assert applied(loaded, MECN).profile_id == 1


def test_profiles_of_other_ports_and_classes_stay(loaded: Meddler) -> None:
    applied(loaded, MECN, port=1)
    assert applied(loaded, MECN.replace(max_p=0.2), port=2).profile_id == 2
    some = applied(loaded, ECN.replace(dscp="EF,10"), port=1)
    assert (some.profile_id, some.dscp, some.retired) == (3, (10, 46), ())
    assert tables(loaded)[names.PORT_TABLE] == 4
    assert applied(loaded, DropTail(name="d"), port=1).retired == (1,)


def test_ports_share_a_curve(loaded: Meddler) -> None:
    assert applied(loaded, MECN, port=1).profile_id == 1
    # The average is the port's, not the curve's.
    second = applied(loaded, MECN.replace(weight=0.5, name="other"), port=2)
    assert (second.profile_id, second.changed) == (1, True)
    assert tables(loaded)[names.MARKING_CURVE_TABLE] == 3
    # As long as a port uses it, it stays.
    assert applied(loaded, ECN, port=1).retired == ()
    assert applied(loaded, ECN, port=2).retired == (1,)


def test_what_is_in_force_is_not_written_again(loaded: Meddler) -> None:
    classes = {"rtt_class_bounds_ms": [50], "rtt_class_max_p": [0.5, 0.1]}
    # One class for all round-trip times: its entry matches everything.
    one_class = ECN.replace(rtt_class_max_p=[0.5])
    for profile in (MECN, ECN, ECN.replace(**classes), one_class, Threshold(name="t", threshold=3)):
        first = applied(loaded, profile)
        before = loaded.snapshot()
        loaded.writes.clear()
        again = applied(loaded, profile)
        assert (first.changed, again.changed, again.retired) == (True, False, ())
        assert again.profile_id == first.profile_id
        assert (loaded.writes, loaded.snapshot()) == ([], before)


def test_many_ports_at_once_are_all_or_nothing(loaded: Meddler) -> None:
    async def apply(connected: SwitchSession) -> None:
        wanted = [Assignment(MECN, port, (point,)) for port in range(20) for point in (0, 46)]
        done = await connected.apply_profiles(wanted, drain_s=0)
        assert {each.profile_id for each in done} == {1}
        assert tables(loaded)[names.PORT_TABLE] == 40
        before = loaded.snapshot()

        def refuse(update: Update) -> str | None:
            return "no" if update[0] != "DELETE" and update[2].field("egress_port") == Exact(7) else None

        loaded.refuse = refuse
        with pytest.raises(WriteError, match="egress_port=7"):
            await connected.apply_profiles([Assignment(ECN, port) for port in range(20)], drain_s=0)
        with pytest.raises(WriteError, match="egress_port=7"):
            await connected.apply_profiles(
                [Assignment(ECN, each.port, each.dscp) for each in wanted], drain_s=0
            )
        assert loaded.snapshot() == before

    session(loaded, apply)


def test_curves_are_kept_for_what_is_still_queued(loaded: Meddler) -> None:
    async def apply(connected: SwitchSession) -> None:
        async def step(profile: Profile, keep: set[int]) -> tuple[tuple[int, ...], set[int]]:
            (done,) = await connected.apply_profiles([Assignment(profile, 1)], keep=keep)
            entries = await connected.read((names.MARKING_CURVE_TABLE,))
            return done.retired, {profile_id_of(entry) for entry in entries}

        assert await step(MECN, set()) == ((), {1})
        assert await step(ECN, set()) == ((1,), {1, 2})
        assert await step(ECN.replace(max_p=0.2), {1}) == ((2,), {1, 2, 3})
        assert await step(ECN.replace(max_p=0.3), {2}) == ((3,), {2, 3, 4})
        assert await connected.remove_unused(keep={3}) == (2,)
        assert await connected.remove_unused() == (3,)

    session(loaded, apply)


def test_what_a_failed_controller_left_behind_is_removed(loaded: Meddler) -> None:
    applied(loaded, MECN)
    loaded.delete(loaded.entries(names.PORT_TABLE))
    assert applied(loaded, ECN).retired == (1,)


def failures() -> list[Callable[[Update], str | None]]:
    """Refusals of each kind of write that applying a second profile makes."""

    def at(kind: str, table: str) -> Callable[[Update], str | None]:
        return lambda update: "no" if update[:2] == (kind, table) else None

    return [
        at("INSERT", names.ADMISSION_CURVE_TABLE),
        at("INSERT", names.MARKING_CURVE_TABLE),
        at("INSERT", names.ADMISSION_TABLE),
        at("INSERT", names.VERDICT_TABLE),
        at("MODIFY", names.PORT_TABLE),
    ]


@pytest.mark.parametrize("number", range(5))
def test_a_refused_write_leaves_everything_as_it_was(loaded: Meddler, number: int) -> None:
    applied(loaded, MECN)
    before = loaded.snapshot()
    loaded.refuse = failures()[number]
    with pytest.raises(WriteError) as caught:
        applied(loaded, ECN)
    assert loaded.snapshot() == before
    message = str(caught.value)
    assert message.startswith(f"{loaded.address}: the switch refused to ")
    assert "RESOURCE_EXHAUSTED: no" in message
    assert "\n" not in message


def test_the_nth_write_refused_leaves_everything_as_it_was(loaded: Meddler) -> None:
    applied(loaded, MECN)
    before = loaded.snapshot()
    total = 0
    for allowed in range(40):
        seen: list[Update] = []

        def refuse(update: Update, seen: list[Update] = seen, allowed: int = allowed) -> str | None:
            seen.append(update)
            return "full" if len(seen) == allowed + 1 else None

        loaded.refuse = refuse
        try:
            applied(loaded, ECN)
        except WriteError:
            total += 1
            assert loaded.snapshot() == before
        else:
            break
    assert total > 10


def test_read_back_is_compared_bit_for_bit(loaded: Meddler) -> None:
    def lie(entry: Entry) -> Entry:
        if entry.table != names.MARKING_CURVE_TABLE:
            return entry
        wrong = tuple((name, value ^ (name == "slope_incipient")) for name, value in entry.params)
        return dataclasses.replace(entry, params=wrong)

    loaded.lie = lie
    with pytest.raises(VerifyError) as caught:
        applied(loaded, MECN)
    # The lie is told only about what is written, so nothing is left behind.
    assert loaded.entries() == []
    assert "not found as it was written when read back: MecnEgress.marking.curve.aqm_curve(" in str(
        caught.value
    )


def test_rows_with_another_meaning_are_not_touched(loaded: Meddler) -> None:
    applied(loaded, MECN)
    passing = "MecnEgress.marking.verdict.pass"
    loaded.modify(dataclasses.replace(row, action=passing) for row in loaded.entries(names.VERDICT_TABLE))
    before = loaded.snapshot()
    with pytest.raises(
        SwitchError, match=r"aqm_verdict holds rows of scheme 20 that this controller did not"
    ):
        applied(loaded, MECN)
    assert loaded.snapshot() == before


def test_another_controller_takes_over_in_the_middle(loaded: Meddler) -> None:
    applied(loaded, MECN)
    ports = loaded.entries(names.PORT_TABLE)
    written = 0
    with contextlib.ExitStack() as another:

        def usurp() -> None:
            nonlocal written
            written += 1
            if written == 2:
                another.enter_context(loaded.in_charge(7))

        loaded.before_write = usurp
        with pytest.raises(ElectionError, match="another controller has taken over"):
            applied(loaded, ECN)
    assert loaded.entries(names.PORT_TABLE) == ports


def test_the_same_election_id_is_refused(loaded: Meddler) -> None:
    async def second(_first: SwitchSession) -> None:
        with pytest.raises(ElectionError) as caught:
            async with SwitchSession(loaded.address):
                pass
        assert re.fullmatch(
            f"{loaded.address}: another controller holds election id 1 of device 1"
            r" \(the switch says: .+\)",
            str(caught.value),
        )

    session(loaded, second)


def test_a_lower_election_id_is_refused(loaded: Meddler) -> None:
    async def run() -> None:
        async with SwitchSession(loaded.address, election_id=9):
            with pytest.raises(
                ElectionError, match="election id 9 is in charge of device 1; ours, 8, is lower"
            ):
                async with SwitchSession(loaded.address, election_id=8):
                    pass

    asyncio.run(run())


def test_sessions_one_after_the_other(loaded: Meddler) -> None:
    for number in range(10):
        applied(loaded, MECN, port=number)
    assert tables(loaded)[names.PORT_TABLE] == 10


def test_nobody_answers() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(UnreachableError) as caught:
        apply_sync([(MECN, 1)], address=address)
    assert str(caught.value) == f"{address}: cannot reach the switch: connection refused"


def test_someone_answers_who_never_speaks() -> None:
    async def run(address: str) -> None:
        async with SwitchSession(address, connect_timeout_s=0.3):
            pass

    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(UnreachableError, match=r"cannot reach the switch: no answer within 0\.3 s"):
            asyncio.run(run(address))


@pytest.mark.parametrize("address", ["", "localhost", "127.0.0.1:x", "a b:1", "unix:/x", "127.0.0.1:9559/x"])
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(UnreachableError, match="not an address: give HOST:PORT"):
        apply_sync([(MECN, 1)], address=address)


@pytest.mark.parametrize(("device_id", "election_id"), [(1 << 64, 1), (1, 0), (-1, 1), (1, 1 << 128)])
def test_ids_that_cannot_be(loaded: Meddler, device_id: int, election_id: int) -> None:
    with pytest.raises(SwitchError, match=r"device id .*: not a number from 0 |election id .* above 0"):
        apply_sync([(MECN, 1)], address=loaded.address, device_id=device_id, election_id=election_id)


def test_no_program(switch: Meddler) -> None:
    with pytest.raises(PipelineError) as caught:
        applied(switch, MECN)
    assert str(caught.value) == (
        f"{switch.address}: the switch runs no program yet:"
        " load one with mecn apply or serve, --p4info and --program"
    )


@pytest.mark.parametrize("missing", [names.PORT_TABLE, names.MARKING_CURVE_TABLE, names.ROUTE_TABLE])
def test_a_program_without_our_tables(switch: Meddler, missing: str) -> None:
    switch.load(switch.behind.program.without(missing))
    with pytest.raises(PipelineError, match=f"the program on the switch.* has no table {missing}"):
        applied(switch, MECN)
    assert switch.writes == []


def test_a_program_whose_fields_are_too_narrow(switch: Meddler) -> None:
    def narrow(info: p4i.P4Info) -> None:
        for table in info.tables:
            if table.preamble.name == names.MARKING_CURVE_TABLE:
                table.match_fields[1].bitwidth = 16

    switch.load(switch.behind.program)
    switch.runs = narrow
    with pytest.raises(PipelineError, match=r"the program on the switch does not fit: .*avg_qdepth"):
        applied(switch, MECN)
    assert switch.writes == []


def test_a_program_is_loaded_once(switch: Meddler) -> None:
    p4info, config = switch.behind.program.p4info, switch.behind.program.bmv2_json
    for _ in range(2):
        apply_sync([(MECN, 1)], address=switch.address, p4info_text=p4info, bmv2_json=config, routes=[ROUTE])
    assert switch.loads == 1
    reserved = sum(route.entry().table == names.ROUTE_TABLE for route in RESERVED_ROUTES)
    assert tables(switch)[names.ROUTE_TABLE] == 1 + reserved
    apply_sync([(MECN, 1)], address=switch.address, p4info_text=p4info, bmv2_json=config + " ")
    assert switch.loads == 2
    assert names.ROUTE_TABLE not in tables(switch)


@pytest.mark.parametrize(
    ("p4info", "config", "why"),
    [
        ("tables {", None, "the P4Info is not protobuf text: "),
        (None, "refused", "the device config is not BMv2 JSON: "),
        (None, "[]", "the device config is not BMv2 JSON: "),
        (None, '{"no": "program"}', "the device config has no table MecnIngress.forwarding.ipv4_lpm"),
    ],
)
def test_what_is_no_program_never_reaches_the_switch(
    loaded: Meddler, p4info: str | None, config: str | None, why: str
) -> None:
    """BMv2 takes nothing any more after a program that it could not read, and some that have no tables."""
    applied(loaded, MECN)
    program, before, loads = loaded.behind.program, loaded.snapshot(), loaded.loads
    with pytest.raises(PipelineError, match=re.escape(why)) as caught:
        apply_sync(
            [],
            address=loaded.address,
            p4info_text=p4info or program.p4info,
            bmv2_json=config or program.bmv2_json,
        )
    assert "\n" not in str(caught.value)
    assert (loaded.loads, loaded.snapshot()) == (loads, before)


def test_a_program_that_lacks_a_table_is_not_loaded(switch: Meddler) -> None:
    program = switch.behind.program.without(names.PORT_TABLE)
    with pytest.raises(
        PipelineError, match=r"the program to load.* has no table MecnIngress\.policy\.aqm_port"
    ):
        apply_sync([], address=switch.address, p4info_text=program.p4info, bmv2_json=program.bmv2_json)
    assert switch.loads == 0


def test_routes_are_added_or_changed(loaded: Meddler) -> None:
    default = Route("0.0.0.0/0", 1, "02:00:00:00:00:01", "02:00:00:00:01:01")
    apply_sync([], address=loaded.address, routes=[ROUTE, default])
    apply_sync([], address=loaded.address, routes=[Route("10.0.1.0/24", 4, ROUTE.src_mac, ROUTE.dst_mac)])
    written = [kind for kind, _table, _entry in loaded.writes]
    assert written == ["INSERT"] * (2 + len(RESERVED_ROUTES)) + ["MODIFY"]
    before = loaded.snapshot()
    loaded.refuse = lambda update: "no" if update[0] == "MODIFY" else None
    with pytest.raises(WriteError, match=r"ipv4_lpm\(dst_addr=0xa000100/24\)"):
        apply_sync(
            [], address=loaded.address, routes=[ROUTE, Route("10.9.0.0/16", 2, ROUTE.src_mac, ROUTE.dst_mac)]
        )
    assert loaded.snapshot() == before


def test_routes_of_both_protocols(loaded: Meddler) -> None:
    routes: list[AnyRoute] = [
        Route("2001:db8:1::/64", 3, ROUTE.src_mac, ROUTE.dst_mac),
        LocalRoute("10.0.1.254/32"),
        NoRoute("10.8.0.0/16"),
    ]
    apply_sync([], address=loaded.address, routes=routes)
    wanted = Counter(route.entry().table for route in (*routes, *RESERVED_ROUTES))
    assert tables(loaded) == wanted
    assert wanted.keys() == set(names.ROUTE_TABLES)


def test_a_reserved_prefix_can_have_a_route(loaded: Meddler) -> None:
    mine = Route("169.254.0.0/16", 3, ROUTE.src_mac, ROUTE.dst_mac)
    for _ in range(2):
        apply_sync([], address=loaded.address, routes=[mine])
        apply_sync([], address=loaded.address, routes=[ROUTE])

    async def entries() -> list[Entry]:
        async with SwitchSession(loaded.address) as session:
            await session.use_pipeline()
            return await session.read(names.ROUTE_TABLES)

    assert mine.entry() in asyncio.run(entries())


def test_threshold_too_deep_to_reach_needs_no_curve(loaded: Meddler) -> None:
    assert applied(loaded, Threshold(name="t", threshold=65535)).profile_id == 1


def test_cancelling_leaves_everything_as_it_was(loaded: Meddler) -> None:
    applied(loaded, MECN)
    before = loaded.snapshot()

    async def cancel(connected: SwitchSession) -> None:
        task = asyncio.create_task(connected.apply_profile(ECN, port=1, drain_s=30))
        while not any(kind == "MODIFY" for kind, _table, _entry in loaded.writes):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    session(loaded, cancel)
    assert loaded.snapshot() == before


def test_a_reader_takes_no_part_in_the_election(loaded: Meddler) -> None:
    async def run(first: SwitchSession) -> None:
        await first.apply_profile(MECN, port=1, drain_s=0)
        async with SwitchSession(loaded.address, election_id=None) as reader:
            await reader.use_pipeline()
            assert len(await reader.read(names.AQM_TABLES)) == len(loaded.entries())
            with pytest.raises(RuntimeError, match="it may only read"):
                await reader.delete(await reader.read((names.PORT_TABLE,)))
        await first.apply_profile(ECN, port=1, drain_s=0)

    session(loaded, run)


def test_a_reader_whom_nobody_answers() -> None:
    async def run() -> None:
        async with SwitchSession("127.0.0.1:1", election_id=None):
            pass

    with pytest.raises(UnreachableError, match="cannot reach the switch: connection refused"):
        asyncio.run(run())
