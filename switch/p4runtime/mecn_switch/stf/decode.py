# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Which header field a byte of an Ethernet frame belongs to, for messages; no more than that."""

from dataclasses import dataclass

_ETHERNET = (("dst", 6), ("src", 6), ("type", 2))
_VLAN = (("tci", 2), ("type", 2))
_ARP = (
    ("htype", 2),
    ("ptype", 2),
    ("hlen", 1),
    ("plen", 1),
    ("oper", 2),
    ("sha", 6),
    ("spa", 4),
    ("tha", 6),
    ("tpa", 4),
)
_IPV4 = (
    ("version, ihl", 1),
    ("dscp, ecn", 1),
    ("total_len", 2),
    ("identification", 2),
    ("flags, frag_offset", 2),
    ("ttl", 1),
    ("protocol", 1),
    ("checksum", 2),
    ("src", 4),
    ("dst", 4),
)
_IPV6 = (
    ("version, traffic class, flow label", 4),
    ("payload_len", 2),
    ("next_header", 1),
    ("hop_limit", 1),
    ("src", 16),
    ("dst", 16),
)
_TCP = (
    ("src_port", 2),
    ("dst_port", 2),
    ("seq", 4),
    ("ack", 4),
    ("data_offset, flags", 2),
    ("window", 2),
    ("checksum", 2),
    ("urgent_ptr", 2),
)
_UDP = (("src_port", 2), ("dst_port", 2), ("length", 2), ("checksum", 2))
_TRANSPORT = {6: ("TCP", _TCP), 17: ("UDP", _UDP)}


@dataclass(frozen=True)
class Field:
    """A field of a header that is in the frame, with the bytes it has there."""

    header: str
    name: str
    offset: int
    length: int

    def __str__(self) -> str:
        return f"{self.header} {self.name}"


def fields(frame: bytes) -> list[Field]:
    """The fields of a frame in order, as far as Ethernet, VLAN, ARP, IPv4, IPv6, TCP and UDP go. Without a
    known EtherType there is none: the frame may be anything.
    """
    found: list[Field] = []
    offset = _append(found, "Ethernet", _ETHERNET, 0)
    kind = int.from_bytes(frame[12:14])
    while kind in (0x8100, 0x88A8) and len(frame) >= offset + 4:
        kind = int.from_bytes(frame[offset + 2 : offset + 4])
        offset = _append(found, "VLAN", _VLAN, offset)
    if kind == 0x0800 and len(frame) > offset:
        length = max(frame[offset] & 15, 5) * 4
        protocol = frame[offset + 9] if len(frame) > offset + 9 else 0
        _append(found, "IPv4", _IPV4, offset)
        if length > 20:
            found.append(Field("IPv4", "options", offset + 20, length - 20))
        _transport(found, protocol, offset + length)
    elif kind == 0x86DD and len(frame) > offset:
        protocol = frame[offset + 6] if len(frame) > offset + 6 else 0
        _transport(found, protocol, _append(found, "IPv6", _IPV6, offset))
    elif kind == 0x0806:
        _append(found, "ARP", _ARP, offset)
    else:
        return []
    return [field for field in found if field.offset < len(frame)]


def field_at(frame: bytes, offset: int) -> Field | None:
    """The field that the byte at `offset` belongs to; None in a payload or an unknown protocol."""
    return next((f for f in fields(frame) if f.offset <= offset < f.offset + f.length), None)


def _transport(found: list[Field], protocol: int, offset: int) -> None:
    if header := _TRANSPORT.get(protocol):
        _append(found, *header, offset)


def _append(found: list[Field], header: str, layout: tuple[tuple[str, int], ...], offset: int) -> int:
    for name, length in layout:
        found.append(Field(header, name, offset, length))
        offset += length
    return offset
