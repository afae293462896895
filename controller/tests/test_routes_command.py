# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`mecn route` on the switches of the tests, and files of p4lang/tutorials."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from mecn_controller.commands.route import route
from mecn_controller.errors import ControllerError
from mecn_controller.policy.routes import NoRoute, Route
from mecn_controller.policy.runtime_json import load_routes

if TYPE_CHECKING:
    from pathlib import Path

    from tests.meddler import Meddler

HERE, THERE = "02:00:00:00:02:fe", "02:00:00:00:02:01"
ENTRY = {
    "table": "MyIngress.ipv4_lpm",
    "match": {"hdr.ipv4.dstAddr": ["10.0.1.1", 32]},
    "action_name": "MyIngress.ipv4_forward",
    "action_params": {"dstAddr": "08:00:00:00:01:11", "port": 1},
}
DEFAULT = {"table": "MyIngress.ipv4_lpm", "default_action": True, "action_name": "MyIngress.drop"}


def call(switch: Meddler, *arguments: str) -> Result:
    return CliRunner().invoke(route, [arguments[0], "--address", switch.address, *arguments[1:]])


def test_routes_are_added_shown_and_deleted(loaded: Meddler) -> None:
    assert "no routes" in call(loaded, "show").output
    macs = ("--src-mac", HERE, "--dst-mac", THERE)
    assert call(loaded, "add", "10.0.2.0/24", "--port", "2", *macs).exit_code == 0
    assert call(loaded, "add", "2001:db8:2::/64", "--port", "3", *macs).exit_code == 0
    assert call(loaded, "add", "10.0.2.254/32", "--local").exit_code == 0
    shown = json.loads(call(loaded, "show", "--json").output)["routes"]
    assert [(each["kind"], each["prefix"], each.get("port")) for each in shown] == [
        ("Route", "10.0.2.0/24", 2),
        ("LocalRoute", "10.0.2.254/32", None),
        ("Route", "2001:db8:2::/64", 3),
    ]
    rows = [line.split() for line in call(loaded, "show").output.splitlines()]
    assert ["10.0.2.0/24", "2", THERE, HERE] in rows
    assert call(loaded, "del", "10.0.2.0/24").exit_code == 0
    assert "10.0.2.0/24" not in call(loaded, "show").output
    refused = call(loaded, "del", "10.0.2.0/24").exception
    assert isinstance(refused, ControllerError)
    assert str(refused).endswith("no route to 10.0.2.0/24")


def test_a_file_of_the_tutorials_is_taken(loaded: Meddler, tmp_path: Path) -> None:
    path = tmp_path / "runtime.json"
    path.write_text(json.dumps({"target": "bmv2", "table_entries": [DEFAULT, ENTRY]}))
    done = call(loaded, "add", "--file", str(path), "--src-mac", HERE)
    assert done.exit_code == 0, done.output
    rows = [line.split() for line in call(loaded, "show").output.splitlines()]
    assert rows[1:] == [["10.0.1.1/32", "1", "08:00:00:00:01:11", HERE]]


def test_this_programs_names_are_taken_too(tmp_path: Path) -> None:
    path = tmp_path / "runtime.json"
    forward = {
        "table": "MecnIngress.forwarding.ipv6_lpm",
        "match": {"dst_addr": ["2001:db8::", 32]},
        "action_name": "MecnIngress.forwarding.forward",
        "action_params": {"src_mac": HERE, "dst_mac": THERE, "port": 4},
    }
    drop = {**ENTRY, "action_name": "MyIngress.drop", "action_params": {}}
    path.write_text(json.dumps({"table_entries": [forward, drop]}))
    assert load_routes(path) == [Route("2001:db8::/32", 4, HERE, THERE), NoRoute("10.0.1.1/32")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"table": "MyIngress.acl"}, "table 'MyIngress.acl' is none of routes"),
        ({"action_name": "MyIngress.mark"}, "action 'MyIngress.mark' is none of"),
        ({"match": {"hdr.ipv4.dstAddr": ["10.0.1.1", 24]}}, "has host bits set"),
        ({"action_params": {"dstAddr": "here", "port": 1}}, "'here' is not a MAC address"),
        ({"default_action": True}, "the program drops what has no route"),
        ({"match": {}}, "entry 1: "),
    ],
)
def test_an_entry_that_cannot_be_used_is_named(change: dict[str, object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "runtime.json"
    path.write_text(json.dumps({"table_entries": [{**ENTRY, **change}]}))
    with pytest.raises(ControllerError, match="table_entries, entry 1: ") as error:
        load_routes(path, HERE)
    assert said in str(error.value)


def test_a_missing_source_address_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "runtime.json"
    path.write_text(json.dumps({"table_entries": [ENTRY]}))
    with pytest.raises(ControllerError, match="give --src-mac"):
        load_routes(path)


def test_what_is_no_json_is_said_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "runtime.json"
    path.write_text("{\n  x}")
    with pytest.raises(ControllerError, match=r"runtime\.json:2:3: not valid JSON"):
        load_routes(path)
