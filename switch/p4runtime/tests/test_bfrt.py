# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""BF Runtime: every kind of table, by requests as p4lang's client sends them, on programs for v1model."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import mecn_native
import pytest
from finsy.proto import rpc_code
from mecn_switch.bfrt import BfRuntimeServer, messages

from .bfrt_client import BfrtTestClient, Part, Refused, codes
from .bfrt_describe import describe
from .compiled import compiled


class Running:
    """A server with a program, and a client bound to it."""

    def __init__(self, name: str) -> None:
        self.json = compiled(name).p4_device_config
        self.info = describe(self.json)
        self.server = BfRuntimeServer(address="127.0.0.1:0")
        self.server.load("program", self.info, self.json)
        self.server.start()
        self.client = BfrtTestClient(self.server.address)

    def send(self, kind: int, mark: int = 0, key: int = 0, port: int = 3) -> list[tuple[int, int]]:
        """(port, mark) of what left for a packet of the program `externs`."""
        frame = bytes([kind, mark]) + key.to_bytes(2, "big") + bytes(60)
        return [(d.port, (d.frame or b"??")[1]) for d in self.server.inject(port, frame)]


@pytest.fixture
def externs() -> Iterator[Running]:
    running = Running("externs")
    yield running
    running.client.close()
    running.server.stop()


# ---- Clients and programs ----------------------------------------------------------------------------------


def test_a_client_gets_the_program_it_binds_to(externs: Running) -> None:
    config = externs.client.refresh()
    assert [c.p4_name for c in config.config] == ["program"]
    assert config.config[0].bfruntime_info == externs.info
    assert config.config[0].profiles[0].binary == externs.json
    fixed = {table["name"] for table in json.loads(config.non_p4_config.bfruntime_info)["tables"]}
    assert {"$pre.mgid", "$pre.node", "$mirror.cfg", "$PORT"} <= fixed
    with pytest.raises(grpc.RpcError, match="no program 'other'"):
        externs.client.bind("other")


def test_who_is_not_bound_names_the_program(externs: Running) -> None:
    with BfrtTestClient(externs.server.address, 7, bind=None) as other:
        other.tables = externs.client.tables
        update = other.update(
            "INSERT", "ExtIngress.hosts", {"hdr.h.key": 1}, {"port": 4}, "ExtIngress.forward"
        )
        with pytest.raises(Refused, match="bound to no program"):
            other.write(update)
        with pytest.raises(Refused, match="no program 'wrong'"):
            other.write(update, p4_name="wrong")
        other.write(update, p4_name="program")
    assert len(externs.client.get("ExtIngress.hosts")) == 1


def test_a_client_id_is_one_clients(externs: Running) -> None:
    with BfrtTestClient(externs.server.address, 0, bind=None) as second:
        assert second.subscribed.subscribe.status.code == rpc_code.ALREADY_EXISTS
    externs.client.close()
    with BfrtTestClient(externs.server.address, 0, bind=None) as third:
        tries = [third.subscribed]
        while tries[-1].subscribe.status.code != rpc_code.OK:  # as p4lang's client, on a busy machine
            assert len(tries) < 5
            tries.append(third.subscribe())


def test_a_subscription_to_another_device_ends_the_stream(externs: Running) -> None:
    answer: Any = externs.client.subscribe(device_id=9)
    assert answer.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_a_client_sets_the_program(externs: Running) -> None:
    externs.client.add("ExtIngress.hosts", {"hdr.h.key": 1}, "ExtIngress.forward", port=4)
    kinds = messages.SetForwardingPipelineConfigRequest
    request = kinds(client_id=0, action=kinds.VERIFY_AND_WARM_INIT_BEGIN_AND_END)
    config = request.config.add(p4_name="renamed", bfruntime_info=externs.info)
    config.profiles.add(profile_name="pipe", binary=externs.json)
    answer = messages.SetForwardingPipelineConfigResponse
    externs.client.call("SetForwardingPipelineConfig", request, answer)
    for wanted in (0, 1):
        told = externs.client.received.get(timeout=10).set_forwarding_pipeline_config_response
        assert told.set_forwarding_pipeline_config_response_type == wanted
    externs.client.bind("renamed")
    externs.client.refresh()
    assert externs.client.get("ExtIngress.hosts") == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: setattr(c, "bfruntime_info", b"{}"), "no bf-rt.json"),
        (
            lambda c: setattr(c, "bfruntime_info", c.bfruntime_info.replace(b"forward", b"onward")),
            "no action",
        ),
        (lambda c: setattr(c, "bfruntime_info", c.bfruntime_info.replace(b"hosts", b"guests")), "no table"),
        (lambda c: setattr(c.profiles[0], "binary", b"?"), "device config"),
        (lambda c: setattr(c, "p4_name", ""), "no name"),
    ],
    ids=["no description", "action", "table", "binary", "name"],
)
def test_a_program_that_does_not_fit_is_refused(
    change: Callable[[Any], None], why: str, externs: Running
) -> None:
    externs.client.add("ExtIngress.hosts", {"hdr.h.key": 1}, "ExtIngress.forward", port=4)
    kinds = messages.SetForwardingPipelineConfigRequest
    request = kinds(client_id=0, action=kinds.VERIFY_AND_WARM_INIT_BEGIN_AND_END)
    config = request.config.add(p4_name="program", bfruntime_info=externs.info)
    config.profiles.add(profile_name="pipe", binary=externs.json)
    change(config)
    with pytest.raises(grpc.RpcError, match=why):
        externs.client.call(
            "SetForwardingPipelineConfig", request, messages.SetForwardingPipelineConfigResponse
        )
    assert externs.send(6, key=1)[0][0] == 4


# ---- Entries -----------------------------------------------------------------------------------------------


def test_entries_are_added_changed_read_and_deleted(externs: Running) -> None:
    client, table, key = externs.client, "ExtIngress.hosts", {"hdr.h.key": 0x1234}
    client.add(table, key, "ExtIngress.forward", port=4)
    assert externs.send(6, key=0x1234)[0][0] == 4
    (found,) = client.get(table, key)
    assert found[0] == key
    assert (found[1]["action"], found[1]["port"]) == ("ExtIngress.forward", 4)
    with pytest.raises(Refused) as refused:
        client.add(table, key, "ExtIngress.forward", port=5)
    assert codes(refused.value) == [rpc_code.ALREADY_EXISTS]
    client.write(client.update("MODIFY", table, key, {"port": 5}, "ExtIngress.forward"))
    assert externs.send(6, key=0x1234)[0][0] == 5
    client.write(client.update("INSERT_OR_MODIFY", table, key, {"port": 6}, "ExtIngress.forward"))
    client.write(
        client.update("INSERT_OR_MODIFY", table, {"hdr.h.key": 2}, {"port": 7}, "ExtIngress.forward")
    )
    assert {entry[0]["hdr.h.key"]: entry[1]["port"] for entry in client.get(table)} == {0x1234: 6, 2: 7}
    client.write(client.update("DELETE", table, key))
    with pytest.raises(Refused) as refused:
        client.write(client.update("DELETE", table, key))
    assert codes(refused.value) == [rpc_code.NOT_FOUND]
    with pytest.raises(Refused) as refused:
        client.get(table, key)
    assert codes(refused.value) == [rpc_code.NOT_FOUND]
    client.write(client.update("DELETE", table))
    assert client.get(table) == []


def test_the_default_entry_is_set_and_reset(externs: Running) -> None:
    client, table = externs.client, "ExtIngress.hosts"
    client.write(
        client.update("MODIFY", table, None, {"port": 9}, "ExtIngress.forward", is_default_entry=True)
    )
    assert externs.send(6)[0][0] == 9
    assert client.get(table, default=True) == [({}, {"action": "ExtIngress.forward", "port": 9})]
    client.write(client.update("DELETE", table, is_default_entry=True))
    assert externs.send(6)[0][0] == 1
    assert client.get(table, default=True) == [({}, {"action": "NoAction"})]


def test_a_batch_goes_on_or_is_undone(externs: Running) -> None:
    client, table = externs.client, "ExtIngress.hosts"
    client.add(table, {"hdr.h.key": 2}, "ExtIngress.forward", port=2)

    def batch() -> list[Any]:
        return [
            client.update("INSERT", table, {"hdr.h.key": key}, {"port": 3}, "ExtIngress.forward")
            for key in (1, 2, 3)
        ]

    with pytest.raises(Refused) as refused:
        client.write(*batch(), atomicity="ROLLBACK_ON_ERROR")
    assert refused.value.code is grpc.StatusCode.UNKNOWN
    assert list(refused.value.errors) == [1]
    assert [entry[0]["hdr.h.key"] for entry in client.get(table)] == [2]
    with pytest.raises(Refused) as refused:
        client.write(*batch())
    assert list(refused.value.errors) == [1]
    assert {entry[0]["hdr.h.key"] for entry in client.get(table)} == {1, 2, 3}
    with pytest.raises(Refused, match="atomic for packets"):
        client.write(*batch(), atomicity="DATAPLANE_ATOMIC")


def test_meters_and_timeouts_of_entries_are_undone(externs: Running) -> None:
    client, key = externs.client, {"hdr.h.key": 7}
    rates = {f"$METER_SPEC_{name}": 5 for name in ("CIR_PPS", "PIR_PPS", "CBS_PKTS", "PBS_PKTS")}
    data = {"ExtIngress.limit": rates, "ExtIngress.hosts": {"$ENTRY_TTL": 100_000}}
    changed = {"ExtIngress.limit": {"$METER_SPEC_PIR_PPS": 6}, "ExtIngress.hosts": {"$ENTRY_TTL": 200_000}}
    for table, action in (("ExtIngress.limit", "metered"), ("ExtIngress.hosts", "forward")):
        client.add(table, key, f"ExtIngress.{action}", data={"port": 4, **data[table]})
        before = client.get(table)
        failing = client.update("DELETE", table, {"hdr.h.key": 9})
        for change in (
            client.update("MODIFY", table, key, changed[table]),
            client.update("DELETE", table, key),
        ):
            with pytest.raises(Refused):
                client.write(change, failing, atomicity="ROLLBACK_ON_ERROR")
            assert client.get(table) == before


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda e: setattr(e, "table_id", 0x12345), rpc_code.NOT_FOUND),
        (lambda e: setattr(e.key.fields[0].exact, "value", b"\x01\x00\x00"), rpc_code.OUT_OF_RANGE),
        (lambda e: setattr(e.key.fields[0].exact, "value", b""), rpc_code.OUT_OF_RANGE),
        (lambda e: setattr(e.key.fields[0].ternary, "value", b"\x01"), rpc_code.INVALID_ARGUMENT),
        (lambda e: setattr(e.key.fields[0], "field_id", 9), rpc_code.INVALID_ARGUMENT),
        (lambda e: e.key.fields.add(field_id=1), rpc_code.INVALID_ARGUMENT),
        (lambda e: setattr(e.data, "action_id", 5), rpc_code.INVALID_ARGUMENT),
        (lambda e: e.data.ClearField("action_id"), rpc_code.INVALID_ARGUMENT),
        (lambda e: e.data.ClearField("fields"), rpc_code.INVALID_ARGUMENT),
        (lambda e: setattr(e.data.fields[0], "stream", b"\x02\x00"), rpc_code.OUT_OF_RANGE),
        (lambda e: setattr(e.data.fields[0], "str_val", "4"), rpc_code.INVALID_ARGUMENT),
        (lambda e: setattr(e.data.fields[0], "field_id", 77), rpc_code.INVALID_ARGUMENT),
        (lambda e: e.ClearField("key"), rpc_code.INVALID_ARGUMENT),
        (lambda e: setattr(e, "handle_id", 3), rpc_code.NOT_FOUND),
    ],
)
def test_a_bad_entry_is_refused_and_changes_nothing(
    change: Callable[[Any], object], code: int, externs: Running
) -> None:
    client = externs.client
    update = client.update("INSERT", "ExtIngress.hosts", {"hdr.h.key": 1}, {"port": 4}, "ExtIngress.forward")
    change(update.entity.table_entry)
    with pytest.raises(Refused) as refused:
        client.write(update)
    assert codes(refused.value) == [code]
    assert client.get("ExtIngress.hosts") == []


def test_usage_handles_and_ids_by_name(externs: Running) -> None:
    client, table = externs.client, externs.client.tables["ExtIngress.hosts"]
    client.add("ExtIngress.hosts", {"hdr.h.key": 5}, "ExtIngress.forward", port=4)
    usage = messages.Entity(table_usage=messages.TableUsage(table_id=table.id))
    assert client.read_entities(usage)[0].table_usage.usage == 1
    handle = messages.HandleId(table_id=table.id)
    handle.key.CopyFrom(client.entry("ExtIngress.hosts", {"hdr.h.key": 5}, {}, None).key)
    number = client.read_entities(messages.Entity(handle=handle))[0].handle.handle_id
    by_handle = messages.Entity(table_entry=messages.TableEntry(table_id=table.id, handle_id=number))
    assert client.read_entities(by_handle)[0].table_entry.key == handle.key
    wanted = messages.Entity()
    wanted.object_id.table_object.table_name = "pipe.ExtIngress.hosts"
    assert client.read_entities(wanted)[0].object_id.id == table.id
    wanted.object_id.table_object.action_name.action = "ExtIngress.forward"
    assert client.read_entities(wanted)[0].object_id.id in table.actions


# ---- What entries have beside ------------------------------------------------------------------------------


def test_members_and_groups(externs: Running) -> None:
    client, profile, selector = externs.client, "ExtIngress.choices", "ExtIngress.choices_sel"
    for member, port in ((1, 11), (2, 12)):
        client.add(profile, {"$ACTION_MEMBER_ID": member}, "ExtIngress.forward", port=port)
    group = {"$SELECTOR_GROUP_ID": 5}
    with pytest.raises(Refused, match="no member 3"):
        client.add(selector, group, data={"$ACTION_MEMBER_ID": [3], "$ACTION_MEMBER_STATUS": [True]})
    client.add(selector, group, data={"$ACTION_MEMBER_ID": [1, 2], "$ACTION_MEMBER_STATUS": [True, False]})
    client.add("ExtIngress.balance", {"hdr.h.mark": 0}, data={"$SELECTOR_GROUP_ID": 5})
    assert {externs.send(1, key=key)[0][0] for key in range(20)} == {11}
    states = {"$ACTION_MEMBER_ID": [1, 2], "$ACTION_MEMBER_STATUS": [False, True]}
    client.write(client.update("MODIFY", selector, group, states))
    assert {externs.send(1, key=key)[0][0] for key in range(20)} == {12}
    one = {"$ACTION_MEMBER_ID": [1], "$ACTION_MEMBER_STATUS": [True]}
    client.write(client.update("MODIFY_INC", selector, group, one))
    assert {externs.send(1, key=key)[0][0] for key in range(50)} == {11, 12}
    take = client.update("MODIFY_INC", selector, group, {"$ACTION_MEMBER_ID": [2]})
    take.entity.table_entry.table_flags.mod_del = True
    client.write(take)
    assert client.get(selector, group)[0][1]["$ACTION_MEMBER_ID"] == [1]
    client.write(
        client.update("MODIFY", profile, {"$ACTION_MEMBER_ID": 1}, {"port": 13}, "ExtIngress.forward")
    )
    assert externs.send(1)[0][0] == 13
    with pytest.raises(Refused) as refused:
        client.write(client.update("DELETE", profile, {"$ACTION_MEMBER_ID": 1}))
    assert codes(refused.value) == [rpc_code.FAILED_PRECONDITION]
    assert client.get("ExtIngress.balance")[0][1] == {"$SELECTOR_GROUP_ID": 5}


def test_meters_of_arrays_and_entries(externs: Running) -> None:
    client, index = externs.client, {"$METER_INDEX": 2}
    assert externs.send(4, key=2)[0][1] == 0
    rates = {"CIR_PPS": 1, "PIR_PPS": 2, "CBS_PKTS": 1, "PBS_PKTS": 2}
    data = {f"$METER_SPEC_{name}": value for name, value in rates.items()}
    client.add("ExtIngress.limits", index, data=data)
    assert [externs.send(4, key=2)[0][1] for _ in range(3)] == [0, 1, 2]
    assert client.get("ExtIngress.limits", index) == [(index, data)]
    assert len(client.get("ExtIngress.limits")) == 4
    key = {"hdr.h.key": 7}
    client.add("ExtIngress.limit", key, "ExtIngress.metered", data={"port": 4, **data})
    assert [externs.send(3, key=7)[0][1] for _ in range(3)] == [0, 1, 2]
    assert data.items() <= client.get("ExtIngress.limit", key)[0][1].items()
    with pytest.raises(Refused, match="less than the committed"):
        client.write(client.update("MODIFY", "ExtIngress.limits", index, {"$METER_SPEC_CIR_PPS": 3}))
    with pytest.raises(Refused, match="index 4"):
        client.get("ExtIngress.limits", {"$METER_INDEX": 4})


def test_value_sets(externs: Running) -> None:
    client = externs.client
    assert externs.send(0, key=0x0102)[0][1] == 0
    client.add("ExtParser.special", {"f1": (0x0102, 0xFFFF)})
    assert externs.send(0, key=0x0102)[0][1] == 0xFF
    assert client.get("ExtParser.special") == [({"f1": (0x0102, 0xFFFF)}, {})]
    client.write(client.update("DELETE", "ExtParser.special", {"f1": (0x0102, 0xFFFF)}))
    assert externs.send(0, key=0x0102)[0][1] == 0


def test_multicast_trees(externs: Running) -> None:
    client = externs.client
    node = {"$MULTICAST_RID": 6, "$MULTICAST_LAG_ID": [], "$DEV_PORT": [1, 2]}
    client.add("$pre.node", {"$MULTICAST_NODE_ID": 10}, data=node)
    tree = {
        "$MULTICAST_NODE_ID": [10],
        "$MULTICAST_NODE_L1_XID_VALID": [False],
        "$MULTICAST_NODE_L1_XID": [0],
    }
    client.add("$pre.mgid", {"$MGID": 4}, data=tree)
    assert sorted(externs.send(7, key=4)) == [(1, 6), (2, 6)]
    more = {**node, "$DEV_PORT": [3]}
    client.write(client.update("MODIFY", "$pre.node", {"$MULTICAST_NODE_ID": 10}, more))
    assert externs.send(7, key=4) == [(3, 6)]
    with pytest.raises(Refused, match="is in a tree"):
        client.write(client.update("DELETE", "$pre.node", {"$MULTICAST_NODE_ID": 10}))
    with pytest.raises(Refused) as refused:
        client.add("$pre.mgid", {"$MGID": 5}, data={**tree, "$MULTICAST_NODE_ID": [11]})
    assert codes(refused.value) == [rpc_code.NOT_FOUND]
    client.write(client.update("DELETE", "$pre.mgid", {"$MGID": 4}))
    assert externs.send(7, key=4) == []
    client.write(client.update("DELETE", "$pre.node", {"$MULTICAST_NODE_ID": 10}))


def test_mirror_sessions(externs: Running) -> None:
    client, sid = externs.client, {"$sid": 5}
    session = {
        "$session_enable": True,
        "$direction": "INGRESS",
        "$ucast_egress_port": 8,
        "$ucast_egress_port_valid": True,
        "$max_pkt_len": 20,
    }
    client.add("$mirror.cfg", sid, "$normal", data=session)
    assert sorted(port for port, _ in externs.send(8, key=5)) == [1, 8]
    assert client.get("$mirror.cfg", sid)[0][1] == {"action": "$normal", **session}
    client.write(client.update("MODIFY", "$mirror.cfg", sid, {"$session_enable": False}, "$normal"))
    assert [port for port, _ in externs.send(8, key=5)] == [1]
    with pytest.raises(Refused, match="not coalesced"):
        client.add("$mirror.cfg", {"$sid": 6}, "$coalescing", data=session)


# ---- Notifications -----------------------------------------------------------------------------------------


def test_digests(externs: Running) -> None:
    externs.send(5, key=0x0AFE, port=7)
    digest = externs.client.received.get(timeout=10).digest
    (data,) = digest.data
    assert [int.from_bytes(f.stream, "big") for f in data.fields] == [0x0AFE, 7]
    assert [len(f.stream) for f in data.fields] == [2, 2]
    assert digest.digest_id == json.loads(externs.info)["learn_filters"][0]["id"]


def test_idle_entries(externs: Running) -> None:
    client, table = externs.client, externs.client.tables["ExtIngress.hosts"]
    attribute = messages.Update(type=messages.Update.INSERT)
    attribute.entity.table_attribute.table_id = table.id
    idle = attribute.entity.table_attribute.idle_table
    idle.enable, idle.idle_table_mode = True, messages.IdleTable.IDLE_TABLE_NOTIFY_MODE
    client.write(attribute)
    client.add(
        "ExtIngress.hosts", {"hdr.h.key": 3}, "ExtIngress.forward", data={"port": 4, "$ENTRY_TTL": 100}
    )
    (entry,) = client.get("ExtIngress.hosts")
    assert entry[1]["$ENTRY_TTL"] == 100
    told = client.received.get(timeout=10).idle_timeout_notification
    assert told.type == messages.IdleTimeoutNotification.ENTRY_IDLE
    assert told.table_entry.table_id == table.id
    assert told.table_entry.key.fields[0].exact.value == b"\x00\x03"
    client.write(client.update("MODIFY", "ExtIngress.hosts", {"hdr.h.key": 3}, {"$ENTRY_TTL": 0}))
    externs.send(6, key=3)
    assert client.get("ExtIngress.hosts")[0][1]["$ENTRY_HIT_STATE"] == "ENTRY_ACTIVE"
    change = {"$ENTRY_HIT_STATE": "ENTRY_IDLE"}
    client.write(client.update("MODIFY", "ExtIngress.hosts", {"hdr.h.key": 3}, change))
    assert client.get("ExtIngress.hosts")[0][1]["$ENTRY_HIT_STATE"] == "ENTRY_IDLE"
    externs.send(6, key=3)
    assert client.get("ExtIngress.hosts")[0][1]["$ENTRY_HIT_STATE"] == "ENTRY_ACTIVE"


def test_ports(externs: Running) -> None:
    client, key = externs.client, {"$DEV_PORT": 5}
    client.add("$PORT", key, data={"$SPEED": "BF_SPEED_10G", "$FEC": "BF_FEC_TYP_NONE", "$PORT_ENABLE": True})
    assert client.get("$PORT", key)[0][1]["$PORT_UP"] is True
    externs.server.set_port(5, up=False)
    told = client.received.get(timeout=10).port_status_change_notification
    assert (told.port_up, told.table_entry.key.fields[0].exact.value) == (False, b"\x00\x00\x00\x05")
    assert client.get("$PORT", key)[0][1]["$PORT_UP"] is False
    with pytest.raises(Refused, match="none of BF_SPEED_NONE"):
        client.write(client.update("MODIFY", "$PORT", key, {"$SPEED": "BF_SPEED_11G"}))
    with pytest.raises(Refused, match="can only be read"):
        client.write(client.update("MODIFY", "$PORT", key, {"$PORT_UP": True}))


# ---- The command -------------------------------------------------------------------------------------------

MECN = Path(__file__).parents[3] / "p4src" / "mecn_v1model.p4"
COMMAND = str(Path(sys.executable).with_name("mecn-switch"))


def test_the_command_serves_it(externs: Running, tmp_path: Path) -> None:
    (tmp_path / "externs.json").write_bytes(externs.json)
    (tmp_path / "bf-rt.json").write_bytes(externs.info)
    arguments = ["--grpc-server-addr", "127.0.0.1:0", "--bf-rt-schema", "bf-rt.json", "externs.json"]
    with subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("mecn-switch: device 0, BF Runtime on 127.0.0.1:")
            with BfrtTestClient(line.split()[-1], bind="externs") as client:
                client.add("ExtIngress.hosts", {"hdr.h.key": 1}, "ExtIngress.forward", port=4)
                assert len(client.get("ExtIngress.hosts")) == 1
        finally:
            process.terminate()
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("info", "more", "why"),
    [
        (b"{}", [], "externs.json: the BF Runtime info is no bf-rt.json"),
        (None, [], "bf-rt.json: No such file"),
        (b"{}", ["--p4info", "x"], "neither --p4info nor --runtime-json"),
    ],
    ids=["no description", "no file", "two protocols"],
)
def test_the_command_says_what_is_wrong(
    info: bytes | None, more: list[str], why: str, externs: Running, tmp_path: Path
) -> None:
    (tmp_path / "externs.json").write_bytes(externs.json)
    if info is not None:
        (tmp_path / "bf-rt.json").write_bytes(info)
    command = [COMMAND, *more, "--bf-rt-schema", "bf-rt.json", "externs.json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False)
    assert done.returncode != 0
    assert why in done.stderr


# ---- Arrays, and keys of more kinds, on the project's own program ------------------------------------------


@pytest.fixture(scope="module")
def mecn() -> Iterator[BfrtTestClient]:
    device_config = mecn_native.compile_p4(MECN).bmv2_json.encode()
    with BfRuntimeServer(address="127.0.0.1:0") as server:
        server.load("program", describe(device_config), device_config)
        with BfrtTestClient(server.address) as client:
            yield client


def test_counters(mecn: BfrtTestClient) -> None:
    table, index = "MecnIngress.admission.early_drop_stats", {"$COUNTER_INDEX": 3}
    mecn.add(table, index, data={"$COUNTER_SPEC_PKTS": 5, "$COUNTER_SPEC_BYTES": 700})
    assert mecn.get(table, index) == [(index, {"$COUNTER_SPEC_PKTS": 5, "$COUNTER_SPEC_BYTES": 700})]
    mecn.write(mecn.update("MODIFY", table, index, {"$COUNTER_SPEC_PKTS": 0}))
    assert mecn.get(table, index)[0][1] == {"$COUNTER_SPEC_PKTS": 0, "$COUNTER_SPEC_BYTES": 700}
    operation = messages.Update(type=messages.Update.INSERT)
    operation.entity.table_operation.table_id = mecn.tables[table].id
    operation.entity.table_operation.table_operations_type = "Sync"
    mecn.write(operation)
    operation.entity.table_operation.table_operations_type = "Other"
    with pytest.raises(Refused, match="no operation 'Other'"):
        mecn.write(operation)
    mecn.write(mecn.update("DELETE", table))
    assert mecn.get(table, index)[0][1] == {"$COUNTER_SPEC_PKTS": 0, "$COUNTER_SPEC_BYTES": 0}


def test_registers(mecn: BfrtTestClient) -> None:
    table, index = "MecnEgress.marking.average.avg_qdepth", {"$REGISTER_INDEX": 9}
    mecn.write(mecn.update("MODIFY", table, index, {f"{table}.f1": 1 << 40}))
    assert mecn.get(table, index) == [(index, {f"{table}.f1": 1 << 40})]
    assert len(mecn.get(table)) == mecn.tables[table].size
    with pytest.raises(Refused) as refused:
        mecn.write(mecn.update("MODIFY", table, {"$REGISTER_INDEX": 1 << 20}, {f"{table}.f1": 1}))
    assert codes(refused.value) == [rpc_code.INVALID_ARGUMENT]


def bare(client: BfrtTestClient, table: str) -> str:
    """An action of a table that has no parameters."""
    return next(a.name for a in client.tables[table].actions.values() if not a.fields)


def test_ternary_keys_have_priorities(mecn: BfrtTestClient) -> None:
    table = "MecnIngress.policy.aqm_port"
    action = bare(mecn, table)
    key: dict[str, Part] = {"egress_port": 1, "dscp": (0x2F, 0x3E), "$MATCH_PRIORITY": 7}
    mecn.add(table, key, action)
    mecn.add(table, {**key, "$MATCH_PRIORITY": 8}, action)
    mecn.add(table, {"egress_port": 1, "$MATCH_PRIORITY": 9}, action)
    found = {entry[0]["$MATCH_PRIORITY"]: entry[0]["dscp"] for entry in mecn.get(table)}
    assert found == {7: (0x2E, 0x3E), 8: (0x2E, 0x3E), 9: (0, 0)}
    with pytest.raises(Refused, match="more than 24 bits"):
        mecn.add(table, {**key, "$MATCH_PRIORITY": 1 << 24}, action)
    mecn.write(mecn.update("DELETE", table))


def test_prefixes(mecn: BfrtTestClient) -> None:
    table = "MecnIngress.forwarding.ipv4_lpm"
    action = bare(mecn, table)
    mecn.add(table, {"dst_addr": (0x0A0000FF, 24)}, action)
    assert mecn.get(table)[0][0] == {"dst_addr": (0x0A000000, 24)}
    with pytest.raises(Refused, match="prefix length 33"):
        mecn.add(table, {"dst_addr": (1, 33)}, action)
    mecn.write(mecn.update("DELETE", table))


def test_port_shaping(mecn: BfrtTestClient) -> None:
    port: dict[str, Part] = {"dev_port": 4}
    rate = {"unit": "BPS", "max_rate": 10_000, "max_burst_size": 1500}
    mecn.write(mecn.update("MODIFY", "tf1.tm.port.sched_shaping", port, rate))
    mecn.write(mecn.update("MODIFY", "tf1.tm.port.sched_cfg", port, {"max_rate_enable": True}))
    assert rate.items() <= mecn.get("tf1.tm.port.sched_shaping", port)[0][1].items()
    assert mecn.get("tf1.tm.port.sched_cfg", port)[0][1]["max_rate_enable"] is True
