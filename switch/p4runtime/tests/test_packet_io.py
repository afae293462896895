# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Packet-in and packet-out through a compiled program, who takes part, and what is refused."""

from collections.abc import Iterator

import pytest
from finsy.proto import p4i, p4r, rpc_code, stratum
from hypothesis import given
from hypothesis.strategies import DataObject, binary, integers, lists
from hypothesis.strategies import data as draws
from mecn_switch import LocalDataplane, P4RuntimeServer
from mecn_switch.packet_io import decode_packet_in, encode_packet_out
from mecn_switch.schema import Metadata

from .client import Client
from .compiled import compiled
from .test_roles import role

CPU_PORT = 510
HEADERS = {
    "packet_out": (("egress_port", 9), ("pad", 7)),
    "packet_in": (("ingress_port", 9), ("pad", 7), ("stamp", 16)),
}


def cpu_config(stamp: int = 1) -> p4r.ForwardingPipelineConfig:
    """The program `cpu`, with its controller headers in the P4Info."""
    config = p4r.ForwardingPipelineConfig()
    config.CopyFrom(compiled("cpu", STAMP=stamp))
    if not config.p4info.controller_packet_metadata:
        for number, (name, fields) in enumerate(HEADERS.items(), start=1):
            header = config.p4info.controller_packet_metadata.add(
                preamble=p4i.Preamble(id=0x04000000 + number, name=name, alias=name)
            )
            for field_id, (field, width) in enumerate(fields, start=1):
                header.metadata.add(id=field_id, name=field, bitwidth=width)
    return config


def packet_out(payload: bytes, port: int) -> p4r.StreamMessageRequest:
    packet = p4r.PacketOut(payload=payload)
    packet.metadata.add(metadata_id=1, value=port.to_bytes(2, "big"))
    packet.metadata.add(metadata_id=2, value=b"\0")
    return p4r.StreamMessageRequest(packet=packet)


@pytest.fixture
def sent() -> list[tuple[int, bytes]]:
    return []


@pytest.fixture
def server(sent: list[tuple[int, bytes]]) -> Iterator[P4RuntimeServer]:
    dataplane = LocalDataplane(CPU_PORT, lambda port, frame: sent.append((port, frame)))
    with P4RuntimeServer(address="127.0.0.1:0", dataplane=dataplane) as running:
        yield running


def test_packet_in(server: P4RuntimeServer) -> None:
    with Client(server.address) as client:
        client.set_config(cpu_config(stamp=7))
        assert server.inject(3, b"\x01hello") == []
        packet = client.open_stream.receive().packet
        assert packet.payload == b"\x01hello"
        assert [(m.metadata_id, m.value) for m in packet.metadata] == [
            (1, b"\x03"),
            (2, b"\0"),
            (3, b"\x07"),
        ]


def test_packet_out(server: P4RuntimeServer, sent: list[tuple[int, bytes]]) -> None:
    with Client(server.address) as client:
        client.set_config(cpu_config())
        client.open_stream.send(packet_out(b"\x01hello", 300))
        client.open_stream.send(packet_out(b"\x01again", 300))
        # A packet-out to the CPU port comes back: it shows that those before have left.
        client.open_stream.send(packet_out(bytes(4) + b"\x01", CPU_PORT))
        assert client.open_stream.receive().packet.payload == b"\x01"
        assert sent == [(300, b"\x01hello"), (300, b"\x01again")]


BAD_PACKETS = {
    "unknown metadata": ([(1, b"\x01"), (2, b"\0"), (3, b"\0")], rpc_code.INVALID_ARGUMENT, "with id 3"),
    "twice": ([(1, b"\x01"), (1, b"\x01")], rpc_code.INVALID_ARGUMENT, "metadata id 1 is given twice"),
    "missing": ([(1, b"\x01")], rpc_code.INVALID_ARGUMENT, "metadata pad (id 2) is missing"),
    "too wide": ([(1, b"\x02\x00"), (2, b"\0")], rpc_code.OUT_OF_RANGE, "does not fit bit<9>"),
    "empty": ([(1, b""), (2, b"\0")], rpc_code.OUT_OF_RANGE, "empty string"),
}


@pytest.mark.parametrize("case", BAD_PACKETS)
def test_bad_packet_out(server: P4RuntimeServer, case: str) -> None:
    metadata, code, words = BAD_PACKETS[case]
    packet = p4r.PacketOut(payload=b"x")
    for metadata_id, value in metadata:
        packet.metadata.add(metadata_id=metadata_id, value=value)
    with Client(server.address) as client:
        client.set_config(cpu_config())
        client.open_stream.send(p4r.StreamMessageRequest(packet=packet))
        error = client.open_stream.receive().error
        assert error.canonical_code == code
        assert words in error.message
        assert error.packet_out.packet_out == packet


def test_packet_out_needs_pipeline_and_port(server: P4RuntimeServer) -> None:
    with Client(server.address) as client:
        client.open_stream.send(packet_out(b"x", 1))
        error = client.open_stream.receive().error
        assert error.canonical_code == rpc_code.FAILED_PRECONDITION
        assert "runs no pipeline" in error.message
    with P4RuntimeServer(address="127.0.0.1:0") as without, Client(without.address) as client:
        client.set_config(cpu_config())
        client.open_stream.send(packet_out(b"x", 1))
        error = client.open_stream.receive().error
        assert error.canonical_code == rpc_code.FAILED_PRECONDITION
        assert "no CPU port" in error.message


def test_only_a_primary_sends_and_receives(server: P4RuntimeServer) -> None:
    with Client(server.address, 2) as primary, Client(server.address, 1) as backup:
        primary.set_config(cpu_config())
        backup.open_stream.send(packet_out(b"x", 1))
        error = backup.open_stream.receive().error
        assert error.canonical_code == rpc_code.PERMISSION_DENIED
        server.inject(1, b"\x01")
        assert primary.open_stream.receive().packet.payload == b"\x01"
        backup.open_stream.send(packet_out(b"y", 1))
        assert backup.open_stream.receive().HasField("error"), "no packet-in came between"


def test_roles_take_part_as_their_config_says(server: P4RuntimeServer) -> None:
    wire = p4r.Role(name="port 5")
    wire.config.Pack(
        stratum.P4RoleConfig(
            receives_packet_ins=True,
            packet_in_filter=stratum.P4RoleConfig.PacketFilter(metadata_id=1, value=b"\x05"),
        )
    )
    with (
        Client(server.address) as everything,
        Client(server.address, role=wire) as port_5,
        Client(server.address, role=role("routes", shared=[1])) as routes,
    ):
        everything.set_config(cpu_config())
        for port in (4, 5):
            server.inject(port, bytes((port,)))
        assert everything.open_stream.receive().packet.payload == b"\x04"
        assert everything.open_stream.receive().packet.payload == b"\x05"
        assert port_5.open_stream.receive().packet.payload == b"\x05"
        routes.open_stream.send(packet_out(b"x", 1))
        assert routes.open_stream.receive().error.canonical_code == rpc_code.PERMISSION_DENIED


def test_other_stream_messages_are_answered(server: P4RuntimeServer) -> None:
    with Client(server.address) as client:
        client.open_stream.send(p4r.StreamMessageRequest())
        error = client.open_stream.receive().error
        assert error.canonical_code == rpc_code.INVALID_ARGUMENT
        assert error.WhichOneof("details") == "other"
        request = p4r.StreamMessageRequest()
        request.other.Pack(p4r.Uint128(low=1))
        client.open_stream.send(request)
        error = client.open_stream.receive().error
        assert error.canonical_code == rpc_code.UNIMPLEMENTED
        assert error.other.other == request.other
        client.open_stream.send(p4r.StreamMessageRequest(digest_ack=p4r.DigestListAck(digest_id=9)))
        error = client.open_stream.receive().error
        assert error.canonical_code == rpc_code.FAILED_PRECONDITION
        client.set_config(cpu_config())
        client.open_stream.send(p4r.StreamMessageRequest(digest_ack=p4r.DigestListAck(digest_id=9)))
        error = client.open_stream.receive().error
        assert error.canonical_code == rpc_code.INVALID_ARGUMENT
        assert error.digest_list_ack.digest_list_ack.digest_id == 9


@given(lists(integers(1, 40), max_size=5), binary(max_size=20), draws())
def test_what_is_encoded_is_decoded(widths: list[int], payload: bytes, draw: DataObject) -> None:
    header = [Metadata(number, f"f{number}", width) for number, width in enumerate(widths, start=1)]
    packet = p4r.PacketOut(payload=payload)
    for field in header:
        value = draw.draw(integers(0, (1 << field.bitwidth) - 1))
        packet.metadata.add(metadata_id=field.id, value=value.to_bytes(5, "big"))
    frame = encode_packet_out(header, packet)
    assert len(frame) == (sum(widths) + 7) // 8 + len(payload)
    back = decode_packet_in(header, frame)
    assert back is not None
    assert back.payload == payload
    assert [int.from_bytes(m.value, "big") for m in back.metadata] == [
        int.from_bytes(m.value, "big") for m in packet.metadata
    ]


def test_frames_shorter_than_the_header() -> None:
    assert decode_packet_in([Metadata(1, "f", 9)], b"\0") is None
