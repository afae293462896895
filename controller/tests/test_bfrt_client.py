# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The client of BF Runtime, against this project's server, on entries of a program for v1model."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mecn_native
import pytest
from mecn_controller.errors import SwitchError
from mecn_controller.runtime.targets.bfrt import BfrtEntry, BfrtError
from mecn_controller.runtime.targets.bfrt_client import GrpcClient
from mecn_controller.runtime.targets.tna import LPF_TABLES
from mecn_controller.runtime.targets.tofino import time_constant_ns
from mecn_switch.bfrt import BfRuntimeServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests import traffic
else:
    import mecn_controller_traffic as traffic

PROGRAM = Path(__file__).parents[2] / "p4src" / "mecn_v1model.p4"
TABLE = "MecnIngress.policy.aqm_port"
NAME = f"pipe.{TABLE}"


def description(switch: mecn_native.Switch) -> bytes:
    """A bf-rt.json with the one table that these tests write."""
    table = next(t for t in switch.tables() if t.name == TABLE)
    kinds = {"exact": "Exact", "ternary": "Ternary"}
    keys: list[dict[str, Any]] = [
        {"id": i, "name": k.name, "match_type": kinds[k.match], "type": {"type": "bytes", "width": k.width}}
        for i, k in enumerate(table.keys, 1)
    ]
    keys.append({"id": 65537, "name": "$MATCH_PRIORITY", "match_type": "Exact", "type": {"type": "uint32"}})
    specs = [
        {
            "id": i,
            "name": action.name,
            "data": [
                {"id": j, "name": p.name, "repeated": False, "type": {"type": "bytes", "width": p.width}}
                for j, p in enumerate(action.params, 1)
            ],
        }
        for i, action in enumerate({a.name: a for a in table.actions}.values(), 1)
    ]
    described = {
        "name": NAME, "id": 7, "table_type": "MatchAction_Direct", "size": table.size, "key": keys,
        "data": [], "action_specs": specs,
    }  # fmt: skip
    return json.dumps({"tables": [described]}).encode()


@pytest.fixture(scope="module")
def running() -> Iterator[BfRuntimeServer]:
    """A server with the program."""
    device_config = mecn_native.compile_p4(PROGRAM).bmv2_json.encode()
    with BfRuntimeServer(address="127.0.0.1:0") as server:
        server.load("mecn", description(mecn_native.Switch.from_json(device_config)), device_config)
        yield server


@pytest.fixture
def client(running: BfRuntimeServer) -> Iterator[GrpcClient]:
    """A client that leaves no entries behind."""
    with GrpcClient(running.address) as found:
        yield found
        found.write("del", [BfrtEntry(NAME, e.key) for e in found.read(NAME)])


def entry(running: BfRuntimeServer, port: int, dscp: int, **changed: int) -> BfrtEntry:
    """An entry that sets a profile."""
    table = next(t for t in running.switch.tables() if t.name == TABLE)
    action = next(a for a in table.actions if a.name.endswith(".set_profile"))
    key = {
        "egress_port": {"value": port},
        "dscp": {"value": dscp, "mask": 63},
        "$MATCH_PRIORITY": {"value": 9},
    }
    data: dict[str, int | float | str] = {p.name: 1 for p in action.params}
    return BfrtEntry(NAME, key, action.name, {**data, **changed})


def test_entries_come_back_as_they_were_written(running: BfRuntimeServer, client: GrpcClient) -> None:
    first, second = entry(running, 1, 10), entry(running, 2, 12)
    client.write("add", [first, second])
    assert client.read(NAME) == [first, second]
    assert client.read(NAME, [second.key]) == [second]
    changed = entry(running, 1, 10, profile_id=4)
    client.write("mod", [changed])
    assert client.read(NAME, [first.key]) == [changed]
    client.write("del", [second])
    assert client.read(NAME) == [changed]


def test_a_refused_batch_leaves_nothing_and_says_which(running: BfRuntimeServer, client: GrpcClient) -> None:
    client.write("add", [entry(running, 1, 10)])
    with pytest.raises(BfrtError, match="exists") as refused:
        client.write("add", [entry(running, 3, 1), entry(running, 1, 10), entry(running, 4, 1)])
    assert refused.value.index == 1
    assert client.read(NAME) == [entry(running, 1, 10)]


def test_what_is_not_there_is_named(client: GrpcClient) -> None:
    with pytest.raises(SwitchError, match=r"no table pipe\.other"):
        client.read("pipe.other")


def test_a_second_client_with_the_same_id_is_refused(running: BfRuntimeServer, client: GrpcClient) -> None:
    assert client.p4_name == "mecn"
    with pytest.raises(SwitchError, match="client 1"):
        GrpcClient(running.address)


def test_nobody_at_the_address() -> None:
    with pytest.raises(SwitchError, match="nobody answers"):
        GrpcClient("127.0.0.1:1")


# ---- mecn apply on p4src/mecn_tna.p4 -----------------------------------------------------------------------


@pytest.fixture
def tofino(tmp_path: Path) -> Iterator[BfRuntimeServer]:
    """The embedded switch with the program for Tofino."""
    command = Path(sys.executable).with_name("mecn-p4c")
    source = PROGRAM.with_name("mecn_tna.p4")
    arguments = ["--arch", "tna", "-o", "program.json", "--bf-rt-schema", "bf-rt.json", str(source)]
    done = subprocess.run([command, *arguments], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    with BfRuntimeServer(address="127.0.0.1:0") as server:
        files = (tmp_path / "bf-rt.json", tmp_path / "program.json")
        server.load("mecn_tna", *(file.read_bytes() for file in files))
        yield server


def mecn(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command."""
    command = Path(sys.executable).with_name("mecn")
    return subprocess.run([command, *arguments], capture_output=True, text=True, check=False)


def test_a_profile_is_applied_to_a_tofino(tofino: BfRuntimeServer, tmp_path: Path) -> None:
    profile = tmp_path / "t.yaml"
    profile.write_text("name: t\nscheme: threshold\nthreshold: 20\nlink_packet_bytes: 1000\n")
    where = ("--address", tofino.address, "--device-id", "0", "--tofino", "1")
    done = mecn("apply", str(profile), "--port", "3", *where)
    assert (done.returncode, "t is in force" in done.stdout) == (0, True), done.stderr
    (found,) = tofino.switch.entries(TABLE)
    assert found.action.name.endswith(".set_profile")
    again = mecn("apply", str(profile), "--port", "3", *where)
    assert "as profile id 1" in again.stdout
    assert tofino.switch.entries(TABLE) == [found]
    refused = mecn("apply", str(profile), "--port", "3", *where, "--p4info", "x", "--program", "y")
    assert refused.returncode == 2


def ce_marks(switch: mecn_native.Switch, start_ns: int) -> list[bool]:
    """Which packets leave with CE of 30 ECN-capable ones that come at once and leave at port 3."""
    for _ in range(30):
        switch.receive(1, traffic.frame(3, 0), start_ns)
    left = []
    while (due := switch.next_departure()) is not None:
        departure = switch.depart(due)
        assert departure is not None
        assert departure.frame is not None
        left.append(departure.frame[15] & 3 == 3)
    return left


def test_the_average_of_a_tofino_is_the_profiles(tofino: BfRuntimeServer, tmp_path: Path) -> None:
    profile, switch = tmp_path / "t.yaml", tofino.switch
    where = ("--port", "3", "--address", tofino.address, "--device-id", "0", "--tofino", "1")
    with GrpcClient(tofino.address) as client:
        key = {"dst_addr": {"value": 0x0A000300, "prefix_len": 24}}
        action, data = "MecnIngress.forwarding.forward", {"port": 3, "src_mac": 1, "dst_mac": 2}
        client.write("add", [BfrtEntry("pipe.MecnIngress.forwarding.ipv4_lpm", key, action, {**data})])
    switch.configure_port(3, rate_bps=1_500_000)

    def apply(weight: float) -> None:
        profile.write_text(
            f"name: t\nscheme: ecn\nmin_th: 5\nmax_th: 6\nmax_p: 0.1\nweight: {weight}\n"
            "mean_service_time_us: 5333.3\nlink_packet_bytes: 1000\n"
        )
        done = mecn("apply", str(profile), *where)
        assert (done.returncode, "t is in force" in done.stdout) == (0, True), done.stderr

    apply(0.002)
    exact = time_constant_ns(Fraction("0.002"), 5333.3)
    assert exact is not None
    (constant,) = struct.unpack("<f", struct.pack("<f", exact))  # as BF Runtime's messages have it
    wanted = mecn_native.FilterConfig.Sample(constant, constant, 0)
    filters = [f.name for f in switch.filters()]
    assert sorted(filters) == sorted(LPF_TABLES)
    for name in filters:
        set_ = [queue for queue in range(4096) if switch.filter_read(name, queue) == wanted]
        assert set_ == [*range(24, 32)]
    # In 0.16 s the average, which forgets in 2.7 s, hardly rises; the depth is above max_th but for six.
    assert not any(ce_marks(switch, 0))
    apply(1)
    assert ce_marks(switch, 10**9) == [True] * 24 + [False] * 6
