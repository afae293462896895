# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Programs for Tofino, compiled by mecn-p4c, run by the engine, and programmed over BF Runtime."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from mecn_switch.bfrt import BfRuntimeServer

from .bfrt_client import BfrtTestClient, Part, Refused

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
def running(name: str, folder: Path) -> Iterator[Running]:
    """Compiles and runs a program."""
    command = [COMMAND, "--arch", "tna", "-o", "program.json", "--bf-rt-schema", "bf-rt.json"]
    done = subprocess.run(
        [*command, str(PROGRAMS / f"{name}.p4")], capture_output=True, text=True, cwd=folder, check=False
    )
    if "check types only" in done.stderr:
        pytest.skip("this mecn-p4c makes no code for Tofino")
    assert done.returncode == 0, done.stderr
    with BfRuntimeServer(address="127.0.0.1:0") as server:
        files = (folder / "bf-rt.json", folder / "program.json")
        server.load("program", *(file.read_bytes() for file in files))
        with BfrtTestClient(server.address) as client:
            yield Running(server, client)


def ethernet(dst: int = 2, src: int = 3, kind: int = 0x0800, rest: bytes = b"") -> bytes:
    """A frame of at least 64 bytes."""
    frame = dst.to_bytes(6, "big") + src.to_bytes(6, "big") + kind.to_bytes(2, "big") + rest
    return frame.ljust(64, b"\0")


def ipv4(src: int, dst: int, *, length: int = 46, protocol: int = 17) -> bytes:
    """A frame with an IPv4 header."""
    header = bytes([0x45, 0]) + length.to_bytes(2, "big") + bytes(4) + bytes([64, protocol]) + bytes(2)
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


def test_what_entries_cannot_have_is_refused(tmp_path: Path) -> None:
    with running("registers", tmp_path) as tna:
        data = {"port": 4, "Ingress.last_seen.f1": 1}
        with pytest.raises(Refused, match=r"Ingress\.last_seen\.f1 is not supported"):
            tna.client.add("Ingress.seen", {"hdr.ethernet.src_addr": 3}, "Ingress.note", data=data)
        assert tna.client.get("Ingress.seen") == []


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
