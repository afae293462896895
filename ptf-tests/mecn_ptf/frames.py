# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Packets that tests send, the routes they take, and how what left is read. Built and judged by scapy."""

from __future__ import annotations

from mecn_controller import Route
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

IN_PORT = 1
SLOW_PORT = 2
OTHER_PORT = 3
CPU_PORT = 510
"""The program's own (p4src/shared/types.p4)."""
PORTS = (IN_PORT, SLOW_PORT, OTHER_PORT)
ROUTES = tuple(
    Route(f"10.0.{port}.0/24", port, f"02:00:00:00:0{port}:fe", f"02:00:00:00:0{port}:01") for port in PORTS
)
HOST_BEHIND = {port: f"10.0.{port}.1" for port in PORTS}

NOT_ECT, ECT_1, ECT_0, CE = 0b00, 0b01, 0b10, 0b11
CODEPOINTS = (NOT_ECT, ECT_1, ECT_0, CE)


def ethernet(ether_type: int | None = None) -> Ether:
    """From the host behind IN_PORT to the switch. ether_type: that of what follows, if scapy cannot tell."""
    header = Ether(src=ROUTES[0].dst_mac, dst=ROUTES[0].src_mac)
    if ether_type is not None:
        header.type = ether_type
    return header


def frame(
    *,
    ecn: int = ECT_0,
    dscp: int = 0,
    port: int = SLOW_PORT,
    host: int = 1,
    ttl: int = 64,
    payload: int = 100,
    udp: bool = False,
    ident: int = 7,
) -> bytes:
    """A packet to a host behind a port, with correct checksums. ident: IPv4 identification."""
    transport = UDP(sport=5001, dport=5002) if udp else TCP(sport=5001, dport=5002, flags="A", seq=1, ack=1)
    ip = IP(src="10.0.1.1", dst=f"10.0.{port}.{host}", tos=dscp << 2 | ecn, ttl=ttl, id=ident)
    return bytes(ethernet() / ip / transport / Raw(bytes(payload)))


def decode(data: bytes | None) -> Packet:
    """What left, by scapy; fails if nothing left or if the IPv4 checksum is not what scapy computes."""
    assert data is not None
    packet = Ether(data)
    again = packet.copy()
    del again[IP].chksum
    assert Ether(bytes(again))[IP].chksum == packet[IP].chksum, "IPv4 header checksum"
    return packet


def ecn_of(data: bytes | None) -> int:
    """ECN field of an IPv4 frame, without decoding all of it."""
    assert data is not None
    return data[15] & 0b11


def ident_of(data: bytes) -> int:
    """Identification field of an IPv4 frame; -1 if it is none."""
    return int.from_bytes(data[18:20], "big") if data[12:14] == b"\x08\x00" and len(data) >= 34 else -1
