# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The other end of the kernel's connections, on a TUN device: it marks, echoes and loses exactly as told."""

from __future__ import annotations

import os
import select
import socket
import struct
import subprocess
import time
from ipaddress import ip_address

FIN, SYN, RST, PSH, ACK, ECE, CWR = 0x01, 0x02, 0x04, 0x08, 0x10, 0x40, 0x80
NOT_ECT, ECT_1, ECT_0, CE = 0, 1, 2, 3
LEVEL = {NOT_ECT: 0, ECT_0: 0, ECT_1: ECE, CE: CWR | ECE}
ADDRESSES = {4: ("10.9.0.1", "10.9.0.2"), 6: ("fd00:9::1", "fd00:9::2")}
BETAS = {"incipient": 5000, "moderate": 2500, "loss": 2000, "classic": 2000}


def checksum(data: bytes) -> int:
    """RFC 1071."""
    total: int = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def pseudo(version: int, source: bytes, destination: bytes, length: int) -> bytes:
    """Pseudo header of RFC 9293 or RFC 8200."""
    form = "!BBH" if version == 4 else "!I3xB"
    rest = struct.pack(form, 0, 6, length) if version == 4 else struct.pack(form, length, 6)
    return source + destination + rest


class Peer:
    """The other end of one connection."""

    def __init__(self, tun: int, version: int, port: int, kernel_port: int = 0) -> None:
        self.tun, self.version, self.port, self.kernel_port = tun, version, port, kernel_port
        self.kernel, self.own = (ip_address(a).packed for a in ADDRESSES[version])
        self.seq, self.ack = 1000, 0
        self.acknowledged = 0
        """Acknowledgement number of the segment received last."""

    def send(self, flags: int, payload: bytes = b"", ecn: int = NOT_ECT, options: bytes = b"") -> None:
        """One segment; the sequence number moves on."""
        offset = (20 + len(options)) // 4
        ports = (self.port, self.kernel_port)
        fields = (*ports, self.seq, self.ack, offset << 4, flags, 65535, 0, 0)
        segment = struct.pack("!HHIIBBHHH", *fields) + options + payload
        check = checksum(pseudo(self.version, self.own, self.kernel, len(segment)) + segment)
        segment = segment[:16] + struct.pack("!H", check) + segment[18:]
        if self.version == 4:
            header = (
                struct.pack("!BBHHHBBH", 0x45, ecn, 20 + len(segment), 0, 0, 64, 6, 0)
                + self.own
                + self.kernel
            )
            header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
        else:
            header = struct.pack("!IHBB", 6 << 28 | ecn << 20, len(segment), 6, 64) + self.own + self.kernel
        os.write(self.tun, header + segment)
        self.seq += len(payload) + bool(flags & SYN)

    def receive(self, wait: float) -> tuple[int, int, int] | None:
        """(sequence number, flags, payload length) of the next segment, with its checksum verified."""
        until = time.monotonic() + wait
        while select.select([self.tun], [], [], max(0.0, until - time.monotonic()))[0]:
            packet = os.read(self.tun, 65536)
            at = 20 if self.version == 4 else 40
            if packet[0] >> 4 != self.version or packet[9 if self.version == 4 else 6] != 6:
                continue
            segment = packet[at:]
            source, destination, seq, acknowledged = struct.unpack("!HHII", segment[:12])
            if destination != self.port or (self.kernel_port and source != self.kernel_port):
                continue
            assert checksum(pseudo(self.version, self.kernel, self.own, len(segment)) + segment) == 0
            self.kernel_port, self.acknowledged = source, acknowledged
            return seq, segment[13], len(segment) - (segment[12] >> 4) * 4
        return None

    def accept(self) -> None:
        """Answer a SYN that asks for ECN, and agree."""
        syn = self.receive(2)
        assert syn is not None
        assert syn[1] & (SYN | ECE | CWR) == SYN | ECE | CWR
        self.ack = syn[0] + 1
        self.send(SYN | ACK | ECE, options=b"\x02\x04\x03\xe8\x03\x03\x07\x01")

    def drain(self, wait: float = 0.02) -> None:
        """Take in everything that is under way, without acknowledging it."""
        while (segment := self.receive(wait)) is not None:
            self.ack = max(self.ack, segment[0] + segment[2])


def up(program: str, *extra: str, peers: tuple[str, ...] = ("10.9.0.0/24", "fd00:9::/64")) -> None:
    """Bring it up on the TUN device."""
    arguments = [x for peer in peers for x in ("--peer", peer)]
    subprocess.run([program, "up", "-i", "mecn0", *arguments, *extra], check=True)


def windows(connection: socket.socket) -> tuple[int, int]:
    """(snd_ssthresh, snd_cwnd) of TCP_INFO, in segments."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
    ssthresh, cwnd = struct.unpack_from("=II", info, 76)
    return int(ssthresh), int(cwnd)


def sender(tun: int, version: int, port: int, control: bytes | None = b"mecn") -> tuple[socket.socket, Peer]:
    """A kernel socket that has grown its window on the peer's acknowledgements, with data under way."""
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    connection = socket.socket(family, socket.SOCK_STREAM)
    if control:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control)
    connection.setblocking(False)
    connection.connect_ex((ADDRESSES[version][1], port))
    peer = Peer(tun, version, port)
    peer.accept()
    peer.send(ACK)
    select.select([], [connection], [], 2)
    while windows(connection)[1] < 40:
        try:
            while connection.send(b"x" * 100_000):
                pass
        except BlockingIOError:
            pass
        peer.drain()
        peer.send(ACK)
    peer.drain()
    return connection, peer


def reduced(cwnd: int, cause: str) -> int:
    """The window after a reduction, by table 2 of the paper with the rounding that docs/hosts.md states."""
    return max(2, cwnd - max(1, cwnd * 1000 // BETAS[cause]))


def receiver(tun: int, version: int, port: int) -> tuple[socket.socket, Peer]:
    """A connection that the peer has opened to the kernel, with ECN."""
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESSES[version][0], port))
        listener.listen()
        peer = Peer(tun, version, 9000, port)
        peer.send(SYN | ECE | CWR, options=b"\x02\x04\x03\xe8")
        answer = peer.receive(2)
        assert answer is not None
        assert answer[1] & (SYN | ACK | ECE | CWR) == SYN | ACK | ECE
        peer.ack = answer[0] + 1
        peer.send(ACK)
        listener.settimeout(2)
        return listener.accept()[0], peer
