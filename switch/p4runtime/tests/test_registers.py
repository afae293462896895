# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Registers over the wire; values of P4 types."""

import pytest
from finsy.proto import p4d, p4r, p4t
from hypothesis import given
from hypothesis.strategies import DataObject, integers
from hypothesis.strategies import data as draws
from mecn_switch import P4RuntimeServer, bytestring
from mecn_switch.data_types import TypeInfo, read_type
from mecn_switch.status import StatusError
from mecn_switch.translation import Translations

from . import program
from .client import Client


def entry(index: int | None = None, bits: bytes | None = None) -> p4r.RegisterEntry:
    wire = p4r.RegisterEntry(register_id=program.MARKS)
    if index is not None:
        wire.index.index = index
    if bits is not None:
        wire.data.bitstring = bits
    return wire


def write(client: Client, wire: p4r.RegisterEntry) -> None:
    client.write(p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(register_entry=wire)))


def read(client: Client, wire: p4r.RegisterEntry) -> list[p4r.RegisterEntry]:
    return [entity.register_entry for entity in client.read(p4r.Entity(register_entry=wire))]


def test_write_and_read(client: Client, server: P4RuntimeServer) -> None:
    write(client, entry(2, b"\x01" + bytes(11)))
    assert server.switch.register_read("Ingress.marks", 2) == 1 << 88
    assert read(client, entry(2)) == [entry(2, b"\x01" + bytes(11))]
    assert [cell.data.bitstring for cell in read(client, entry())] == [
        b"\0",
        b"\0",
        b"\x01" + bytes(11),
        b"\0",
    ]


def test_without_index_all_cells_are_written(client: Client) -> None:
    write(client, entry(bits=b"\x07"))
    assert read(client, p4r.RegisterEntry()) == [entry(index, b"\x07") for index in range(4)]


def _types() -> TypeInfo:
    types = p4t.P4TypeInfo()
    point = types.structs["point_t"]
    for name, width in (("x", 8), ("y", 16)):
        point.members.add(name=name).type_spec.bitstring.bit.bitwidth = width
    types.headers["h_t"].members.add(name="a").type_spec.bit.bitwidth = 4
    types.serializable_enums["color_t"].underlying_type.bitwidth = 3
    types.new_types["port_t"].original_type.bitstring.bit.bitwidth = 9
    types.structs["loop_t"].members.add(name="again").type_spec.struct.name = "loop_t"
    return TypeInfo(types, Translations(types, None))


def _spec() -> p4t.P4DataTypeSpec:
    spec = p4t.P4DataTypeSpec()
    members = spec.tuple.members
    members.add().struct.name = "point_t"
    members.add().header.name = "h_t"
    members.add().serializable_enum.name = "color_t"
    members.add().new_type.name = "port_t"
    members.add().bool.SetInParent()
    members.add().bitstring.int.bitwidth = 12
    return spec


@given(draws())
def test_values_of_any_type_survive(draw: DataObject) -> None:
    kind = read_type(_spec(), _types(), "it")
    assert kind.widths == [8, 16, 4, 3, 9, 1, 12]
    values = [draw.draw(integers(0, (1 << width) - 1)) for width in kind.widths]
    assert kind.decode(kind.encode(iter(values)), "it") == values


def test_encoding() -> None:
    wire = read_type(_spec(), _types(), "it").encode(iter([1, 2, 3, 4, 5, 1, 0xFFF]))
    point, header, color, port, flag, signed = wire.tuple.members
    assert [member.bitstring for member in point.struct.members] == [b"\x01", b"\x02"]
    assert header.header == p4d.P4Header(is_valid=True, bitstrings=[b"\x03"])
    assert color.enum_value == b"\x04"
    assert port.bitstring == b"\x05"
    assert flag.bool
    assert signed.bitstring == b"\xff"


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        ("struct", "loop_t", "contains itself"),
        ("struct", "nothing", "which the type info does not describe"),
        ("header_union", "u_t", "values of type header_union are not supported"),
    ],
)
def test_types_that_are_refused(kind: str, name: str, words: str) -> None:
    spec = p4t.P4DataTypeSpec()
    getattr(spec, kind).name = name
    with pytest.raises(StatusError, match=words):
        read_type(spec, _types(), "it")


@given(integers(-(1 << 11), (1 << 11) - 1))
def test_signed_strings(value: int) -> None:
    bits = value & 0xFFF
    string = bytestring.encode_signed(bits, 12)
    assert int.from_bytes(string, "big", signed=True) == value
    assert bytestring.decode_signed(string, 12, "it") == bits
    assert len(string) == 1 or not -128 <= value < 128


@pytest.mark.parametrize("string", [b"", b"\x08\x00", b"\xf7\xff"])
def test_bad_signed_strings(string: bytes) -> None:
    with pytest.raises(StatusError, match="it: "):
        bytestring.decode_signed(string, 12, "it")
