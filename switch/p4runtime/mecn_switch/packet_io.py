# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Packet-in and packet-out: metadata <-> the controller header in front of the frame (section 16.1).

On the CPU port a frame begins with the header that the program annotates as
`@controller_header("packet_in")` or ("packet_out"): its fields in order, without gaps, filled up with zero
bits to whole bytes.
"""

from collections.abc import Sequence

from finsy.proto import p4r

from . import translation
from .schema import Metadata
from .status import invalid_argument


def encode_packet_out(header: Sequence[Metadata], packet: p4r.PacketOut) -> bytes:
    """The frame that enters the switch at the CPU port.

    Raises INVALID_ARGUMENT or OUT_OF_RANGE unless there is one value for each field of the header.
    """
    given: dict[int, bytes] = {}
    known = {field.id for field in header}
    for metadata in packet.metadata:
        if metadata.metadata_id not in known:
            raise invalid_argument(f"packet-out has no metadata with id {metadata.metadata_id}")
        if metadata.metadata_id in given:
            raise invalid_argument(f"packet-out: metadata id {metadata.metadata_id} is given twice")
        given[metadata.metadata_id] = metadata.value
    value = 0
    for field in header:
        if field.id not in given:
            raise invalid_argument(f"packet-out: metadata {field.name} (id {field.id}) is missing")
        what = f"packet-out: metadata {field.name}"
        part = translation.decode(field.translation, given[field.id], field.bitwidth, what)
        value = value << field.bitwidth | part
    return _to_bytes(value, _width(header)) + packet.payload


def decode_packet_in(header: Sequence[Metadata], frame: bytes) -> p4r.PacketIn | None:
    """What controllers are told of a frame that left at the CPU port; None if it is shorter than the
    header."""
    width = _width(header)
    length = (width + 7) // 8
    if len(frame) < length:
        return None
    rest = int.from_bytes(frame[:length], "big") >> (length * 8 - width)
    packet = p4r.PacketIn(payload=frame[length:])
    left = width
    for field in header:
        left -= field.bitwidth
        value = rest >> left & (1 << field.bitwidth) - 1
        packet.metadata.add(metadata_id=field.id, value=translation.encode(field.translation, value))
    return packet


def _width(header: Sequence[Metadata]) -> int:
    return sum(field.bitwidth for field in header)


def _to_bytes(value: int, width: int) -> bytes:
    length = (width + 7) // 8
    return (value << (length * 8 - width)).to_bytes(length, "big")
