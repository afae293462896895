# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Roles over the wire: separate primaries, what a role config allows, reads by backups."""

from collections.abc import Iterable

import grpc
import pytest
from finsy.proto import p4r, rpc_code, stratum
from google.protobuf.any_pb2 import Any
from google.protobuf.wrappers_pb2 import StringValue
from mecn_switch import P4RuntimeServer

from . import program
from .client import BatchError, Client, Stream, update
from .entries import NET_10, classify, exact, route

KIND_7 = exact(1, b"\x07")


def role(
    name: str,
    *,
    exclusive: Iterable[int] = (),
    shared: Iterable[int] = (),
    pipeline: bool = False,
    packet_io: bool = False,
) -> p4r.Role:
    config = stratum.P4RoleConfig(
        exclusive_p4_ids=exclusive,
        shared_p4_ids=shared,
        can_push_pipeline=pipeline,
        receives_packet_ins=packet_io,
    )
    wire = p4r.Role(name=name)
    wire.config.Pack(config)
    return wire


def open_stream(server: P4RuntimeServer, election_id: int | None, wire: p4r.Role) -> Stream:
    stream = Stream(Client(server.address).stub)
    stream.arbitrate(election_id, role=wire)
    return stream


def test_each_role_has_its_own_primary(server: P4RuntimeServer) -> None:
    with (
        Client(server.address, 1) as everything,
        Client(server.address, 1, role=p4r.Role(name="routes")) as routes,
        Client(server.address, 2, role=p4r.Role(name="routes")) as newer,
    ):
        everything.set_config(program.config())
        update = routes.open_stream.receive().arbitration
        assert update.status.code == rpc_code.ALREADY_EXISTS
        assert update.role.name == "routes"
        with pytest.raises(grpc.RpcError) as caught:
            routes.insert(route(NET_10))
        assert caught.value.code() == grpc.StatusCode.PERMISSION_DENIED
        newer.insert(route(NET_10))
        everything.delete(route(NET_10))


def test_role_config_limits_writes(server: P4RuntimeServer) -> None:
    routes = role("routes", exclusive=[program.ROUTE], shared=[program.SEEN])
    with Client(server.address) as everything, Client(server.address, role=routes) as limited:
        everything.set_config(program.config())
        limited.insert(route(NET_10))
        limited.write(
            p4r.Update(
                type=p4r.Update.MODIFY,
                entity=p4r.Entity(counter_entry=p4r.CounterEntry(counter_id=program.SEEN)),
            )
        )
        with pytest.raises(BatchError) as caught:
            limited.write(
                update(p4r.Update.DELETE, route(NET_10)), update(p4r.Update.INSERT, classify(KIND_7))
            )
        assert [error.canonical_code for error in caught.value.errors] == [
            rpc_code.OK,
            rpc_code.PERMISSION_DENIED,
        ]
        assert "role 'routes' may not write table entry" in caught.value.errors[1].message


def test_role_config_limits_the_pipeline(server: P4RuntimeServer) -> None:
    with Client(server.address, role=role("routes", exclusive=[program.ROUTE])) as limited:
        with pytest.raises(grpc.RpcError) as caught:
            limited.set_config(program.config())
        assert caught.value.code() == grpc.StatusCode.PERMISSION_DENIED
    with Client(server.address, role=role("loader", pipeline=True)) as loader:
        loader.set_config(program.config())


def test_reads_report_what_belongs_to_the_role(server: P4RuntimeServer) -> None:
    routes = role("routes", exclusive=[program.ROUTE])
    with Client(server.address) as everything, Client(server.address, role=routes) as limited:
        everything.set_config(program.config())
        everything.insert(route(NET_10), classify(KIND_7))
        assert {e.table_id for e in everything.entries(p4r.TableEntry())} == {
            program.ROUTE,
            program.CLASSIFY,
            program.FIXED,
        }
        assert {e.table_id for e in limited.entries(p4r.TableEntry())} == {program.ROUTE}
        assert limited.entries(p4r.TableEntry(table_id=program.CLASSIFY)) == []
        assert limited.read(p4r.Entity(register_entry=p4r.RegisterEntry())) == []


def test_backups_and_strangers_may_read(server: P4RuntimeServer) -> None:
    with Client(server.address, 2) as primary, Client(server.address, 1) as backup:
        primary.set_config(program.config())
        primary.insert(route(NET_10))
        assert len(backup.entries(p4r.TableEntry(table_id=program.ROUTE))) == 1
        stranger = Client(server.address, None)
        assert len(stranger.entries(p4r.TableEntry(table_id=program.ROUTE))) == 1
        stranger.role = p4r.Role(name="nobody")
        with pytest.raises(grpc.RpcError) as caught:
            stranger.entries(p4r.TableEntry())
        assert caught.value.code() == grpc.StatusCode.NOT_FOUND


def test_config_is_that_of_the_last_primary(server: P4RuntimeServer) -> None:
    narrow = role("routes", exclusive=[program.ROUTE])
    wide = role("routes", shared=[program.ROUTE, program.CLASSIFY])
    with Client(server.address) as everything, Client(server.address, 5, role=narrow) as first:
        everything.set_config(program.config())
        backup = open_stream(server, 4, wide)
        heard = backup.receive().arbitration
        assert heard.role == narrow, "a backup's config does not count"
        first.open_stream.arbitrate(5, role=wide)
        assert first.open_stream.receive().arbitration.role == wide
        assert backup.receive().arbitration.role == wide
        first.insert(classify(KIND_7))
        backup.close()


def _any(wire: object) -> p4r.Role:
    result = p4r.Role(name="routes")
    assert isinstance(wire, (StringValue, stratum.P4RoleConfig))
    result.config.Pack(wire)
    return result


BAD_ROLES = {
    "default role with config": (p4r.Role(config=_any(StringValue()).config), "takes no role config"),
    "other message": (_any(StringValue(value="x")), "is not a stratum.P4RoleConfig"),
    "no type": (p4r.Role(name="routes", config=Any()), "is not a stratum.P4RoleConfig"),
    "damaged": (
        p4r.Role(
            name="routes",
            config=Any(type_url="type.googleapis.com/stratum.P4RoleConfig", value=b"\xff"),
        ),
        "is not a stratum.P4RoleConfig",
    ),
    "id 0": (role("routes", shared=[0]), "0 is not the id of an object"),
    "both": (role("routes", shared=[1], exclusive=[1]), "id 0x1 is both exclusive and shared"),
    "filter without packets": (
        _any(stratum.P4RoleConfig(packet_in_filter=stratum.P4RoleConfig.PacketFilter(metadata_id=1))),
        "without receives_packet_ins",
    ),
    "number instead of name": (p4r.Role(id=7), "role id 7"),
    "taken": (role("routes", shared=[0x77]), "id 0x77 is exclusive, and role 'other' names it too"),
}


@pytest.mark.parametrize("case", BAD_ROLES)
def test_bad_roles_end_the_stream(server: P4RuntimeServer, case: str) -> None:
    wire, words = BAD_ROLES[case]
    with Client(server.address, role=role("other", exclusive=[0x77])):
        stream = open_stream(server, 1, wire)
        assert stream.end() == grpc.StatusCode.INVALID_ARGUMENT
        assert words in stream.details()


def test_role_of_a_stream_is_fixed(server: P4RuntimeServer) -> None:
    with Client(server.address, role=p4r.Role(name="a")) as client:
        client.open_stream.arbitrate(1, role=p4r.Role(name="b"))
        assert client.open_stream.end() == grpc.StatusCode.FAILED_PRECONDITION


def test_deserted_roles_make_room(server: P4RuntimeServer) -> None:
    for number in range(100):
        with Client(server.address, role=p4r.Role(name=f"role {number}")):
            pass
    stream = open_stream(server, 1, p4r.Role(name="another"))
    assert stream.status() == (rpc_code.OK, 1)
    stream.close()


def test_claims_of_a_deserted_role_bind_nobody(server: P4RuntimeServer) -> None:
    watcher = open_stream(server, None, p4r.Role(name="first"))
    watcher.receive()
    with Client(server.address, role=role("first", exclusive=[program.ROUTE])):
        assert watcher.status() == (rpc_code.ALREADY_EXISTS, 1)
        refused = open_stream(server, 1, role("second", exclusive=[program.ROUTE]))
        assert refused.end() == grpc.StatusCode.INVALID_ARGUMENT
    assert watcher.status() == (rpc_code.NOT_FOUND, 1)
    watcher.close_side()
    assert watcher.end() == grpc.StatusCode.OK
    stream = open_stream(server, 1, role("second", exclusive=[program.ROUTE]))
    assert stream.status() == (rpc_code.OK, 1)
    stream.close()
