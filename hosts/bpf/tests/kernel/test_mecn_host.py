# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn-host` on the running kernel, against a peer that decides about every bit.

The kernel's TCP talks through a TUN device in a network namespace of the test's own. The other end is this
file: it marks segments, echoes levels and loses data exactly as told, so that every expectation is exact.
"""

from __future__ import annotations

import ctypes
import fcntl
import itertools
import json
import os
import select
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path

import pytest

from .host import PINS, binary, status

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
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
            source, destination, seq = struct.unpack("!HHI", segment[:8])
            if destination != self.port or (self.kernel_port and source != self.kernel_port):
                continue
            assert checksum(pseudo(self.version, self.kernel, self.own, len(segment)) + segment) == 0
            self.kernel_port = source
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


@pytest.fixture(scope="module")
def program() -> str:
    """Path of mecn-host."""
    return binary()


@pytest.fixture
def tun(program: str) -> Iterator[int]:
    """A TUN device in a namespace that this process is in until the test ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    if libc.unshare(CLONE_NEWNET):
        pytest.skip(f"no network namespace: {os.strerror(ctypes.get_errno())}")
    device = -1
    try:
        try:
            device = os.open("/dev/net/tun", os.O_RDWR)
        except OSError as error:
            pytest.skip(f"no TUN device: {error}")
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"mecn0", IFF_TUN | IFF_NO_PI))
        for command in ("addr add 10.9.0.1/24 dev mecn0", "addr add fd00:9::1/64 dev mecn0 nodad",
                        "link set mecn0 up", "link set lo up"):  # fmt: skip
            subprocess.run(["ip", *command.split()], check=True)
        # No timeouts while the test is slow: the peer acknowledges when it wants to.
        for route in ("-4 route replace 10.9.0.0/24 dev mecn0 src 10.9.0.1 rto_min 60s",
                      "-6 route replace fd00:9::/64 dev mecn0 metric 256 rto_min 60s"):  # fmt: skip
            subprocess.run(["ip", *route.split()], check=True)
        Path("/proc/sys/net/ipv4/tcp_ecn").write_text("1")
        yield device
    finally:
        if PINS.exists():
            subprocess.run([program, "down"], check=False)
        if device >= 0:
            os.close(device)
        libc.setns(home, CLONE_NEWNET)
        os.close(home)


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


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize(("cause", "bits"), [("incipient", ECE), ("moderate", CWR | ECE)])
def test_reduces_by_level_once_per_window(
    program: str, tun: int, version: int, cause: str, bits: int
) -> None:
    """One cut of the level's size, however many acknowledgements of that window repeat it."""
    up(program)
    connection, peer = sender(tun, version, 7001)
    with connection:
        _, cwnd = windows(connection)
        for _ in range(40):
            peer.send(ACK | bits)
        assert windows(connection)[0] == reduced(cwnd, cause)
        counters = status(program)
        assert counters[f"reductions.{cause}"] == 1
        assert sum(value for name, value in counters.items() if name.startswith("reductions.")) == 1
        events = subprocess.run(
            [program, "events", "--json", "--count", "1"],
            check=True,
            capture_output=True,
            text=True,
            timeout=30,
        )
        event = json.loads(events.stdout)
        assert (event["cause"], event["cwnd_before"], event["cwnd_after"]) == (
            cause,
            cwnd,
            reduced(cwnd, cause),
        )
        assert event["remote"].endswith(":7001")


def test_loss_halves(program: str, tun: int) -> None:
    """Three duplicate acknowledgements."""
    up(program)
    connection, peer = sender(tun, 4, 7002)
    with connection:
        peer.send(ACK)
        peer.ack, lost = peer.ack, peer.ack
        peer.drain()
        peer.ack = lost
        _, cwnd = windows(connection)
        for _ in range(3):
            peer.send(ACK)
        assert windows(connection)[0] == reduced(cwnd, "loss")
        assert status(program)["reductions.loss"] == 1


def test_peer_outside_the_prefixes_gets_rfc_3168(program: str, tun: int) -> None:
    """For a peer that does not know levels ECE means halve."""
    up(program, peers=("10.99.0.0/16",))
    connection, peer = sender(tun, 4, 7003)
    with connection:
        _, cwnd = windows(connection)
        peer.send(ACK | ECE)
        assert windows(connection)[0] == reduced(cwnd, "classic")
        assert status(program)["reductions.classic"] == 1


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


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("extra", [(), ("--count-on-ingress",)])
def test_each_ack_echoes_the_highest_level_since_the_last(
    program: str, tun: int, version: int, extra: tuple[str, ...]
) -> None:
    """All patterns of three marked segments, whichever of them the kernel chooses to acknowledge."""
    up(program, *extra)
    connection, peer = receiver(tun, version, 7004)
    acks = delayed = 0
    with connection:
        for pattern in itertools.product((ECT_0, ECT_1, CE), repeat=3):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 0)
            pending: list[int] = []
            for ecn in pattern:
                peer.send(ACK | PSH, b"y" * 1000, ecn)
                pending.append(LEVEL[ecn])
                while (ack := peer.receive(0.005)) is not None:
                    assert ack[1] & (CWR | ECE) == max(pending, default=0), pattern
                    acks, delayed = acks + 1, delayed + (len(pending) > 1)
                    pending.clear()
            while pending:
                ack = peer.receive(1)
                assert ack is not None
                assert ack[1] & (CWR | ECE) == max(pending), pattern
                acks, delayed = acks + 1, delayed + (len(pending) > 1)
                pending.clear()
            connection.recv(100_000)
            while (ack := peer.receive(0.002)) is not None:
                assert ack[1] & (CWR | ECE) == 0
    assert delayed > 0, f"{acks} acknowledgements, none of them delayed"


@pytest.mark.usefixtures("tun")
def test_second_up_is_refused_and_harmless(program: str) -> None:
    """Double load."""
    up(program)
    again = subprocess.run(
        [program, "up", "-i", "mecn0", "-p", "::/0"], capture_output=True, text=True, check=False
    )
    assert again.returncode == 1
    assert "up already" in again.stderr
    assert status(program)["reductions.loss"] == 0


def test_down_under_traffic_names_the_socket_and_removes_all(program: str, tun: int) -> None:
    """The connection goes on; the default is what it was; nothing is pinned or registered."""
    setting = Path("/proc/sys/net/ipv4/tcp_congestion_control")
    before = setting.read_text()
    up(program, "--default")
    assert setting.read_text().strip() == "mecn"
    connection, peer = sender(tun, 4, 7005, control=None)
    with connection:
        down = subprocess.run([program, "down"], check=True, capture_output=True, text=True)
        assert f"pid {os.getpid()}" in down.stdout
        assert "10.9.0.2:7005" in down.stdout
        assert setting.read_text() == before
        assert not PINS.exists()
        assert "mecn" not in Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()
        acknowledged = peer.ack
        peer.send(ACK)
        peer.drain()
        assert peer.ack > acknowledged
        with socket.socket() as fresh, pytest.raises(FileNotFoundError):
            fresh.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"mecn")
