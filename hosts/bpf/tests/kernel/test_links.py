# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Two Linux hosts on veth links through `mecn-switch`, which marks: the whole loop, with offloads on and off.

What hosts say of themselves is compared with what is seen on the wire: each acknowledgement that leaves the
receiver must carry the highest mark among the data that it is the first to acknowledge, and each reduction of
the sender must be that of its level.
"""

from __future__ import annotations

import asyncio
import ctypes
import fcntl
import json
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "switch" / "p4runtime"))

from mecn_controller import Route
from mecn_controller.defaults import DEFAULT_ELECTION_ID
from mecn_controller.runtime.readback import PortCounters, read_counters
from mecn_controller.runtime.session import SwitchSession
from tests.mecn_program import compile_to, push, switch_process
from tests.namespaces import Host, hosts, run, why_not

from .host import PINS, inside, mecn, status
from .peer import BETAS, reduced

SIOCETHTOOL, STSO, SGSO, SGRO = 0x8946, 0x1F, 0x24, 0x2C
PACKET_OUTGOING, SO_RCVBUFFORCE, ETH_P_ALL = 4, 33, 3
PROFILE = {"scheme": "mecn", "min_th": 2, "mid_th": 3, "max_th": 12, "max_p": 1.0, "weight": 0.2}
SWITCH = ["--port-rate", "2=200mbit", "--port-delay", "2=2ms", "--port-limit", "2=1000"]
AMOUNT = 8_000_000
SO_MAX_PACING_RATE, PACED = 47, 25_000_000
"""Bytes per second: the rate of the bottleneck."""
LEVEL = {0: 0, 1: 1, 2: 0, 3: 3}
"""(CWR,ECE) for each value of the ECN field."""


@dataclass(frozen=True)
class Network:
    """Two hosts and the switch between them."""

    hosts: list[Host]
    address: str

    def counters(self) -> PortCounters:
        """What the switch counted at the bottleneck."""

        async def read() -> PortCounters:
            async with SwitchSession(self.address, 1, DEFAULT_ELECTION_ID) as session:
                await session.use_pipeline()
                return (await read_counters(session, [2]))[2]

        return asyncio.run(read())


@dataclass(frozen=True)
class Segment:
    """A TCP segment that an interface has seen; `length` of data may exceed the MTU."""

    outgoing: bool
    ecn: int
    seq: int
    ack: int
    flags: int
    length: int


def parse(frame: bytes, outgoing: bool) -> Segment | None:
    """Read Ethernet, IPv4 or IPv6 and TCP; None for anything else."""
    (kind,) = struct.unpack_from("!H", frame, 12)
    if kind == 0x0800 and frame[23] == 6:
        at, ecn = 14 + (frame[14] & 15) * 4, frame[15] & 3
        total = struct.unpack_from("!H", frame, 16)[0] - (at - 14)
    elif kind == 0x86DD and frame[20] == 6:
        at, ecn = 54, frame[15] >> 4 & 3
        total = struct.unpack_from("!H", frame, 18)[0]
    else:
        return None
    seq, ack, offset, flags = struct.unpack_from("!IIBB", frame, at + 4)
    return Segment(outgoing, ecn, seq, ack, flags, total - (offset >> 4) * 4)


def ipv6(number: int) -> str:
    """A host's address."""
    return f"fd00:{number}::1"


@pytest.fixture(scope="module")
def network(program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    """Hosts with IPv4 and IPv6, and a switch with a MECN profile at the port to the second one."""
    assert program
    if reason := why_not():
        pytest.skip(reason)
    with hosts(2) as pair:
        for host in pair:
            net, mac = f"fd00:{host.number}::", f"02:00:00:00:{host.number:02x}:fe"
            enter = ("ip", "netns", "exec", host.namespace, "sh", "-c")
            run(*enter, "echo 0 > /proc/sys/net/ipv6/conf/all/disable_ipv6")
            inside_host = ("ip", "-n", host.namespace)
            run(*inside_host, "addr", "add", f"{ipv6(host.number)}/64", "dev", "eth0", "nodad")
            run(*inside_host, "neigh", "add", f"{net}fe", "lladdr", mac, "dev", "eth0", "nud", "permanent")
            run(*inside_host, "-6", "route", "add", "default", "via", f"{net}fe", "rto_min", "5s")
            run(*inside_host, "route", "change", "default", "via", f"10.0.{host.number}.254", "rto_min", "5s")
        files = compile_to(tmp_path_factory.mktemp("program"))
        ports = [argument for host in pair for argument in ("-i", host.interface)]
        with switch_process("--device-id", "1", *ports, *SWITCH, *files.arguments) as (_, address):
            six = [Route(f"fd00:{h.number}::/64", h.number, h.route.src_mac, h.route.dst_mac) for h in pair]
            push(address, [*(h.route for h in pair), *six], PROFILE)
            yield Network(pair, address)


def offload(interface: str, on: bool, commands: tuple[int, ...]) -> None:
    """Switch segmentation or receive offload of an interface of this thread's namespace on or off."""
    with socket.socket() as control:
        for command in commands:
            value = ctypes.create_string_buffer(struct.pack("=II", command, on))
            request = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
            fcntl.ioctl(control, SIOCETHTOOL, request)


@pytest.fixture
def offloads(network: Network, request: pytest.FixtureRequest) -> bool:
    """Segmentation and receive offload of both hosts, on or off."""
    for host in network.hosts:
        # veth merges only what comes from an end that cannot segment.
        offload(host.switch_end, False, (STSO,))
        with inside(host.namespace):
            offload("eth0", bool(request.param), (SGSO, STSO, SGRO))
        # Segments come one by one: merge those of 0.5 ms.
        wait = 500_000 if request.param else 0
        write = f"echo {wait} > /sys/class/net/eth0/gro_flush_timeout"
        run("ip", "netns", "exec", host.namespace, "sh", "-c", write)
    return bool(request.param)


@contextmanager
def up(program: str, network: Network) -> Iterator[None]:
    """Multi-level ECN in both namespaces."""
    names = [host.namespace for host in network.hosts]
    try:
        for name in names:
            peers = ["-p", "10.0.0.0/8", "-p", "fd00::/16"]
            mecn(program, "up", "--netns", name, "-i", "eth0", *peers, "--default")
        yield
    finally:
        for name in names:
            subprocess.run([program, "down", "--netns", name], check=False)


def capture(namespace: str) -> socket.socket:
    """All that passes a host's interface, kept in the socket until it is read."""
    with inside(namespace):
        raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        raw.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 28)
        raw.bind(("eth0", 0))
    raw.setblocking(False)
    return raw


def segments(raw: socket.socket) -> list[Segment]:
    """What a capture holds."""
    found = []
    while True:
        try:
            frame, where = raw.recvfrom(128)
        except BlockingIOError:
            break
        if (segment := parse(frame, where[2] == PACKET_OUTGOING)) is not None:
            found.append(segment)
    statistics = raw.getsockopt(263, 6, 8)  # SOL_PACKET, PACKET_STATISTICS
    assert struct.unpack("=II", statistics)[1] == 0, "the capture has lost frames"
    return found


def transfer(one: Host, two: Host, version: int) -> None:
    """Data from one to two; all of it must arrive."""
    family = socket.AF_INET if version == 4 else socket.AF_INET6
    address = two.address if version == 4 else ipv6(two.number)
    with inside(two.namespace):
        listener = socket.create_server((address, 5000), family=family)
    with listener:
        with inside(one.namespace):
            client = socket.socket(family)
        received = []

        def receive() -> None:
            connection, _ = listener.accept()
            with connection:
                received.append(sum(len(data) for data in iter(lambda: connection.recv(1 << 20), b"")))

        thread = threading.Thread(target=receive)
        thread.start()
        with client:
            client.connect((address, 5000))
            client.sendall(bytes(AMOUNT))
        thread.join()
    assert received == [AMOUNT]


def check_echoes(seen: list[Segment]) -> Counter[int]:
    """Each acknowledgement against the marks of the data it acknowledges first; the echoes by level."""
    echoes: Counter[int] = Counter()
    data: list[Segment] = []
    acknowledged = None
    for segment in seen:
        if segment.flags & 0x02:  # SYN
            acknowledged = segment.ack if segment.outgoing else None
            continue
        if not segment.outgoing:
            if segment.length:
                data.append(segment)
            continue
        if acknowledged is None:
            acknowledged = segment.ack
        new = [s for s in data if 0 < (s.seq + s.length - acknowledged) % 2**32 < 2**31
               and (segment.ack - s.seq - s.length) % 2**32 < 2**31]  # fmt: skip
        expected = max((LEVEL[s.ecn] for s in new), default=0)
        assert segment.flags >> 6 == expected, (segment, new)
        echoes[expected] += 1
        data = [s for s in data if s not in new]
        acknowledged = segment.ack
    return echoes


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("offloads", [False, True], indirect=True, ids=["offloads off", "offloads on"])
def test_whole_loop(program: str, network: Network, offloads: bool, version: int) -> None:
    """Marks of the switch, echoes of the receiver and reductions of the sender fit together."""
    one, two = network.hosts
    with up(program, network):
        marks = network.counters()
        with capture(one.namespace) as sent, capture(two.namespace) as arrived:
            transfer(one, two, version)
            sender, receiver = segments(sent), segments(arrived)
        marked = network.counters()
        heard, echoed = status(program, one.namespace), status(program, two.namespace)
        total = sum(value for name, value in heard.items() if name.startswith("reductions."))
        assert heard["events_lost."] == 0
        events = mecn(program, "events", "--json", "--netns", one.namespace, "--count", str(total)).stdout

    # The sender makes super packets if it may; on the wire each packet has a mark of its own.
    longest = max(segment.length for segment in sender if segment.outgoing)
    merged = max(segment.length for segment in receiver if not segment.outgoing)
    assert (longest > 1460) == offloads
    assert (merged > 1460) == offloads
    data = [segment for segment in receiver if not segment.outgoing and segment.length]
    codepoints = Counter(segment.ecn for segment in data)
    assert codepoints[1] > 0
    assert codepoints[3] > 0
    if not offloads:
        assert codepoints[1] == marked.incipient[0] - marks.incipient[0]
        assert codepoints[3] == marked.ce[0] - marks.ce[0]

    echoes = check_echoes(receiver)
    assert (echoes[1], echoes[3]) == (echoed["segments_echoed.incipient"], echoed["segments_echoed.moderate"])
    assert echoes[1] > 0
    assert echoes[3] > 0
    assert echoed["echo_failures."] == 0
    assert (heard["acks_heard.incipient"], heard["acks_heard.moderate"]) == (echoes[1], echoes[3])
    assert heard["acks_heard.classic"] == 0

    causes: Counter[str] = Counter()
    for event in map(json.loads, events.splitlines()):
        causes[event["cause"]] += 1
        assert event["netns"] == one.namespace
        assert ip_address(event["remote"].rpartition(":")[0].strip("[]")).version == version
        if event["cause"] in BETAS:
            assert event["cwnd_after"] == reduced(event["cwnd_before"], event["cause"])
    assert causes == {
        name.removeprefix("reductions."): value
        for name, value in heard.items()
        if name.startswith("reductions.") and value
    }
    assert causes["incipient"] > 0
    assert causes["moderate"] > 0
    print(f"marks {dict(codepoints)}, echoes {dict(echoes)}, {dict(causes)}, longest {longest}, {merged}")
    # One reduction in a window, and a window is more than one acknowledgement.
    assert causes["incipient"] + causes["moderate"] < echoes[1] + echoes[3]


@pytest.mark.parametrize("offloads", [True], indirect=True, ids=["offloads on"])
def test_unload_under_traffic(program: str, network: Network, offloads: bool) -> None:
    """Up, down and up again while data flows: all of it arrives."""
    assert offloads
    one, two = network.hosts
    with up(program, network):
        thread = threading.Thread(target=transfer, args=(one, two, 4))
        thread.start()
        for _ in range(3):
            for host in (one, two):
                mecn(program, "down", "--netns", host.namespace)
            assert not PINS.exists()
            for host in (one, two):
                mecn(program, "up", "--netns", host.namespace, "-i", "eth0", "-p", "10.0.0.0/8")
        thread.join()
        transfer(one, two, 4)


def exchange(one: Host, two: Host, amount: int) -> None:
    """Data both ways on one connection; all of it must arrive."""
    with inside(two.namespace):
        listener = socket.create_server((two.address, 5000))
    with inside(one.namespace):
        client = socket.socket()
    with listener, client:
        client.connect((two.address, 5000))
        server, _ = listener.accept()
        # As long as the other way takes, in super packets.
        server.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, PACED)
        received = []

        def receive(connection: socket.socket) -> None:
            received.append(sum(len(data) for data in iter(lambda: connection.recv(1 << 20), b"")))

        def send(connection: socket.socket) -> None:
            connection.sendall(bytes(amount))
            connection.shutdown(socket.SHUT_WR)

        with server:
            work = [(receive, client), (receive, server), (send, client), (send, server)]
            threads = [threading.Thread(target=target, args=(connection,)) for target, connection in work]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert received == [amount, amount]


def replay(seen: list[Segment]) -> Counter[str]:
    """Reductions of a host that has seen these segments, once in a window: what tcp_ack() makes of them.

    A window ends with an acknowledgement of more than had been sent when it began.
    """
    causes: Counter[str] = Counter()
    sent = window = None
    for segment in seen:
        if segment.flags & 0x02:  # SYN
            continue
        if segment.outgoing:
            end = segment.seq + segment.length
            sent = end if sent is None or (end - sent) % 2**32 < 2**31 else sent
            continue
        if window is not None and 0 < (segment.ack - window) % 2**32 < 2**31:
            window = None
        level = segment.flags >> 6
        if level & 1 and window is None and sent is not None:
            causes["moderate" if level == 3 else "incipient"] += 1
            window = sent % 2**32
    return causes


@pytest.mark.parametrize("offloads", [True], indirect=True, ids=["offloads on"])
def test_super_packets_that_echo(program: str, network: Network, offloads: bool) -> None:
    """An echo on a super packet of data reaches the peer on all segments cut from it, CWR only on the first.

    Incipient follows moderate then, with the same acknowledgement number, and the peer reduces for the first.
    """
    assert offloads
    one, two = network.hosts
    with inside(one.namespace):
        offload("eth0", False, (SGRO,))  # each segment is seen as it was on the wire
    with up(program, network):
        with capture(one.namespace) as near, capture(two.namespace) as far:
            # Most echoes travel on acknowledgements without data.
            exchange(one, two, 4 * AMOUNT)
            arrived, sent = segments(near), segments(far)
        heard = status(program, one.namespace)
        total = sum(value for name, value in heard.items() if name.startswith("reductions."))
        events = mecn(program, "events", "--json", "--netns", one.namespace, "--count", str(total)).stdout

    flags: dict[int, list[int]] = {}
    for segment in arrived:
        if not segment.outgoing and segment.length:
            flags.setdefault(segment.seq, []).append(segment.flags >> 6)
    once = {seq: found[0] for seq, found in flags.items() if len(found) == 1}
    cut: Counter[int] = Counter()
    for packet in sent:
        if packet.outgoing and packet.length > 1460:
            seqs = [seq for seq in once if (seq - packet.seq) % 2**32 < packet.length]
            seqs.sort(key=lambda seq: (seq - packet.seq) % 2**32)
            if len(seqs) < 2 or seqs[0] != packet.seq:
                continue  # sent again, or lost
            level = packet.flags >> 6
            assert [once[seq] for seq in seqs] == [level] + [level & 1] * (len(seqs) - 1), packet
            cut[level] += 1
    assert cut[0] > 0
    assert cut[3] > 0

    causes: Counter[str] = Counter()
    for event in map(json.loads, events.splitlines()):
        causes[event["cause"]] += 1
        if event["cause"] in BETAS:
            assert event["cwnd_after"] == reduced(event["cwnd_before"], event["cause"])
    expected = replay(arrived)
    print(f"super packets by level {dict(cut)}, reductions {dict(causes)}, expected {dict(expected)}")
    # An acknowledgement may wait for its socket while data leave: then the capture has them in another order.
    for cause in ("incipient", "moderate"):
        assert abs(causes[cause] - expected[cause]) <= max(2, 0.1 * expected[cause])
