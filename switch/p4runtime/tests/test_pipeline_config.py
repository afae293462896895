# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""SetForwardingPipelineConfig and GetForwardingPipelineConfig (sections 13 and 14)."""

import json
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from finsy.proto import p4i, p4r, rpc_code
from mecn_switch import P4RuntimeServer

from . import program
from .client import BatchError, Client
from .entries import NET_10, SET_MARK_5, choose, classify, exact, optional, range_, route, ternary

Set = p4r.SetForwardingPipelineConfigRequest
Get = p4r.GetForwardingPipelineConfigRequest


def refusal(
    client: Client,
    config: p4r.ForwardingPipelineConfig | None,
    action: Set.Action.ValueType = Set.VERIFY_AND_COMMIT,
) -> tuple[grpc.StatusCode, str]:
    """Code and message with which a config is refused."""
    with pytest.raises(grpc.RpcError) as caught:
        client.set_config(config, action)
    return caught.value.code(), caught.value.details() or ""


def test_no_config_yet(server: P4RuntimeServer) -> None:
    with Client(server.address) as client:
        assert not client.get_config().HasField("config")
        with pytest.raises(grpc.RpcError) as caught:
            client.insert(route(NET_10))
        assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        with pytest.raises(grpc.RpcError) as caught:
            client.entries(p4r.TableEntry())
        assert caught.value.code() == grpc.StatusCode.FAILED_PRECONDITION
        with pytest.raises(RuntimeError, match="no forwarding pipeline"):
            _ = server.switch


def test_response_types(client: Client) -> None:
    full = program.config(cookie=7)
    assert client.get_config().config == full
    assert client.get_config(Get.COOKIE_ONLY).config == p4r.ForwardingPipelineConfig(cookie=full.cookie)
    assert client.get_config(Get.P4INFO_AND_COOKIE).config == p4r.ForwardingPipelineConfig(
        p4info=full.p4info, cookie=full.cookie
    )
    assert client.get_config(Get.DEVICE_CONFIG_AND_COOKIE).config == p4r.ForwardingPipelineConfig(
        p4_device_config=full.p4_device_config, cookie=full.cookie
    )
    for request, code in (
        (p4r.GetForwardingPipelineConfigRequest(device_id=1, response_type=9), "INVALID_ARGUMENT"),  # type: ignore[arg-type]
        (p4r.GetForwardingPipelineConfigRequest(device_id=2), "NOT_FOUND"),
    ):
        with pytest.raises(grpc.RpcError) as caught:
            client.stub.GetForwardingPipelineConfig(request)
        assert caught.value.code().name == code


def test_commit_clears_state(client: Client) -> None:
    client.insert(route(NET_10))
    client.set_config(program.config())
    assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == []
    assert not client.get_config().config.HasField("cookie")


def test_verify_changes_nothing(client: Client) -> None:
    client.insert(route(NET_10))
    client.set_config(program.config(cookie=8), Set.VERIFY)
    assert client.get_config().config.cookie.cookie == 7
    assert len(client.entries(p4r.TableEntry(table_id=program.ROUTE))) == 1


def test_save_then_commit(client: Client, server: P4RuntimeServer) -> None:
    before = server.switch
    client.set_config(program.config(cookie=8), Set.VERIFY_AND_SAVE)
    client.insert(route(NET_10))
    assert server.switch is before
    assert server.switch.entries("Ingress.route") == []
    client.set_config(None, Set.COMMIT)
    assert server.switch is not before
    assert len(server.switch.entries("Ingress.route")) == 1
    assert refusal(client, None, Set.COMMIT)[0] == grpc.StatusCode.NOT_FOUND
    assert refusal(client, program.config(), Set.COMMIT)[0] == grpc.StatusCode.INVALID_ARGUMENT


def test_reconcile_keeps_state(client: Client) -> None:
    client.insert(
        route(NET_10),
        classify(exact(1, b"\x01"), ternary(2, b"\x80", b"\xff"), range_(3, b"\x01", b"\x02")),
        choose(optional(1, b"\x01")),
    )
    default = p4r.TableEntry(
        table_id=program.WIDE, is_default_action=True, action=SET_MARK_5, metadata=b"kept"
    )
    client.modify(default)
    cell = p4r.CounterEntry(
        counter_id=program.SEEN, index=p4r.Index(index=3), data=p4r.CounterData(packet_count=4, byte_count=5)
    )
    client.write(p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(counter_entry=cell)))
    everything = (
        p4r.Entity(table_entry=p4r.TableEntry(counter_data=p4r.CounterData())),
        p4r.Entity(table_entry=p4r.TableEntry(table_id=program.WIDE, is_default_action=True)),
        p4r.Entity(counter_entry=p4r.CounterEntry()),
    )
    before = client.read(*everything)
    client.set_config(program.config(cookie=8), Set.RECONCILE_AND_COMMIT)
    assert client.get_config().config.cookie.cookie == 8
    assert client.read(*everything) == before


def test_reconcile_that_loses_state_is_refused(client: Client, server: P4RuntimeServer) -> None:
    client.insert(route(NET_10))
    before = server.switch
    config = program.config()
    route_info = next(t for t in config.p4info.tables if t.preamble.id == program.ROUTE)
    for ref in route_info.action_refs:
        ref.scope = p4i.ActionRef.DEFAULT_ONLY
    code, message = refusal(client, config, Set.RECONCILE_AND_COMMIT)
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert "Ingress.route" in message
    assert server.switch is before


def _edit_json(edit: Callable[[dict[str, Any]], object]) -> p4r.ForwardingPipelineConfig:
    config = program.config()
    device = program.bmv2_json()
    edit(device)
    config.p4_device_config = json.dumps(device).encode()
    return config


def test_json_in_the_wrapper_of_p4lang_tutorials(client: Client) -> None:
    """p4.tmp.P4DeviceConfig: reassign (1) and device_data (3), or with extras (2) in between."""
    plain = program.config().p4_device_config
    length, left = b"", len(plain)
    while left:
        length, left = length + bytes([left & 127 | (128 if left > 127 else 0)]), left >> 7
    for before in (b"\x08\x01", b"", b"\x08\x01\x12\x02\x0a\x00"):
        wrapped = _with_device_config(before + b"\x1a" + length + plain)
        client.set_config(wrapped)
        client.insert(route(NET_10))
        assert client.get_config().config == wrapped
    for broken in (b"\x08\x01", b"\x1a\x05{}", b"\x08"):
        code, message = refusal(client, _with_device_config(broken))
        assert code == grpc.StatusCode.INVALID_ARGUMENT
        assert message.startswith("device config: not a BMv2 JSON")


def test_an_action_that_is_called_directly_and_used_in_a_table(client: Client) -> None:
    """p4c writes a second action of the same name without parameters."""

    def add_copy(device: dict[str, Any]) -> None:
        copy = {"name": "Ingress.forward", "id": 99, "runtime_data": [], "primitives": []}
        device["actions"].append(copy)

    client.set_config(_edit_json(add_copy))
    client.insert(route(NET_10))


def test_objects_that_the_compiler_left_out(client: Client) -> None:
    """Those that no packet reaches are in the P4Info, not in p4c's JSON. All others can be used."""

    def add_unreached(info: p4i.P4Info) -> None:
        table = info.tables.add()
        table.CopyFrom(next(t for t in info.tables if t.preamble.id == program.ROUTE))
        table.preamble.MergeFrom(p4i.Preamble(id=0x02000099, name="Ingress.unreached", alias="unreached"))
        del table.direct_resource_ids[:]
        info.counters.add(preamble=p4i.Preamble(id=0x100, name="Ingress.left0"), size=4)
        info.registers.add(preamble=p4i.Preamble(id=0x101, name="Ingress.left1"), size=4)
        info.registers[-1].type_spec.bitstring.bit.bitwidth = 8
        info.meters.add(
            preamble=p4i.Preamble(id=0x102, name="Ingress.left2"), size=4
        ).spec.unit = p4i.MeterSpec.BYTES
        digest = info.digests.add(preamble=p4i.Preamble(id=0x103, name="left3"))
        digest.type_spec.bitstring.bit.bitwidth = 8
        header = info.controller_packet_metadata.add(preamble=p4i.Preamble(id=0x104, name="packet_in"))
        header.metadata.add(id=1, name="port").type_name.name = "port_id_t"
        translated = info.type_info.new_types["port_id_t"].translated_type
        translated.uri = "ports"
        translated.sdn_string.SetInParent()

    client.set_config(_edit_info(add_unreached))
    client.insert(route(NET_10))
    assert [entry.table_id for entry in client.entries(p4r.TableEntry())].count(0x02000099) == 0
    entry = route(NET_10)
    entry.table_id = 0x02000099
    for attempt in (
        lambda: client.insert(entry),
        lambda: client.entries(p4r.TableEntry(table_id=0x02000099)),
    ):
        with pytest.raises(BatchError) as caught:
            attempt()
        [error] = caught.value.errors
        assert error.canonical_code == rpc_code.NOT_FOUND
        assert error.message == (
            "table Ingress.unreached is not in the device config: the program does not reach it"
        )


def _edit_info(edit: Callable[[p4i.P4Info], object]) -> p4r.ForwardingPipelineConfig:
    config = program.config()
    edit(config.p4info)
    return config


def _with_device_config(device_config: bytes) -> p4r.ForwardingPipelineConfig:
    return p4r.ForwardingPipelineConfig(p4info=program.p4info(), p4_device_config=device_config)


BAD_CONFIGS = {
    "none": (None, "no pipeline config"),
    "no P4Info": (p4r.ForwardingPipelineConfig(p4_device_config=b"{}"), "no P4Info"),
    "no device config": (_with_device_config(b""), "no device config"),
    "not JSON": (_with_device_config(b"ELF"), "device config: not a BMv2 JSON"),
    "other JSON": (
        _with_device_config(b'{"a": 1}'),
        "device config: not a BMv2 JSON",
    ),
    "unknown action in JSON": (
        _edit_json(lambda d: d["pipelines"][0]["tables"][0]["action_ids"].__setitem__(0, 99)),
        "device config: ",
    ),
    "table missing": (
        _edit_info(lambda i: i.tables[0].preamble.MergeFrom(p4i.Preamble(name="Ingress.other"))),
        "table Ingress.other is missing",
    ),
    "field of other width": (
        _edit_info(lambda i: i.tables[0].match_fields[0].MergeFrom(p4i.MatchField(bitwidth=31))),
        "match field addr of table Ingress.route (lpm, 31 bits) is lpm, 32 bits",
    ),
    "field of other kind": (
        _edit_info(
            lambda i: i.tables[0].match_fields[0].MergeFrom(p4i.MatchField(match_type=p4i.MatchField.EXACT))
        ),
        "match field addr of table Ingress.route (exact, 32 bits) is lpm, 32 bits",
    ),
    "counter of other size": (
        _edit_info(lambda i: i.counters[0].MergeFrom(p4i.Counter(size=9))),
        "counter Ingress.seen (size 9) has size 8",
    ),
    "two tables with one id": (
        _edit_info(lambda i: i.tables[1].preamble.MergeFrom(p4i.Preamble(id=program.ROUTE))),
        "tables Ingress.route and Ingress.classify have the same id",
    ),
    "action that does not exist": (
        _edit_info(lambda i: i.tables[0].action_refs.add(id=0x01777777)),
        "table Ingress.route refers to an unknown action",
    ),
    "parameter of other width": (
        _edit_info(lambda i: i.actions[0].params[0].MergeFrom(p4i.Action.Param(bitwidth=10))),
        "action Ingress.forward has other parameters",
    ),
}


@pytest.mark.parametrize("case", BAD_CONFIGS)
def test_bad_config_is_refused_and_changes_nothing(
    client: Client, server: P4RuntimeServer, case: str
) -> None:
    config, words = BAD_CONFIGS[case]
    before = server.switch
    code, message = refusal(client, config)
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert words in message
    assert "\n" not in message
    assert server.switch is before
    assert client.get_config().config.cookie.cookie == 7


def test_action_is_required(client: Client) -> None:
    code, _ = refusal(client, program.config(), Set.UNSPECIFIED)
    assert code == grpc.StatusCode.INVALID_ARGUMENT


def test_only_the_primary_may_set_it(server: P4RuntimeServer) -> None:
    with Client(server.address, election_id=None) as backup:
        assert refusal(backup, program.config())[0] == grpc.StatusCode.PERMISSION_DENIED
    request = Set(device_id=3, action=Set.VERIFY_AND_COMMIT, config=program.config())
    with pytest.raises(grpc.RpcError) as caught:
        Client(server.address).stub.SetForwardingPipelineConfig(request)
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND
