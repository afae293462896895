# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Types that controllers see otherwise than packets (sections 8.4.6 and 18): the program `translated`."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress

import pytest
from finsy.proto import p4i, p4r, rpc_code
from hypothesis import given
from hypothesis import strategies as st
from mecn_switch import P4RuntimeServer
from mecn_switch.dataplane import LocalDataplane, PortChange
from mecn_switch.status import StatusError
from mecn_switch.translation import MAX_LENGTH, Names, Numbers

from .client import BatchError, Client
from .compiled import compiled

CPU_PORT = 510
INSERT, DELETE = p4r.Update.INSERT, p4r.Update.DELETE
CONFIG = compiled("translated")


def ids(info: p4i.P4Info) -> dict[str, int]:
    kinds = (info.tables, info.actions, info.digests)
    return {item.preamble.name.rpartition(".")[2]: item.preamble.id for kind in kinds for item in kind}


ID = ids(CONFIG.p4info)


class NamedPorts(LocalDataplane):
    """Ports with names, as on interfaces."""

    @property
    def port_names(self) -> dict[str, int]:
        return {"left": 1, "right": 2}

    def watch_ports(self, port_change: PortChange) -> None:
        """They stay up."""

    def on_digests(self, take: Callable[[], None]) -> None:
        """They are asked for."""


@pytest.fixture
def server() -> Iterator[P4RuntimeServer]:
    dataplane = NamedPorts(cpu_port=CPU_PORT)
    with P4RuntimeServer(address="127.0.0.1:0", dataplane=dataplane) as running:
        yield running


@pytest.fixture
def client(server: P4RuntimeServer) -> Iterator[Client]:
    with Client(server.address) as controller:
        controller.set_config(CONFIG)
        yield controller


def call(name: str, *values: bytes) -> p4r.TableAction:
    params = [p4r.Action.Param(param_id=i, value=value) for i, value in enumerate(values, start=1)]
    return p4r.TableAction(action=p4r.Action(action_id=ID[name], params=params))


def source(port: bytes, kind: int, next_hop: bytes, of_class: int) -> p4r.TableEntry:
    number = of_class.to_bytes(4, "big").lstrip(b"\0") or b"\0"
    return p4r.TableEntry(
        table_id=ID["sources"],
        match=[
            p4r.FieldMatch(field_id=1, exact=p4r.FieldMatch.Exact(value=port)),
            p4r.FieldMatch(field_id=2, exact=p4r.FieldMatch.Exact(value=bytes([kind]))),
        ],
        action=call("to_next_hop", next_hop, number),
    )


def next_hop(name: bytes, port: bytes) -> p4r.TableEntry:
    optional = p4r.FieldMatch(field_id=1, optional=p4r.FieldMatch.Optional(value=name))
    return p4r.TableEntry(
        table_id=ID["next_hops"], match=[optional], priority=1, action=call("forward", port)
    )


def test_strings_in_keys_and_parameters(client: Client, server: P4RuntimeServer) -> None:
    entries = [
        source(b"left", 1, b"router-1/eth0", 5),
        source(b"left", 2, b"router-2", 63),
        next_hop(b"router-1/eth0", b"right"),
        next_hop(b"router-2", b"7"),
    ]
    client.insert(*entries)
    assert client.entries(p4r.TableEntry(table_id=ID["sources"])) == entries[:2]
    assert sorted(client.entries(p4r.TableEntry(table_id=ID["next_hops"])), key=str) == entries[2:]
    assert client.entries(p4r.TableEntry(table_id=ID["sources"], match=entries[1].match)) == [entries[1]]
    sent = [(d.port, d.frame) for kind in (1, 2) for d in server.inject(1, bytes((kind, 0)))]
    assert sent == [(2, b"\x01\x05"), (7, b"\x02\x3f")]
    assert server.inject(2, b"\x01\0") == [], "another port"
    client.delete(entries[0])
    assert client.entries(p4r.TableEntry(table_id=ID["sources"])) == [entries[1]]


def test_a_reconciled_pipeline_knows_the_strings(client: Client, server: P4RuntimeServer) -> None:
    entries = [source(b"left", 1, b"a", 5), next_hop(b"b", b"right"), next_hop(b"a", b"left")]
    client.insert(*entries)
    client.set_config(CONFIG, p4r.SetForwardingPipelineConfigRequest.RECONCILE_AND_COMMIT)
    assert [d.port for d in server.inject(1, b"\x01\0")] == [1]
    assert client.entries(p4r.TableEntry(table_id=ID["sources"])) == entries[:1]


@pytest.mark.parametrize(
    ("entry", "code", "words"),
    [
        (source(b"middle", 1, b"a", 1), rpc_code.INVALID_ARGUMENT, "there is no port 'middle'"),
        (source(b"", 1, b"a", 1), rpc_code.INVALID_ARGUMENT, "the string is empty"),
        (source(b"\xff", 1, b"a", 1), rpc_code.INVALID_ARGUMENT, "not UTF-8"),
        (source(b"512", 1, b"a", 1), rpc_code.OUT_OF_RANGE, "does not fit bit<9>"),
        (source(b"left", 1, b"x" * (MAX_LENGTH + 1), 1), rpc_code.INVALID_ARGUMENT, "longer than"),
        (source(b"left", 1, b"a", 64), rpc_code.OUT_OF_RANGE, "0x40 has no counterpart of 6 bits"),
        (
            p4r.TableEntry(
                table_id=ID["classes"],
                priority=1,
                match=[
                    p4r.FieldMatch(field_id=1, ternary=p4r.FieldMatch.Ternary(value=b"\x01", mask=b"\x03"))
                ],
                action=call("drop"),
            ),
            rpc_code.UNIMPLEMENTED,
            "one value is matched, or any",
        ),
    ],
)
def test_refused(client: Client, entry: p4r.TableEntry, code: int, words: str) -> None:
    with pytest.raises(BatchError) as caught:
        client.insert(entry)
    [error] = caught.value.errors
    assert (error.canonical_code, words in error.message) == (code, True), error
    assert client.entries(p4r.TableEntry()) == []


def test_a_mask_of_all_bits_matches_one_value(client: Client, server: P4RuntimeServer) -> None:
    """Section 18.1.3: also where controllers have more bits than packets."""
    ternary = p4r.FieldMatch.Ternary(value=b"\x05", mask=b"\xff\xff\xff\xff")
    match = p4r.FieldMatch(field_id=1, ternary=ternary)
    entry = p4r.TableEntry(table_id=ID["classes"], priority=1, match=[match], action=call("drop"))
    client.insert(entry, source(b"left", 1, b"a", 5), source(b"left", 2, b"a", 4), next_hop(b"a", b"right"))
    assert client.entries(p4r.TableEntry(table_id=ID["classes"])) == [entry]
    assert server.inject(1, b"\x01\0") == []
    assert [d.port for d in server.inject(1, b"\x02\0")] == [2]


def test_the_cpu_port_of_controllers() -> None:
    types = Numbers(32, cpu_port=CPU_PORT)
    assert types.decode(b"\xff\xff\xff\xfd", 9, "it") == CPU_PORT
    assert types.encode(CPU_PORT) == b"\xff\xff\xff\xfd"
    assert types.decode(b"\x07", 9, "it") == 7


def test_packet_io(client: Client, server: P4RuntimeServer) -> None:
    server.inject(2, bytes((9, 17)))
    packet = client.open_stream.receive().packet
    assert [m.value for m in packet.metadata] == [b"right", b"\0", b"\x11"]
    assert packet.payload == bytes((9, 17))
    left = []
    dataplane = server._dataplane
    assert isinstance(dataplane, LocalDataplane)
    dataplane._transmit = lambda port, frame: left.append((port, frame))
    out = p4r.PacketOut(payload=b"\x01\x02")
    out.metadata.add(metadata_id=1, value=b"left")
    out.metadata.add(metadata_id=2, value=b"\0")
    client.open_stream.send(p4r.StreamMessageRequest(packet=out))
    client.open_stream.send(p4r.StreamMessageRequest())
    assert client.open_stream.receive().HasField("error"), "the packet-out was read before"
    assert left == [(1, b"\x01\x02")]


def test_digests(client: Client, server: P4RuntimeServer) -> None:
    config = p4r.DigestEntry.Config(max_list_size=1)
    entity = p4r.Entity(digest_entry=p4r.DigestEntry(digest_id=ID["learn_t"], config=config))
    client.write(p4r.Update(type=INSERT, entity=entity))
    client.insert(source(b"right", 1, b"a", 5))
    server.inject(2, b"\x01\0")
    [message] = client.open_stream.receive().digest.data
    assert [member.bitstring for member in message.struct.members] == [b"right", b"\x05"]


def test_ports_of_replicas_and_watch_ports_are_strings(client: Client) -> None:
    def group(port: bytes) -> p4r.Entity:
        wire = p4r.PacketReplicationEngineEntry()
        wire.multicast_group_entry.multicast_group_id = 1
        wire.multicast_group_entry.replicas.add(port=port, instance=1)
        return p4r.Entity(packet_replication_engine_entry=wire)

    client.write(p4r.Update(type=INSERT, entity=group(b"right")))
    everything = p4r.PacketReplicationEngineEntry(multicast_group_entry=p4r.MulticastGroupEntry())
    assert client.read(p4r.Entity(packet_replication_engine_entry=everything)) == [group(b"right")]
    with pytest.raises(BatchError) as caught:
        client.write(p4r.Update(type=p4r.Update.MODIFY, entity=group(b"up")))
    assert "there is no port 'up'" in caught.value.errors[0].message


@given(st.lists(st.text(min_size=1, max_size=8).filter(str.isprintable)), st.integers(4, 24))
def test_strings_survive(names: list[str], width: int) -> None:
    """Whatever strings are said, each reads back as itself, and different strings are different numbers."""
    types = Names("uri")
    said: dict[str, int] = {}
    for name in names:
        # Decimal numbers may be too large, or be taken by a string.
        with suppress(StatusError) if name.isdecimal() or len(said) >= 1 << width else nullcontext():
            said[name] = types.decode(name.encode(), width, "it")
    for name, number in said.items():
        assert number < 1 << width
        assert types.decode(name.encode(), width, "it") == number
        assert types.encode(number) == name.encode()
    assert len(set(said.values())) == len(said)


@given(st.integers(0, 1 << 40))
def test_numbers_survive(value: int) -> None:
    types = Numbers(32)
    string = value.to_bytes(6, "big").lstrip(b"\0") or b"\0"
    if value < 1 << 9:
        assert types.encode(types.decode(string, 9, "it")) == string
    else:
        with pytest.raises(StatusError):
            types.decode(string, 9, "it")
