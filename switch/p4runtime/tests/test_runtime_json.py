# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`--runtime-json`: the static entries of p4lang/tutorials."""

import json
from pathlib import Path
from typing import Any

import pytest
from finsy.proto import p4r
from google.protobuf import text_format
from mecn_switch import P4RuntimeServer
from mecn_switch.runtime_json import RuntimeFileError, read_runtime

from . import program
from .client import Client
from .compiled import compiled
from .entries import (
    FORWARD_1,
    NET_10,
    action,
    choose,
    classify,
    exact,
    optional,
    range_,
    route,
    ternary,
    wide,
)
from .mecn_program import switch_process
from .test_cli import fails

ROUTE = {
    "table": "Ingress.route",
    "match": {"addr": ["10.0.0.0", 8]},
    "action_name": "Ingress.forward",
    "action_params": {"port": 1},
}
OTHERS: list[dict[str, Any]] = [
    {"table": "Ingress.route", "default_action": True, "action_name": "drop", "action_params": {}},
    {
        "table": "classify",
        "match": {"kind": 7, "port": ["0x1200", "0xff00"], "mark": [5, 9]},
        "priority": 3,
        "action_name": "set_mark",
        "action_params": {"mark": "5"},
    },
    {
        "table": "choose",
        "priority": 2,
        "match": {"kind": [7]},
        "action_name": "set_mark",
        "action_params": {"mark": 5},
    },
    {
        "table": "wide",
        "match": {"addr6": "2001:db8::1"},
        "action_name": "set_mark",
        "action_params": {"mark": 5},
    },
]
WIDE = bytes.fromhex("20010db8000000000000000000000001")


def load(server: P4RuntimeServer, path: Path, data: object, config: p4r.ForwardingPipelineConfig) -> None:
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    runtime = read_runtime(path)
    server.load(text_format.MessageToString(config.p4info), config.p4_device_config)
    server.write(runtime)


def test_entries_of_all_kinds(server: P4RuntimeServer, tmp_path: Path) -> None:
    load(server, tmp_path / "runtime.json", {"table_entries": [ROUTE, *OTHERS]}, program.config())
    wanted = [
        route(NET_10, call=FORWARD_1),
        classify(
            exact(1, b"\x07"), ternary(2, b"\x12\x00", b"\xff\x00"), range_(3, b"\x05", b"\x09"), priority=3
        ),
        choose(optional(1, b"\x07"), priority=2),
        wide(exact(1, WIDE)),
    ]
    with Client(server.address) as client:
        for entry in wanted:
            assert client.entries(p4r.TableEntry(table_id=entry.table_id)) == [entry]


def test_replication_and_addresses(server: P4RuntimeServer, tmp_path: Path) -> None:
    replicas = [{"egress_port": 1, "instance": 1}, {"egress_port": 2, "instance": 1}]
    data = {
        "table_entries": [
            {
                "table": "MyIngress.ipv4_lpm",
                "match": {"hdr.ipv4.dst_addr": ["10.0.1.1", 32]},
                "action_name": "MyIngress.ipv4_forward",
                "action_params": {"dst_addr": "08:00:00:00:01:11", "port": 1},
            }
        ],
        "multicast_group_entries": [{"multicast_group_id": 1, "replicas": replicas}],
        "clone_session_entries": [
            {"clone_session_id": 5, "replicas": replicas[:1], "packet_length_bytes": 64}
        ],
    }
    load(server, tmp_path / "runtime.json", data, compiled("thrift_users"))
    switch = server.switch
    [entry] = switch.entries("MyIngress.ipv4_lpm")
    assert entry.action is not None
    assert list(entry.action.args) == [0x080000000111, 1]
    assert dict(switch.multicast_groups())[1] == [(1, 1), (2, 1)]
    with Client(server.address) as client:
        query = p4r.Entity(
            packet_replication_engine_entry=p4r.PacketReplicationEngineEntry(
                clone_session_entry=p4r.CloneSessionEntry(session_id=5)
            )
        )
        [session] = client.read(query)
    found = session.packet_replication_engine_entry.clone_session_entry
    assert [replica.egress_port for replica in found.replicas] == [1]
    assert found.packet_length_bytes == 64


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{\n x}", "runtime.json:2:2: not valid JSON"),
        ("[]", "is no JSON object"),
        ({"table_entries": {}}, "table_entries is no list"),
        ({"p4info": 1}, "bmv2_json and p4info must be paths"),
        ({"table_entries": [{}]}, "table_entries, entry 1: table is missing"),
        ({"table_entries": [7]}, "table_entries, entry 1: "),
        (
            {"table_entries": [ROUTE | {"table": "acl"}]},
            "the program has no table 'acl' (it has Ingress.always",
        ),
        ({"table_entries": [ROUTE | {"action_name": "mark"}]}, "has no action 'mark'"),
        (
            {"table_entries": [ROUTE | {"match": {"address": ["10.0.0.0", 8]}}]},
            "has no match field 'address'",
        ),
        ({"table_entries": [ROUTE | {"match": {"addr": "10.0.0.1"}}]}, "addr is lpm and takes a list of two"),
        (
            {"table_entries": [ROUTE | {"match": {"addr": ["ten", 8]}}]},
            "'ten' is not a number, an IP address",
        ),
        ({"table_entries": [ROUTE | {"match": {"addr": ["10.0.0.1", 8]}}]}, "has bits set beyond its prefix"),
        ({"table_entries": [ROUTE | {"action_params": {"port": 512}}]}, "0x200 does not fit bit<9>"),
        ({"table_entries": [ROUTE | {"action_params": {"port": -1}}]}, "-1 is not a number"),
        ({"table_entries": [ROUTE | {"action_params": {}}]}, "parameter port is missing"),
        ({"table_entries": [ROUTE, ROUTE]}, "table_entries, entry 2: "),
        ({"table_entries": [OTHERS[1] | {"priority": 0}]}, "needs a priority greater than 0"),
        ({"multicast_group_entries": [{"multicast_group_id": 1}]}, "entry 1: replicas is missing"),
        (
            {"clone_session_entries": [{"clone_session_id": "x", "replicas": []}]},
            "clone_session_entries, entry 1: ",
        ),
    ],
)
def test_what_is_wrong_is_said(data: object, said: str, server: P4RuntimeServer, tmp_path: Path) -> None:
    with pytest.raises(RuntimeFileError) as error:
        load(server, tmp_path / "runtime.json", data, program.config())
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As in a folder of p4lang/tutorials: paths in the file are relative to the current one."""
    monkeypatch.chdir(tmp_path)
    Path("build").mkdir()
    Path("build/probe.json").write_text(json.dumps(program.bmv2_json()))
    Path("build/probe.p4info.txtpb").write_text(text_format.MessageToString(program.p4info()))
    Path("topology").mkdir()
    named = {"target": "bmv2", "p4info": "build/probe.p4info.txtpb", "bmv2_json": "build/probe.json"}
    Path("topology/s1-runtime.json").write_text(json.dumps({**named, "table_entries": [ROUTE]}))
    Path("topology/entries.json").write_text(json.dumps({"table_entries": [ROUTE]}))
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("--runtime-json", "topology/s1-runtime.json"),
        (
            "build/probe.json",
            "--p4info",
            "build/probe.p4info.txtpb",
            "--runtime-json",
            "topology/entries.json",
        ),
    ],
)
def test_the_command_starts_with_the_entries(arguments: tuple[str, ...], files: Path) -> None:
    assert files.is_dir()
    with switch_process(*arguments) as (_, address), Client(address) as client:
        assert client.entries(p4r.TableEntry(table_id=program.ROUTE)) == [route(NET_10)]
        client.modify(route(NET_10, call=action(program.FORWARD, b"\x02")))


def test_the_command_says_what_is_missing(files: Path) -> None:
    assert files.is_dir()
    assert fails("--runtime-json", "topology/entries.json") == (
        1,
        "mecn-switch: topology/entries.json: names no bmv2_json; give PIPELINE.json and --p4info",
    )
    assert fails("--runtime-json", "none.json") == (1, "mecn-switch: none.json: No such file or directory")
    assert fails("--no-p4", "--runtime-json", "none.json")[0] == 2
