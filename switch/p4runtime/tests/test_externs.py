# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Action profiles, meters, digests, replication, value sets and idle timeouts: configured over P4Runtime,
seen by packets of the program `externs`."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from finsy.proto import p4i, p4r, rpc_code
from mecn_switch import P4RuntimeServer

from .client import BatchError, Client
from .compiled import compiled
from .entries import exact

INSERT, MODIFY, DELETE = p4r.Update.INSERT, p4r.Update.MODIFY, p4r.Update.DELETE
INVALID = rpc_code.INVALID_ARGUMENT
UNIMPLEMENTED = rpc_code.UNIMPLEMENTED

Replication = p4r.PacketReplicationEngineEntry


def ids(info: p4i.P4Info) -> dict[str, int]:
    """Ids by the last part of the name."""
    kinds = (
        info.tables, info.actions, info.action_profiles, info.meters, info.direct_meters, info.digests,
        info.value_sets,
    )  # fmt: skip
    return {item.preamble.name.rpartition(".")[2]: item.preamble.id for kind in kinds for item in kind}


CONFIG = compiled("externs")
ID = ids(CONFIG.p4info)


@dataclass
class Lab:
    """A primary controller, and packets."""

    client: Client
    server: P4RuntimeServer

    def write(self, kind: p4r.Update.Type.ValueType, entity: p4r.Entity) -> None:
        self.client.write(p4r.Update(type=kind, entity=entity))

    def send(self, kind: int, key: int, mark: int = 0, port: int = 3) -> list[tuple[int, int]]:
        """Port and mark of each packet that leaves."""
        frame = bytes((kind, mark)) + key.to_bytes(2, "big") + b"payload"
        left = self.server.inject(port, frame)
        return sorted((d.port, d.frame[1]) for d in left if d.frame is not None)


@pytest.fixture
def lab(server: P4RuntimeServer) -> Iterator[Lab]:
    with Client(server.address) as client:
        client.set_config(CONFIG)
        yield Lab(client, server)


def action(name: str, *values: int) -> p4r.Action:
    wire = p4r.Action(action_id=ID[name])
    for number, value in enumerate(values, start=1):
        wire.params.add(param_id=number, value=value.to_bytes(2, "big").lstrip(b"\0") or b"\0")
    return wire


def member(profile: str, number: int, call: p4r.Action | None = None) -> p4r.Entity:
    return p4r.Entity(
        action_profile_member=p4r.ActionProfileMember(
            action_profile_id=ID[profile], member_id=number, action=call
        )
    )


def group(profile: str, number: int, members: dict[int, int], max_size: int = 0) -> p4r.Entity:
    wire = p4r.ActionProfileGroup(action_profile_id=ID[profile], group_id=number, max_size=max_size)
    for member_id, weight in members.items():
        wire.members.add(member_id=member_id, weight=weight)
    return p4r.Entity(action_profile_group=wire)


def entry(table: str, key: int, call: p4r.TableAction | None = None, width: int = 2) -> p4r.Entity:
    value = key.to_bytes(width, "big").lstrip(b"\0") or b"\0"
    return p4r.Entity(table_entry=p4r.TableEntry(table_id=ID[table], match=[exact(1, value)], action=call))


def refused(lab: Lab, kind: p4r.Update.Type.ValueType, entity: p4r.Entity, code: int, words: str) -> None:
    with pytest.raises(BatchError) as caught:
        lab.write(kind, entity)
    [error] = caught.value.errors
    assert (error.canonical_code, words in error.message) == (code, True), error


# ---- Action profiles (9.2) ---------------------------------------------------------------------------------


def test_entries_share_a_member(lab: Lab) -> None:
    lab.write(INSERT, member("shared", 7, action("forward", 5)))
    for key in (1, 2):
        lab.write(INSERT, entry("share", key, p4r.TableAction(action_profile_member_id=7)))
    assert lab.send(2, 1) == lab.send(2, 2) == [(5, 0)]
    lab.write(MODIFY, member("shared", 7, action("forward", 6)))
    assert lab.send(2, 1) == lab.send(2, 2) == [(6, 0)]
    query = p4r.Entity(table_entry=p4r.TableEntry(table_id=ID["share"]))
    assert lab.client.read(query) == [
        entry("share", key, p4r.TableAction(action_profile_member_id=7)) for key in (1, 2)
    ]
    assert lab.client.read(member("shared", 0)) == [member("shared", 7, action("forward", 6))]
    refused(lab, DELETE, member("shared", 7), rpc_code.FAILED_PRECONDITION, "refers to it")
    for key in (1, 2):
        lab.write(DELETE, entry("share", key))
    lab.write(DELETE, member("shared", 7))
    assert lab.client.read(p4r.Entity(action_profile_member=p4r.ActionProfileMember())) == []


def test_a_group_spreads_packets(lab: Lab) -> None:
    for number in (1, 2, 3):
        lab.write(INSERT, member("choices", number, action("forward", number)))
    lab.write(INSERT, group("choices", 9, {1: 1, 2: 3}))
    lab.write(INSERT, entry("balance", 0, p4r.TableAction(action_profile_group_id=9)))
    ports = [lab.send(1, key)[0][0] for key in range(0, 65536, 151)]
    assert set(ports) == {1, 2}
    assert 0.6 < ports.count(2) / len(ports) < 0.9, "three quarters"
    lab.write(MODIFY, group("choices", 9, {3: 1}))
    assert {lab.send(1, key)[0][0] for key in range(20)} == {3}
    assert lab.client.read(group("choices", 0, {})) == [group("choices", 9, {3: 1})]
    refused(lab, DELETE, group("choices", 9, {}), rpc_code.FAILED_PRECONDITION, "refers to it")
    refused(lab, DELETE, member("choices", 3), rpc_code.FAILED_PRECONDITION, "is in group 9")
    lab.write(DELETE, entry("balance", 0))
    lab.write(DELETE, group("choices", 9, {}))


def one_shot(*actions: tuple[p4r.Action, int]) -> p4r.TableAction:
    wire = p4r.TableAction()
    wire.action_profile_action_set.SetInParent()
    for call, weight in actions:
        wire.action_profile_action_set.action_profile_actions.add(action=call, weight=weight)
    return wire


def test_one_shots(lab: Lab) -> None:
    both = one_shot((action("forward", 4), 1), (action("forward", 5), 2))
    lab.write(INSERT, entry("balance", 0, both))
    assert {lab.send(1, key)[0][0] for key in range(40)} == {4, 5}
    query = p4r.Entity(table_entry=p4r.TableEntry(table_id=ID["balance"]))
    assert lab.client.read(query) == [entry("balance", 0, both)]
    assert lab.client.read(member("choices", 0)) == []
    refused(lab, INSERT, member("choices", 1, action("forward", 1)), INVALID, "sets of actions")
    refused(
        lab,
        INSERT,
        entry("balance", 1, p4r.TableAction(action_profile_member_id=1)),
        INVALID,
        "other entries",
    )
    one = one_shot((action("mark", 8), 1))
    lab.write(MODIFY, entry("balance", 0, one))
    assert lab.send(1, 1) == [(1, 8)]
    assert lab.client.read(query) == [entry("balance", 0, one)]
    refused(lab, INSERT, entry("balance", 0, both), rpc_code.ALREADY_EXISTS, "balance")
    lab.write(DELETE, entry("balance", 0))
    assert lab.server.switch.members("ExtIngress.choices") == []
    assert lab.server.switch.groups("ExtIngress.choices") == []
    lab.write(INSERT, member("choices", 1, action("forward", 1)))
    refused(lab, INSERT, entry("balance", 0, both), INVALID, "has members")


def test_one_shots_that_do_not_fit_leave_nothing(lab: Lab) -> None:
    many = one_shot(*((action("forward", 1), 1) for _ in range(17)))
    refused(lab, INSERT, entry("balance", 0, many), rpc_code.RESOURCE_EXHAUSTED, "choices")
    assert lab.server.switch.members("ExtIngress.choices") == []


def watched_group(profile: str, number: int, members: dict[int, bytes]) -> p4r.Entity:
    """Members with their watch ports."""
    wire = p4r.ActionProfileGroup(action_profile_id=ID[profile], group_id=number)
    for member_id, port in members.items():
        wire.members.add(member_id=member_id, weight=1, watch_port=port)
    return p4r.Entity(action_profile_group=wire)


def test_watch_ports_of_groups(lab: Lab) -> None:
    for number in (1, 2, 3):
        lab.write(INSERT, member("choices", number, action("forward", number)))
    watched = watched_group("choices", 9, {1: b"\x01", 2: b"\x02", 3: b""})
    lab.write(INSERT, watched)
    lab.write(INSERT, entry("balance", 0, p4r.TableAction(action_profile_group_id=9)))

    def taken() -> set[int]:
        return {port for key in range(0, 65536, 551) for port, _ in lab.send(1, key)}

    assert taken() == {1, 2, 3}
    lab.server.set_port(2, up=False)
    assert taken() == {1, 3}
    assert lab.client.read(group("choices", 0, {})) == [watched], "as it was written"
    refused(lab, DELETE, member("choices", 2), rpc_code.FAILED_PRECONDITION, "is in group 9")
    lab.write(MODIFY, watched_group("choices", 9, {1: b"\x01", 2: b"\x02"}))
    assert taken() == {1}, "written while the port is down"
    lab.server.set_port(1, up=False)
    assert lab.send(1, 5) == lab.send(0, 5), "an empty group runs no action"
    lab.server.set_port(2, up=True)
    assert taken() == {2}
    lab.server.set_port(1, up=True)
    assert taken() == {1, 2}


def test_watch_ports_of_one_shots(lab: Lab) -> None:
    lab.server.set_port(5, up=False)
    both = one_shot((action("forward", 4), 1), (action("forward", 5), 2))
    both.action_profile_action_set.action_profile_actions[1].watch_port = b"\x01\xff"
    refused(lab, INSERT, entry("balance", 0, both), INVALID, "the device has no port 511")
    for choice, port in zip(both.action_profile_action_set.action_profile_actions, (4, 5), strict=True):
        choice.watch_port = bytes([port])
    lab.write(INSERT, entry("balance", 0, both))
    assert {lab.send(1, key)[0][0] for key in range(40)} == {4}
    lab.server.set_port(5, up=True)
    assert {lab.send(1, key)[0][0] for key in range(40)} == {4, 5}
    lab.server.set_port(4, up=False)
    assert {lab.send(1, key)[0][0] for key in range(40)} == {5}
    query = p4r.Entity(table_entry=p4r.TableEntry(table_id=ID["balance"]))
    assert lab.client.read(query) == [entry("balance", 0, both)]
    lab.write(DELETE, entry("balance", 0))
    assert lab.server.switch.members("ExtIngress.choices") == []


def with_backups(number: int, *replicas: list[tuple[int, int]]) -> p4r.Entity:
    """A multicast group; each replica is a list of (port, instance), the first preferred."""
    wire = Replication()
    wire.multicast_group_entry.multicast_group_id = number
    for (port, instance), *backups in replicas:
        replica = wire.multicast_group_entry.replicas.add(port=bytes([port]), instance=instance)
        for other, backup_instance in backups:
            replica.backup_replicas.add(port=bytes([other]), instance=backup_instance)
    return p4r.Entity(packet_replication_engine_entry=wire)


def test_backup_replicas(lab: Lab) -> None:
    group_5 = with_backups(5, [(2, 1), (4, 2), (6, 3)], [(7, 4)])
    lab.write(INSERT, group_5)
    for down, up, expected in (
        (None, None, [(2, 1), (7, 4)]),
        (2, None, [(4, 2), (7, 4)]),
        (4, None, [(6, 3), (7, 4)]),
        (7, None, [(6, 3), (7, 4)]),  # without a backup it is made and lost behind egress
        (6, None, [(7, 4)]),
        (None, 6, [(6, 3), (7, 4)]),
        (None, 2, [(2, 1), (7, 4)]),
    ):
        if down is not None:
            lab.server.set_port(down, up=False)
        if up is not None:
            lab.server.set_port(up, up=True)
        assert lab.send(7, 5) == expected, (down, up)
    assert lab.client.read(multicast(0)) == [group_5]
    lab.write(MODIFY, with_backups(5, [(4, 2), (2, 1)]))
    assert lab.send(7, 5) == [(2, 1)], "4 is still down"
    lab.client.set_config(CONFIG, p4r.SetForwardingPipelineConfigRequest.RECONCILE_AND_COMMIT)
    assert lab.send(7, 5) == [(2, 1)], "also for a new pipeline"


def _twice() -> p4r.Entity:
    wire = group("choices", 1, {1: 1})
    wire.action_profile_group.members.add(member_id=1, weight=1)
    return wire


def meter(
    index: int,
    config: tuple[int, int, int, int] | None = None,
    *,
    eburst: int = 0,
    meter_id: int | None = None,
) -> p4r.Entity:
    wire = p4r.MeterEntry(
        meter_id=ID["limits"] if meter_id is None else meter_id, index=p4r.Index(index=index)
    )
    if config is not None:
        cir, cburst, pir, pburst = config
        wire.config.CopyFrom(p4r.MeterConfig(cir=cir, cburst=cburst, pir=pir, pburst=pburst, eburst=eburst))
    return p4r.Entity(meter_entry=wire)


def multicast(number: int, *replicas: tuple[int, int], metadata: bytes = b"") -> p4r.Entity:
    wire = Replication()
    wire.multicast_group_entry.multicast_group_id = number
    wire.multicast_group_entry.metadata = metadata
    for port, instance in replicas:
        wire.multicast_group_entry.replicas.add(port=port.to_bytes(2, "big"), instance=instance)
    return p4r.Entity(packet_replication_engine_entry=wire)


def session(number: int, *replicas: tuple[int, int], length: int = 0, cos: int = 0) -> p4r.Entity:
    wire = Replication()
    clone = wire.clone_session_entry
    clone.session_id, clone.packet_length_bytes, clone.class_of_service = number, length, cos
    for port, instance in replicas:
        clone.replicas.add(port=port.to_bytes(2, "big"), instance=instance)
    return p4r.Entity(packet_replication_engine_entry=wire)


def digest(timeout_ns: int = 0, size: int = 0, ack_ns: int = 0) -> p4r.Entity:
    return p4r.Entity(
        digest_entry=p4r.DigestEntry(
            digest_id=ID["learn_t"],
            config=p4r.DigestEntry.Config(
                max_timeout_ns=timeout_ns, max_list_size=size, ack_timeout_ns=ack_ns
            ),
        )
    )


def value_set(*values: int) -> p4r.Entity:
    wire = p4r.ValueSetEntry(value_set_id=ID["special"])
    for value in values:
        wire.members.add(match=[exact(1, value.to_bytes(2, "big").lstrip(b"\0"))])
    return p4r.Entity(value_set_entry=wire)


def portless_replica() -> p4r.Entity:
    wire = multicast(6)
    wire.packet_replication_engine_entry.multicast_group_entry.replicas.add(instance=1)
    return wire


def backup_replica(port: bytes = b"\x02") -> p4r.Entity:
    wire = multicast(1, (1, 0))
    replica = wire.packet_replication_engine_entry.multicast_group_entry.replicas[0]
    replica.backup_replicas.add(port=port)
    return wire


def with_extra(change: Callable[[p4r.TableEntry], object], table: str = "limit") -> p4r.Entity:
    call = action("metered" if table == "limit" else "forward", 1)
    wire = entry(table, 1, p4r.TableAction(action=call))
    change(wire.table_entry)
    return wire


NOT_FOUND, EXISTS = rpc_code.NOT_FOUND, rpc_code.ALREADY_EXISTS
EXHAUSTED, RANGE = rpc_code.RESOURCE_EXHAUSTED, rpc_code.OUT_OF_RANGE

BAD: dict[str, tuple[p4r.Update.Type.ValueType, p4r.Entity, int, str]] = {
    # Action profiles: member 1 and group 7 = {1} exist
    "member 0": (INSERT, member("choices", 0, action("forward", 1)), INVALID, "0 is not the id of a member"),
    "member without action": (INSERT, member("choices", 2), INVALID, "needs an action"),
    "member with foreign action": (
        INSERT, member("choices", 2, action("metered", 1)), INVALID, "has no action with id",
    ),
    "member exists": (INSERT, member("choices", 1, action("forward", 1)), EXISTS, "choices"),
    "member unknown": (MODIFY, member("choices", 2, action("forward", 1)), NOT_FOUND, "choices"),
    "member gone": (DELETE, member("choices", 2), NOT_FOUND, "choices"),
    "group 0": (INSERT, group("choices", 0, {1: 1}), INVALID, "0 is not the id of a group"),
    "group exists": (INSERT, group("choices", 7, {1: 1}), EXISTS, "choices"),
    "group unknown": (MODIFY, group("choices", 8, {1: 1}), NOT_FOUND, "choices"),
    "group gone": (DELETE, group("choices", 8, {}), NOT_FOUND, "choices"),
    "group of a profile": (INSERT, group("shared", 1, {}), INVALID, "no action selector"),
    "group with unknown member": (INSERT, group("choices", 1, {2: 1}), NOT_FOUND, "no member 2"),
    "weight 0": (INSERT, group("choices", 1, {1: 0}), INVALID, "weight 0"),
    "weight negative": (INSERT, group("choices", 1, {1: -1}), INVALID, "weight -1"),
    "member twice": (INSERT, _twice(), INVALID, "named twice"),
    "max_size changed": (MODIFY, group("choices", 7, {1: 1}, 5), INVALID, "max_size"),
    "max_size negative": (INSERT, group("choices", 1, {1: 1}, -1), INVALID, "max_size"),
    "group too large": (INSERT, group("choices", 1, {1: 3}, 2), EXHAUSTED, "larger than its 2"),
    "watch port": (INSERT, watched_group("choices", 1, {1: b"\x01\xff"}), INVALID, "no port 511"),
    "watch port too wide": (INSERT, watched_group("choices", 1, {1: b"\x02\x00"}), RANGE, "bit<9>"),
    "entry with action": (
        INSERT, entry("share", 1, p4r.TableAction(action=action("forward", 1))), INVALID, "must be a member",
    ),
    "entry with unknown member": (
        INSERT, entry("share", 1, p4r.TableAction(action_profile_member_id=9)), NOT_FOUND, "no member 9",
    ),
    "entry with member 0": (
        INSERT, entry("share", 1, p4r.TableAction(action_profile_member_id=0)), INVALID, "must be a member",
    ),
    "set of actions without selector": (
        INSERT, entry("share", 1, one_shot((action("forward", 1), 1))), INVALID, "needs an action selector",
    ),
    "member in a plain table": (
        INSERT, entry("limit", 1, p4r.TableAction(action_profile_member_id=1)), INVALID, "a single action",
    ),
    # Meters
    "meter insert": (INSERT, meter(0, (1, 1, 1, 1)), INVALID, "can only be modified"),
    "meter delete": (DELETE, meter(0), INVALID, "can only be modified"),
    "meter index": (MODIFY, meter(4, (1, 1, 1, 1)), RANGE, "index 4"),
    "meter negative index": (MODIFY, meter(-1, (1, 1, 1, 1)), INVALID, "index -1"),
    "meter unknown": (MODIFY, meter(0, meter_id=0x14000099), INVALID, "no meter has id 0x14000099"),
    "meter negative": (MODIFY, meter(0, (1, 1, 1, -1)), INVALID, "cannot be negative"),
    "meter excess": (MODIFY, meter(0, (1, 1, 1, 1), eburst=1), INVALID, "eburst"),
    "meter rates": (MODIFY, meter(0, (2, 1, 1, 1)), INVALID, "pir 1 is less than cir 2"),
    "direct meter rates": (
        INSERT, with_extra(lambda e: e.meter_config.CopyFrom(p4r.MeterConfig(cir=2))), INVALID, "pir 0",
    ),
    "meter colours": (
        INSERT, with_extra(lambda e: e.meter_counter_data.SetInParent()), UNIMPLEMENTED, "by colour",
    ),
    # Idle timeouts
    "timeout negative": (
        INSERT, with_extra(lambda e: setattr(e, "idle_timeout_ns", -1), "hosts"), INVALID, "is negative",
    ),
    "timeout elsewhere": (
        INSERT, with_extra(lambda e: setattr(e, "idle_timeout_ns", 1)), INVALID, "has no idle timeout",
    ),
    "time since last hit": (
        INSERT, with_extra(lambda e: e.time_since_last_hit.SetInParent(), "hosts"), INVALID, "be written",
    ),
    # Replication: group 5 exists
    "group number 0": (INSERT, multicast(0, (1, 0)), INVALID, "not in 1..65535"),
    "group number 65536": (INSERT, multicast(65536, (1, 0)), INVALID, "not in 1..65535"),
    "multicast exists": (INSERT, multicast(5), EXISTS, "multicast group 5 exists"),
    "multicast unknown": (MODIFY, multicast(6), NOT_FOUND, "no multicast group 6"),
    "multicast gone": (DELETE, multicast(6), NOT_FOUND, "no multicast group 6"),
    "multicast port": (INSERT, multicast(6, (512, 0)), RANGE, "does not fit bit<9>"),
    "multicast instance": (INSERT, multicast(6, (1, 65536)), INVALID, "does not fit bit<16>"),
    "multicast twice": (INSERT, multicast(6, (1, 2), (1, 2)), INVALID, "named twice"),
    "backup replicas": (MODIFY, backup_replica(), NOT_FOUND, "no multicast group 1"),
    "backup to the same port": (INSERT, with_backups(6, [(1, 0), (1, 2)]), INVALID, "the same port 1"),
    "backup is a replica": (INSERT, with_backups(6, [(1, 0)], [(2, 1), (1, 0)]), INVALID, "named twice"),
    "backup port": (INSERT, backup_replica(b"\x02\x00"), RANGE, "port of a backup replica"),
    "backup without port": (INSERT, backup_replica(b""), RANGE, "port of a backup replica"),
    "backup instance": (INSERT, with_backups(6, [(1, 0), (2, 65536)]), INVALID, "does not fit bit<16>"),
    "replica without port": (INSERT, portless_replica(), INVALID, "a replica has no port"),
    "session 0": (INSERT, session(0, (1, 0)), INVALID, "clone session 0"),
    "session too large": (INSERT, session(32768, (1, 0)), INVALID, "32768"),
    "session unknown": (DELETE, session(1), NOT_FOUND, "no clone session 1"),
    "session length": (INSERT, session(1, (1, 0), length=-1), INVALID, "is negative"),
    "session class": (INSERT, session(1, (1, 0), cos=1), UNIMPLEMENTED, "classes of service"),
    # Digests
    "digest modify": (MODIFY, digest(), NOT_FOUND, "is not enabled"),
    "digest delete": (DELETE, digest(), NOT_FOUND, "is not enabled"),
    "digest negative": (INSERT, digest(-1), INVALID, "cannot be negative"),
    # Value sets
    "value set insert": (INSERT, value_set(1), INVALID, "can only be modified"),
    "value set full": (MODIFY, value_set(1, 2, 3, 4, 5), EXHAUSTED, "holds 4 members, not 5"),
    "value set twice": (MODIFY, value_set(1, 1), EXISTS, "given twice"),
    "value set too wide": (
        MODIFY,
        p4r.Entity(
            value_set_entry=p4r.ValueSetEntry(
                value_set_id=ID["special"], members=[p4r.ValueSetMember(match=[exact(1, b"\x01\0\0")])]
            )
        ),
        RANGE,
        "does not fit bit<16>",
    ),
    "value set field": (
        MODIFY,
        p4r.Entity(
            value_set_entry=p4r.ValueSetEntry(
                value_set_id=ID["special"], members=[p4r.ValueSetMember(match=[exact(2, b"\x01")])]
            )
        ),
        INVALID,
        "has no match field with id 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_refused(lab: Lab, case: str) -> None:
    """And nothing changes."""
    lab.write(INSERT, member("choices", 1, action("forward", 1)))
    lab.write(INSERT, group("choices", 7, {1: 1}))
    lab.write(INSERT, multicast(5, (1, 0)))
    everything = [
        p4r.Entity(table_entry=p4r.TableEntry(meter_config=p4r.MeterConfig())),
        p4r.Entity(action_profile_member=p4r.ActionProfileMember()),
        p4r.Entity(action_profile_group=p4r.ActionProfileGroup()),
        p4r.Entity(meter_entry=p4r.MeterEntry()),
        p4r.Entity(value_set_entry=p4r.ValueSetEntry()),
        p4r.Entity(digest_entry=p4r.DigestEntry()),
        multicast(0),
        session(0),
    ]
    before = lab.client.read(*everything)
    refused(lab, *BAD[case])
    assert lab.client.read(*everything) == before


# ---- Meters (9.4) ------------------------------------------------------------------------------------------

SLOW = (1, 2, 1, 4)
"""Two green, two yellow, then red: the buckets hold 2 and 4 packets and gain one in a second."""


def test_indexed_meter(lab: Lab) -> None:
    lab.write(MODIFY, meter(2, SLOW))
    assert lab.client.read(meter(2)) == [meter(2, SLOW)]
    assert [lab.send(4, 2)[0][1] for _ in range(5)] == [0, 0, 1, 1, 2]
    assert [lab.send(4, 1)[0][1] for _ in range(5)] == [0] * 5
    lab.write(MODIFY, meter(2))
    assert lab.client.read(meter(2)) == [meter(2)]
    assert lab.send(4, 2) == [(1, 0)]


def test_direct_meter(lab: Lab) -> None:
    config = p4r.MeterConfig(cir=1, cburst=2, pir=1, pburst=4)
    plain = entry("limit", 9, p4r.TableAction(action=action("metered", 6)))
    limited = entry("limit", 9, p4r.TableAction(action=action("metered", 6)))
    limited.table_entry.meter_config.CopyFrom(config)
    lab.write(INSERT, limited)
    assert [lab.send(3, 9)[0] for _ in range(5)] == [(6, 0), (6, 0), (6, 1), (6, 1), (6, 2)]
    assert lab.client.read(p4r.Entity(table_entry=p4r.TableEntry(table_id=ID["limit"]))) == [plain]
    query = p4r.TableEntry(table_id=ID["limit"], meter_config=p4r.MeterConfig())
    assert lab.client.read(p4r.Entity(table_entry=query)) == [limited]
    direct = p4r.DirectMeterEntry(table_entry=plain.table_entry, config=config)
    assert lab.client.read(p4r.Entity(direct_meter_entry=p4r.DirectMeterEntry())) == [
        p4r.Entity(direct_meter_entry=direct)
    ]
    lab.write(MODIFY, plain)
    assert lab.client.read(p4r.Entity(table_entry=query)) == [plain], "no config resets the meter"
    lab.write(MODIFY, p4r.Entity(direct_meter_entry=direct))
    assert lab.client.read(p4r.Entity(table_entry=query)) == [limited]


# ---- Replication (9.5) -------------------------------------------------------------------------------------


def test_multicast(lab: Lab) -> None:
    assert lab.send(7, 5) == []
    lab.write(INSERT, multicast(5, (2, 1), (2, 7), (4, 9), metadata=b"mine"))
    assert lab.send(7, 5) == [(2, 1), (2, 7), (4, 9)]
    assert lab.client.read(multicast(0)) == [multicast(5, (2, 1), (2, 7), (4, 9), metadata=b"mine")]
    lab.write(MODIFY, multicast(5, (6, 1)))
    assert lab.send(7, 5) == [(6, 1)]
    lab.write(DELETE, multicast(5))
    assert lab.send(7, 5) == []
    assert lab.client.read(multicast(5)) == []


def test_clones(lab: Lab) -> None:
    assert lab.send(8, 100) == [(1, 0)]
    lab.write(INSERT, session(100, (5, 3), length=6))
    assert lab.send(8, 100) == [(1, 0), (5, 3)]
    frame = b"\x08\0\0\x64payload"
    assert [d.frame for d in lab.server.inject(3, frame) if d.port == 5] == [b"\x08\x03\0\x64pa"]
    assert lab.client.read(session(0)) == [session(100, (5, 3), length=6)]
    lab.write(MODIFY, session(100, (5, 3), (6, 4)))
    assert lab.send(8, 100) == [(1, 0), (5, 3), (6, 4)]
    lab.write(DELETE, session(100))
    assert lab.send(8, 100) == [(1, 0)]


# ---- Value sets (9.8) --------------------------------------------------------------------------------------


def test_value_set(lab: Lab) -> None:
    assert lab.send(0, 0x22F3) == [(1, 0)]
    lab.write(MODIFY, value_set(0x22F3, 0x893B))
    assert lab.send(0, 0x22F3) == lab.send(0, 0x893B) == [(1, 0xFF)]
    assert lab.client.read(value_set()) == [value_set(0x22F3, 0x893B)]
    lab.write(MODIFY, value_set())
    assert lab.send(0, 0x22F3) == [(1, 0)]


# ---- Digests (9.10) ----------------------------------------------------------------------------------------


def learned(digest_list: p4r.DigestList) -> list[tuple[int, int]]:
    """Key and port of each message."""
    return [
        (
            int.from_bytes(message.struct.members[0].bitstring, "big"),
            int.from_bytes(message.struct.members[1].bitstring, "big"),
        )
        for message in digest_list.data
    ]


def test_digests(lab: Lab) -> None:
    lab.send(5, 1)  # not enabled yet: lost
    time.sleep(0.05)
    lab.write(INSERT, digest(60_000_000_000, 2, 60_000_000_000))
    assert lab.client.read(digest()) == [digest(60_000_000_000, 2, 60_000_000_000)]
    for key in (1, 1, 2):
        lab.send(5, key)
    first = lab.client.open_stream.receive().digest
    assert first.digest_id == ID["learn_t"]
    assert learned(first) == [(1, 3), (2, 3)]
    for key in (1, 2, 3, 4):
        lab.send(5, key)
    second = lab.client.open_stream.receive().digest
    assert learned(second) == [(3, 3), (4, 3)], "what was not acknowledged is not repeated"
    ack = p4r.DigestListAck(digest_id=first.digest_id, list_id=first.list_id)
    lab.client.open_stream.send(p4r.StreamMessageRequest(digest_ack=ack))
    lab.client.open_stream.send(p4r.StreamMessageRequest())
    assert lab.client.open_stream.receive().HasField("error"), "the acknowledgement was read before"
    lab.send(5, 1)
    lab.send(5, 2)
    assert learned(lab.client.open_stream.receive().digest) == [(1, 3), (2, 3)]
    lab.write(MODIFY, digest())
    lab.send(5, 77)
    assert learned(lab.client.open_stream.receive().digest) == [(77, 3)], "at once"
    lab.write(DELETE, digest())
    assert lab.client.read(p4r.Entity(digest_entry=p4r.DigestEntry())) == []


# ---- Idle timeouts (9.1.9, 16.4) ---------------------------------------------------------------------------


def test_idle_timeout(lab: Lab) -> None:
    idle = entry("hosts", 5, p4r.TableAction(action=action("forward", 6)))
    idle.table_entry.idle_timeout_ns = 50_000_000
    idle.table_entry.metadata = b"mine"
    busy = entry("hosts", 6, p4r.TableAction(action=action("forward", 6)))
    lab.write(INSERT, idle)
    lab.write(INSERT, busy)
    assert lab.client.read(p4r.Entity(table_entry=p4r.TableEntry(table_id=ID["hosts"]))) == [idle, busy]
    for _ in range(2):  # again after another such time
        notification = lab.client.open_stream.receive().idle_timeout_notification
        [expired] = notification.table_entry
        assert expired == idle.table_entry
        assert abs(notification.timestamp - time.time_ns()) < 60_000_000_000
    assert lab.send(6, 5) == [(6, 0)], "it is still there"
    query = p4r.TableEntry(table_id=ID["hosts"])
    query.time_since_last_hit.SetInParent()
    found = lab.client.entries(query)
    assert all(item.HasField("time_since_last_hit") for item in found)
    assert 0 <= found[1].time_since_last_hit.elapsed_ns < 60_000_000_000


# ---- All of it ----------------------------------------------------------------------------------------


def test_reconcile_keeps_everything(lab: Lab) -> None:
    lab.write(INSERT, member("shared", 7, action("forward", 5)))
    lab.write(INSERT, entry("share", 1, p4r.TableAction(action_profile_member_id=7)))
    lab.write(INSERT, entry("balance", 0, one_shot((action("forward", 4), 1))))
    lab.write(MODIFY, meter(2, SLOW))
    lab.write(INSERT, multicast(5, (6, 1)))
    lab.write(INSERT, session(100, (5, 3)))
    lab.write(MODIFY, value_set(0x22F3))
    lab.write(INSERT, digest(1, 2, 3))
    before = lab.server.switch
    lab.client.set_config(CONFIG, p4r.SetForwardingPipelineConfigRequest.RECONCILE_AND_COMMIT)
    assert lab.server.switch is not before
    assert lab.send(2, 1) == [(5, 0)]
    assert lab.send(1, 1) == [(4, 0)]
    assert lab.send(7, 5) == [(6, 1)]
    assert lab.send(8, 100) == [(1, 0), (5, 3)]
    assert lab.send(0, 0x22F3) == [(1, 0xFF)]
    assert lab.client.read(meter(2), digest()) == [meter(2, SLOW), digest(1, 2, 3)]
