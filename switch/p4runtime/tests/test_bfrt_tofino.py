# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Programs for Tofino, compiled by mecn-p4c, run by the engine, and programmed over BF Runtime."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from finsy.proto import rpc_code
from mecn_switch.bfrt import BfRuntimeServer
from mecn_switch.status import StatusError

from .bfrt_client import BfrtTestClient, Part, Refused, codes

COMMAND = str(Path(sys.executable).with_name("mecn-p4c"))
PROGRAMS = Path(__file__).parent / "programs" / "tna"


class Running:
    """A program of programs/tna at work."""

    def __init__(self, server: BfRuntimeServer, client: BfrtTestClient) -> None:
        self.server = server
        self.client = client

    def ports(self, frame: bytes, port: int = 1) -> list[int]:
        """Where a frame leaves."""
        return [d.port for d in self.server.inject(port, frame) if d.frame is not None]


@contextmanager
def running(name: str, folder: Path, edit: Callable[[Any], object] | None = None) -> Iterator[Running]:
    """Compiles and runs a program of programs/tna, or of a path. edit: changes its bf-rt.json."""
    command = [COMMAND, "--arch", "tna", "-o", "program.json", "--bf-rt-schema", "bf-rt.json"]
    command += ["-I", str(PROGRAMS)]
    done = subprocess.run(
        [*command, str(PROGRAMS / f"{name}.p4")], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr
    with BfRuntimeServer(address="127.0.0.1:0") as server:
        info = json.loads((folder / "bf-rt.json").read_bytes())
        if edit is not None:
            edit(info)
        server.load("program", json.dumps(info).encode(), (folder / "program.json").read_bytes())
        with BfrtTestClient(server.address) as client:
            yield Running(server, client)


def ethernet(dst: int = 2, src: int = 3, kind: int = 0x0800, rest: bytes = b"") -> bytes:
    """A frame of at least 64 bytes."""
    frame = dst.to_bytes(6, "big") + src.to_bytes(6, "big") + kind.to_bytes(2, "big") + rest
    return frame.ljust(64, b"\0")


def ipv4(src: int, dst: int, *, length: int = 46, number: int = 0, protocol: int = 17) -> bytes:
    """A frame with an IPv4 header. number: its identification."""
    header = b"\x45\0" + length.to_bytes(2, "big") + number.to_bytes(2, "big") + bytes(2)
    header += bytes([64, protocol, 0, 0])
    return ethernet(rest=header + src.to_bytes(4, "big") + dst.to_bytes(4, "big"))


def test_every_kind_of_match(tmp_path: Path) -> None:
    with running("keys", tmp_path) as tna:
        client, send = tna.client, "Ingress.send"
        assert tna.ports(ipv4(1, 0x0A000001)) == []
        rewrite = {"mac": 9, "port": 10}
        client.add(
            "Ingress.by_address", {"hdr.ipv4.dst_addr": (0x0A000000, 8)}, "Ingress.rewrite", data=rewrite
        )
        assert tna.ports(ipv4(1, 0x0A000001)) == [10]
        for priority, mask, port in ((5, 0xFF, 11), (4, 0xFF000000, 12)):
            key: dict[str, Part] = {
                "hdr.ipv4.src_addr": (0xAB0000CD & mask, mask),
                "protocol": 17,
                "$MATCH_PRIORITY": priority,
            }
            client.add("Ingress.by_flow", key, send, port=port)
        assert tna.ports(ipv4(0xAB0000CD, 0x0A000001)) == [12]
        assert tna.ports(ipv4(0x000000CD, 0x0A000001)) == [11]
        lengths: dict[str, Part] = {
            "hdr.ipv4.total_len": (100, 200),
            "ig_intr_md.ingress_port": 1,
            "$MATCH_PRIORITY": 0,
        }
        client.add("Ingress.by_length", lengths, send, port=13)
        found = [tna.ports(ipv4(0xCD, 0x0A000001, length=n)) for n in (99, 100, 200, 201)]
        assert found == [[11], [13], [13], [11]]
        assert tna.ports(ethernet(kind=0x0806)) == [7]


def test_members_and_groups(tmp_path: Path) -> None:
    with running("selector", tmp_path) as tna:
        client = tna.client
        for member in (1, 2):
            client.add("Ingress.hops", {"$ACTION_MEMBER_ID": member}, "Ingress.send", port=10 + member)
        members = {"$ACTION_MEMBER_ID": [1, 2], "$ACTION_MEMBER_STATUS": [True, True], "$MAX_GROUP_SIZE": 8}
        client.add("Ingress.spread", {"$SELECTOR_GROUP_ID": 3}, data=members)
        client.add("Ingress.routes", {"hdr.ipv4.dst_addr": (0, 0)}, data={"$SELECTOR_GROUP_ID": 3})
        assert {port for src in range(64) for port in tna.ports(ipv4(src, 1))} == {11, 12}
        asked = {"$SELECTOR_GROUP_ID": 3, "hash_value": 5}
        assert client.get("Ingress.spread_get_member", asked)[0][1]["$ACTION_MEMBER_ID"] in (1, 2)


def test_a_profile(tmp_path: Path) -> None:
    with running("profile", tmp_path) as tna:
        tna.client.add("Ingress.ports", {"$ACTION_MEMBER_ID": 1}, "Ingress.send", port=4)
        tna.client.add("Ingress.by_destination", {"hdr.ethernet.dst_addr": 2}, data={"$ACTION_MEMBER_ID": 1})
        assert tna.ports(ethernet()) == [4]


def test_counters(tmp_path: Path) -> None:
    with running("counters", tmp_path) as tna:
        tna.client.add("Ingress.forward", {"hdr.ethernet.dst_addr": 2}, "Ingress.send", port=4)
        assert tna.ports(ethernet(), 6) == [4]
        index = {"$COUNTER_INDEX": 6}
        assert tna.client.get("Ingress.packets", index)[0][1] == {"$COUNTER_SPEC_PKTS": 1}
        assert tna.client.get("Ingress.octets", index)[0][1]["$COUNTER_SPEC_BYTES"] >= 64
        assert tna.client.get("Ingress.both", index)[0][1]["$COUNTER_SPEC_PKTS"] == 1
        assert tna.client.get("Ingress.forward")[0][1]["$COUNTER_SPEC_PKTS"] == 1


def test_registers(tmp_path: Path) -> None:
    with running("registers", tmp_path) as tna:
        index = {"$REGISTER_INDEX": 2}
        assert tna.client.get("Ingress.counts", index)[0][1] == {"Ingress.counts.f1": 7}
        tna.server.inject(1, ethernet(dst=2))
        assert tna.client.get("Ingress.counts", index)[0][1] == {"Ingress.counts.f1": 8}
        pair = {"Ingress.pairs.low": 5, "Ingress.pairs.high": 6}
        tna.client.write(tna.client.update("MODIFY", "Ingress.pairs", index, pair))
        assert tna.client.get("Ingress.pairs", index)[0][1] == pair


FLAGS = """
#include "frame.p4"
INGRESS {
    Register<bool, bit<4>>(16) flags;
    RegisterAction<bool, bit<4>, bool>(flags) raise = {
        void apply(inout bool value, out bool read_value) { read_value = value; value = true; }
    };
    apply {
        if (raise.execute(hdr.ethernet.dst_addr[3:0])) { ig_tm_md.ucast_egress_port = 2; }
    }
}
SWITCH
"""


def test_a_register_of_truth_values(tmp_path: Path) -> None:
    (tmp_path / "flags.p4").write_text(FLAGS)  # p4c has none of them, so this is not with the others
    with running(str(tmp_path / "flags"), tmp_path) as tna:
        table, index, value = "Ingress.flags", {"$REGISTER_INDEX": 2}, "Ingress.flags.f1"
        assert tna.client.get(table, index) == [(index, {value: False})]
        assert (tna.ports(ethernet(2)), tna.ports(ethernet(2))) == ([], [2])
        assert tna.client.get(table, index) == [(index, {value: True})]
        tna.client.write(tna.client.update("MODIFY", table, index, {value: False}))
        assert tna.ports(ethernet(2)) == []


SEEN = {"hdr.ethernet.src_addr": 3}


def test_registers_of_entries(tmp_path: Path) -> None:
    with running("registers", tmp_path) as tna:
        client, value = tna.client, "Ingress.last_seen.f1"

        def now() -> int:
            return int(client.get("Ingress.seen", SEEN)[0][1][value])

        client.add("Ingress.seen", SEEN, "Ingress.note", port=4)
        assert now() == 0
        client.write(client.update("MODIFY", "Ingress.seen", SEEN, {value: 40}))
        assert tna.ports(ethernet(src=3)) == [4]
        assert now() == 41
        client.add(
            "Ingress.seen", {"hdr.ethernet.src_addr": 4}, "Ingress.note", data={"port": 5, value: 1 << 31}
        )
        assert [data[value] for _, data in client.get("Ingress.seen")] == [41, 1 << 31]
        with pytest.raises(Refused) as refused:
            client.write(client.update("MODIFY", "Ingress.seen", SEEN, {value: 1 << 32}))
        assert codes(refused.value) == [rpc_code.OUT_OF_RANGE]
        default = client.update("MODIFY", "Ingress.seen", None, {value: 6}, "NoAction", is_default_entry=True)
        client.write(default)
        assert client.get("Ingress.seen", default=True)[0][1][value] == 6


def test_registers_of_entries_are_undone(tmp_path: Path) -> None:
    with running("registers", tmp_path) as tna:
        client, value = tna.client, "Ingress.last_seen.f1"
        client.add("Ingress.seen", SEEN, "Ingress.note", data={"port": 4, value: 7})
        before = client.get("Ingress.seen")
        failing = client.update("DELETE", "Ingress.seen", {"hdr.ethernet.src_addr": 9})
        for change in (
            client.update("DELETE", "Ingress.seen", SEEN),
            client.update("MODIFY", "Ingress.seen", SEEN, {value: 8}),
            client.update("MODIFY", "Ingress.seen", None, {value: 6}, "NoAction", is_default_entry=True),
        ):
            with pytest.raises(Refused):
                client.write(change, failing, atomicity="ROLLBACK_ON_ERROR")
            assert client.get("Ingress.seen") == before
            assert client.get("Ingress.seen", default=True)[0][1][value] == 0


def test_what_entries_cannot_have_is_refused(tmp_path: Path) -> None:
    def give_filters(info: Any) -> None:  # noqa: ANN401
        table = next(table for table in info["tables"] if table["name"] == "pipe.Ingress.by_flow")
        table["data"].append({"id": 99, "name": "$LPF_SPEC_TYPE", "type": {"type": "string"}})

    with running("keys", tmp_path, give_filters) as tna:
        data = {"port": 4, "$LPF_SPEC_TYPE": "SAMPLE"}
        with pytest.raises(Refused, match="LPF_SPEC_TYPE is not supported") as refused:
            tna.client.add("Ingress.by_flow", {"protocol": 17}, "Ingress.send", data=data)
        assert codes(refused.value) == [rpc_code.UNIMPLEMENTED]
        assert tna.client.get("Ingress.by_flow") == []


def filtered(tna: Running, time_ns: int, *, length: int = 46, number: int = 0) -> tuple[int, int]:
    """What `Lpf` makes of a length and `Wred` of a number, of a packet at port 1."""
    frame = ipv4(0, 0, length=length, number=number)
    (left,) = tna.server.switch.process(1, frame, time_ns)
    assert left.frame is not None
    return int.from_bytes(left.frame[24:26], "big"), left.frame[15]


def lpf(kind: str, gain_ns: float, decay_ns: float, scale: int = 0) -> dict[str, Any]:
    """Data of a filter."""
    return {
        "$LPF_SPEC_TYPE": kind,
        "$LPF_SPEC_GAIN_TIME_CONSTANT_NS": gain_ns,
        "$LPF_SPEC_DECAY_TIME_CONSTANT_NS": decay_ns,
        "$LPF_SPEC_OUT_SCALE_DOWN_FACTOR": scale,
    }


def wred(time_ns: float, low: int, high: int, probability: float) -> dict[str, Any]:
    """Data of early detection."""
    return {
        "$WRED_SPEC_TIME_CONSTANT_NS": time_ns,
        "$WRED_SPEC_MIN_THRESH_CELLS": low,
        "$WRED_SPEC_MAX_THRESH_CELLS": high,
        "$WRED_SPEC_MAX_PROBABILITY": probability,
    }


def test_low_pass_filters(tmp_path: Path) -> None:
    with running("filters", tmp_path) as tna:
        client, table, index = tna.client, "Ingress.average", {"$LPF_INDEX": 1}
        assert client.get(table, index) == [(index, lpf("SAMPLE", 0.0, 0.0))]
        assert filtered(tna, 500, length=1000)[0] == 1000
        data = lpf("SAMPLE", 1000.0, 2000.0)
        client.write(client.update("MODIFY", table, index, data))
        assert client.get(table, index) == [(index, data)]
        # 1000 (1 - exp(-1)), 1000 (1 - exp(-2)), and that less what two time constants of decay take.
        found = [filtered(tna, t, length=n)[0] for t, n in ((1000, 1000), (2000, 1000), (4000, 0))]
        assert found == [632, 864, 318]
        client.write(client.update("MODIFY", table, index, {"$LPF_SPEC_TYPE": "RATE"}))
        assert client.get(table, index) == [(index, lpf("RATE", 1000.0, 2000.0))]
        assert [filtered(tna, 5000, length=50)[0] for _ in range(3)] == [50, 100, 150]
        client.write(client.update("MODIFY", table, index, {"$LPF_SPEC_OUT_SCALE_DOWN_FACTOR": 1}))
        assert [filtered(tna, 5000, length=50)[0] for _ in range(2)] == [25, 50]
        assert len(client.get(table)) == 512
        client.write(client.update("DELETE", table))
        assert client.get(table, index) == [(index, lpf("SAMPLE", 0.0, 0.0))]
        assert filtered(tna, 6000, length=1000)[0] == 1000


def test_early_detection(tmp_path: Path) -> None:
    with running("filters", tmp_path) as tna:
        client, table, index = tna.client, "Ingress.detect", {"$WRED_INDEX": 1}
        assert client.get(table, index) == [(index, wred(0.0, (1 << 32) - 1, (1 << 32) - 1, 0.0))]
        assert filtered(tna, 0, number=0xFFFF)[1] == 0
        client.add(table, index, data=wred(0.0, 10, 20, 0.5))
        assert client.get(table, index) == [(index, wred(0.0, 10, 20, 0.5))]
        drops = {n: sum(filtered(tna, 0, number=n)[1] for _ in range(400)) for n in (10, 15, 20)}
        # A quarter of 400, within six standard deviations.
        assert (drops[10], drops[20]) == (0, 400)
        assert 48 <= drops[15] <= 152


def test_filters_are_undone(tmp_path: Path) -> None:
    with running("filters", tmp_path) as tna:
        client, key = tna.client, {"ig_intr_md.ingress_port": 1}
        client.write(client.update("MODIFY", "Ingress.average", {"$LPF_INDEX": 3}, lpf("RATE", 1.0, 2.0, 3)))
        client.add("IngressParser.$PORT_METADATA", key, data={"$DEFAULT_FIELD": 5})
        tables = ("Ingress.average", "Ingress.detect", "IngressParser.$PORT_METADATA")
        before = [client.get(table) for table in tables]
        with pytest.raises(Refused):
            client.write(
                client.update("DELETE", "Ingress.average"),
                client.update("INSERT", "Ingress.detect", {"$WRED_INDEX": 1}, wred(1.0, 2, 3, 0.5)),
                client.update("MODIFY", "IngressParser.$PORT_METADATA", key, {"$DEFAULT_FIELD": 6}),
                client.update("INSERT", "IngressParser.$PORT_METADATA", key, {"$DEFAULT_FIELD": 7}),
                atomicity="ROLLBACK_ON_ERROR",
            )
        assert [client.get(table) for table in tables] == before
        assert tna.server.switch.port_metadata(1) == (5).to_bytes(8, "big")


def test_port_metadata(tmp_path: Path) -> None:
    with running("value_set", tmp_path) as tna:
        client, table, key = tna.client, "IngressParser.$PORT_METADATA", {"ig_md.ingress_port": 300}
        client.add("Ingress.forward", {"vrf": 7}, "Ingress.send", port=9)
        assert tna.ports(ethernet(), 300) == []
        client.add(table, key, data={"vrf": 7, "label": 0x01020304})
        assert client.get(table) == [(key, {"vrf": 7, "label": 0x01020304})]
        assert tna.server.switch.port_metadata(300) == b"\0\7\1\2\3\4"
        assert (tna.ports(ethernet(), 300), tna.ports(ethernet(), 301)) == ([9], [])
        client.write(client.update("MODIFY", table, key, {"vrf": 8}))
        assert tna.ports(ethernet(), 300) == []
        client.write(client.update("MODIFY", table, key, {"vrf": 7}))
        client.write(client.update("DELETE", table, key))
        assert (tna.ports(ethernet(), 300), client.get(table)) == ([], [])


@pytest.mark.parametrize("change", [{"size": 511}, {"table_type": "Wred"}, {"name": "pipe.Ingress.other"}])
def test_filters_that_the_program_does_not_have_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    def edit(info: Any) -> None:  # noqa: ANN401
        next(table for table in info["tables"] if table["table_type"] == "Lpf").update(change)

    with pytest.raises(StatusError, match="the program has no"), running("filters", tmp_path, edit):
        pass


def test_value_sets(tmp_path: Path) -> None:
    with running("value_set", tmp_path) as tna:
        tna.client.add("IngressParser.types", {"f1": (0x0800, 0xFFFF)})
        tna.client.add("IngressParser.pairs", {"kind": (0x0806, 0xFFFF), "tail": (0, 0)})
        assert len(tna.client.get("IngressParser.pairs")) == 1


def test_digests(tmp_path: Path) -> None:
    with running("digest", tmp_path) as tna:
        assert tna.ports(ethernet(src=0x0123456789AB), 5) == [2]
        digest = tna.client.received.get(timeout=10).digest
        values = [int.from_bytes(field.stream, "big") for field in digest.data[0].fields]
        assert values == [0x0123456789AB, 5]


def test_nested_controls(tmp_path: Path) -> None:
    with running("nested", tmp_path) as tna:
        tna.client.add("Ingress.sources.classes", {"address": 3}, "Ingress.sources.set_index", value=1)
        tna.client.add(
            "Ingress.destinations.classes", {"address": 2}, "Ingress.destinations.set_index", value=7
        )
        tna.client.add("Ingress.output", {"md.index": 7}, "Ingress.renamed", port=9)
        assert tna.ports(ethernet()) == [9]
