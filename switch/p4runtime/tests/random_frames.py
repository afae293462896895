# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Random frames for `mecn_v1model.p4`: most can be forwarded, some are wrong in one place or cut off."""

from collections.abc import Sequence
from random import Random

TCP, UDP, ICMP = 6, 17, 1
IPV4, ARP, IPV6 = 0x0800, 0x0806, 0x86DD
VLAN_TYPES = (0x8100, 0x88A8)


class Flow:
    """Addresses of a round, which no other round has."""

    def __init__(self, draw: Random, number: int) -> None:
        self.src = 0x0A00_0000 | number & 0xFF_FFFF
        self.dst = draw.getrandbits(32)
        self.src6 = 0x2001_0DB8 << 96 | number
        self.dst6 = draw.getrandbits(128)


def packet_out(draw: Random) -> bytes:
    """From the controller: a port, which may be none, and any bytes. Odd ports only."""
    return (draw.getrandbits(draw.choice((9, 16))) | 1).to_bytes(2, "big") + draw.randbytes(
        draw.randrange(80)
    )


def arrival(draw: Random, flow: Flow) -> bytes:
    """A frame from the network."""
    ether_type, packet = draw.choices((_ipv4, _ipv6, _arp, _other), (24, 8, 1, 1))[0](draw, flow)
    tags = b""
    for _ in range(draw.choices(range(4), (12, 4, 2, 1))[0]):
        tags += _either(draw, VLAN_TYPES, 16).to_bytes(2, "big") + draw.randbytes(2)
    addresses = bytes([_either(draw, (2,), 8, 0.1)]) + draw.randbytes(11)
    frame = addresses + tags + ether_type.to_bytes(2, "big") + packet + bytes(draw.choice((0, 0, 18)))
    return frame[: draw.randint(1, len(frame))] if draw.random() < 0.05 else frame


def udp(destination: int, ecn: int) -> bytes:
    """A frame that can be forwarded."""
    header = bytearray(
        b"\x45"
        + bytes([ecn])
        + b"\x00\x1c\x00\x00\x40\x00\x40\x11\x00\x00\x0a\x01\x00\x01"
        + destination.to_bytes(4, "big")
    )
    header[10:12] = _checksum(header).to_bytes(2, "big")
    return (
        bytes.fromhex("020000000002 020000000001 0800") + bytes(header) + b"\x00\x01\x00\x02\x00\x08\x00\x00"
    )


def _either(draw: Random, usual: Sequence[int], bits: int, unusual: float = 0.03) -> int:
    return draw.getrandbits(bits) if draw.random() < unusual else draw.choice(usual)


def _traffic_class(draw: Random) -> int:
    return draw.getrandbits(8)


def _hops(draw: Random) -> int:
    return draw.choices((0, 1, 2, 64, 255), (1, 1, 1, 16, 8))[0]


def _transport(draw: Random, protocol: int) -> bytes:
    # Few flows, so that a SYN is followed by an ACK of its flow.
    ports = _either(draw, (1,), 16, 0.1).to_bytes(2, "big") + (2).to_bytes(2, "big")
    if protocol == TCP:
        flags = bytes([0x50, draw.choice((0x02, 0x10, 0x10, 0x12, draw.getrandbits(8)))])
        return ports + draw.randbytes(8) + flags + draw.randbytes(6)
    return ports + draw.randbytes(4)


def _swapped(draw: Random, source: int, destination: int) -> tuple[int, int]:
    return (destination, source) if draw.random() < 0.05 else (source, destination)


def _checksum(header: bytes | bytearray) -> int:
    total = sum(int.from_bytes(header[at : at + 2], "big") for at in range(0, len(header), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _ipv4(draw: Random, flow: Flow) -> tuple[int, bytes]:
    words = _either(draw, (5, 5, 5, 5, 6, 15), 4)
    protocol = _either(draw, (TCP, TCP, TCP, UDP, ICMP), 8)
    payload = _transport(draw, protocol) + bytes(draw.choice((0, 6, 400, 1400)))
    options = draw.randbytes(4 * max(0, words - 5))
    length = _either(draw, (20 + len(options) + len(payload),), 16)
    source, destination = _swapped(draw, _either(draw, (flow.src,), 32), _either(draw, (flow.dst,), 32))
    header = bytearray(
        bytes([_either(draw, (4,), 4) << 4 | words, _traffic_class(draw)])
        + length.to_bytes(2, "big")
        + draw.randbytes(2)
        + _either(draw, (0, 0x4000), 16).to_bytes(2, "big")
        + bytes([_hops(draw), protocol, 0, 0])
        + source.to_bytes(4, "big")
        + destination.to_bytes(4, "big")
        + options
    )
    header[10:12] = _either(draw, (_checksum(header),), 16).to_bytes(2, "big")
    return IPV4, bytes(header) + payload


def _ipv6(draw: Random, flow: Flow) -> tuple[int, bytes]:
    protocol = _either(draw, (TCP, TCP, TCP, UDP, 58), 8)
    payload = _transport(draw, protocol) + bytes(draw.choice((0, 6, 400, 1400)))
    first = _either(draw, (6,), 4) << 28 | _traffic_class(draw) << 20 | draw.getrandbits(20)
    length = _either(draw, (len(payload),), 16)
    source, destination = _swapped(draw, _either(draw, (flow.src6,), 128), _either(draw, (flow.dst6,), 128))
    limits = bytes([protocol, _hops(draw)])
    header = first.to_bytes(4, "big") + length.to_bytes(2, "big") + limits
    return IPV6, header + source.to_bytes(16, "big") + destination.to_bytes(16, "big") + payload


def _arp(draw: Random, _: Flow) -> tuple[int, bytes]:
    return ARP, draw.randbytes(28)


def _other(draw: Random, _: Flow) -> tuple[int, bytes]:
    return draw.getrandbits(16), draw.randbytes(46)
