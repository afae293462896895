# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Classes by round-trip time: the handshake is timed, and each class has a curve that one entry changes."""

from __future__ import annotations

import itertools
import zlib
from dataclasses import dataclass
from ipaddress import IPv4Address

import pytest
from mecn_controller import Route, parse_profile
from mecn_controller.names import CLASS_CURVE_TABLE, MARKING_CURVE, SET_CURVE
from mecn_controller.policy.entries import Entry, Exact, classes_of, profile_entries
from mecn_controller.reports import active_flows_error
from mecn_native import ActionCall, CompiledProgram, MatchField, Switch, TableUpdate
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from test_reports import taken

from engine import install, routed
from target import CE, ECT_0, IN_PORT, SLOW_PORT, ecn_of

MS = 1_000_000
PROFILE = {
    "name": "adaptive",
    "scheme": "ecnm",
    "min_th": 100,
    "max_th": 200,
    "max_p": 0.1,
    "rtt_class_bounds_ms": [60, 200],
    "rtt_class_max_p": [0.5, 0.3, 0.2],
    "report_period_ms": 1000,
}
ALWAYS = 77  # profile id of a curve that marks every packet


@dataclass(frozen=True)
class Connection:
    """A TCP connection that the host on the fast side opens."""

    port: int = 40000
    client: str = "10.0.1.1"
    server: str = "10.0.2.1"

    def segment(self, flags: str, *, reverse: bool = False) -> bytes:
        """A segment of the client, or of the server."""
        src, dst = (self.server, self.client) if reverse else (self.client, self.server)
        ip = IPv6(src=src, dst=dst, tc=ECT_0) if ":" in src else IP(src=src, dst=dst, tos=ECT_0)
        sport, dport = (80, self.port) if reverse else (self.port, 80)
        tcp = TCP(sport=sport, dport=dport, flags=flags)
        return bytes(Ether(src="02:00:00:00:01:01", dst="02:00:00:00:01:fe") / ip / tcp)

    @property
    def hash(self) -> int:
        """The flow hash of the data plane, from its definition: CRC-32, mixed as MurmurHash3 ends."""
        ends = sorted([(int(IPv4Address(self.client)), self.port), (int(IPv4Address(self.server)), 80)])
        (a, a_port), (b, b_port) = ends
        key = a.to_bytes(4, "big") + b.to_bytes(4, "big")
        h = zlib.crc32(key + a_port.to_bytes(2, "big") + b_port.to_bytes(2, "big") + bytes([6]))
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
            h = (h ^ h >> shift) * factor & 0xFFFF_FFFF
        return h ^ h >> 16


class Path:
    """A switch with the profile on both ports, and a clock."""

    def __init__(self, base: Switch) -> None:
        self.switch = base.fork(5)
        self.now_ns = 1_000_000_000
        profile = parse_profile(PROFILE)
        entries = profile_entries(profile, 1, SLOW_PORT)
        install(self.switch, (*entries.all, *profile_entries(profile, 1, IN_PORT).ports))
        key = (("profile_id", Exact(ALWAYS)),)
        always = Entry(f"{MARKING_CURVE}.aqm_curve", key, f"{MARKING_CURVE}.severe", (), 1)
        install(self.switch, [always])

    def steer(self, rtt_class: int, curve: int) -> None:
        """Gives a class another curve: one entry."""
        key = [MatchField.Exact(1), MatchField.Exact(rtt_class)]
        self.switch.update(TableUpdate.Modify(CLASS_CURVE_TABLE, key, 0, ActionCall(SET_CURVE, [curve])))

    def send(self, data: bytes, port: int = IN_PORT) -> int:
        """One packet through; its ECN field afterwards."""
        (departure,) = self.switch.process(port, data, self.now_ns)
        if data[12:14] == b"\x86\xdd":
            assert departure.frame is not None
            return departure.frame[15] >> 4 & 3  # low bits of the traffic class (RFC 8200, section 3)
        return ecn_of(departure.frame)

    def open(self, connection: Connection, rtt_ns: int) -> None:
        """A handshake that takes a round trip."""
        self.send(connection.segment("S"))
        self.now_ns += rtt_ns // 3
        self.send(connection.segment("SA", reverse=True), SLOW_PORT)
        self.now_ns += rtt_ns - rtt_ns // 3
        self.send(connection.segment("A"))

    def class_of(self, data: bytes, port: int = IN_PORT) -> int:
        """The class that a packet is in: the one whose curve shows."""
        classes = range(1, 4)
        marked = []
        for rtt_class in classes:
            self.steer(rtt_class, ALWAYS)
            if self.send(data, port) == CE:
                marked.append(rtt_class)
            self.steer(rtt_class, 1 + rtt_class)
        assert len(marked) <= 1
        return marked[0] if marked else 0


@pytest.fixture(scope="module")
def base(program: CompiledProgram) -> Switch:
    return routed(program)


@pytest.fixture
def path(base: Switch) -> Path:
    return Path(base)


@pytest.mark.parametrize(
    ("rtt_ns", "rtt_class"),
    [
        (0, 1),
        (20 * MS, 1),
        (60 * MS - 16_000, 1),
        (60 * MS, 2),
        (100 * MS, 2),
        (200 * MS - 16_000, 2),
        (200 * MS, 3),
        (16 * 1000 * MS, 3),
        (3600 * 1000 * MS, 3),
    ],
)
def test_the_handshake_decides_the_class(path: Path, rtt_ns: int, rtt_class: int) -> None:
    """To the step of 16 us; both directions are in the class, and the first ACK is already."""
    connection = Connection()
    path.open(connection, rtt_ns)
    assert path.class_of(connection.segment("A")) == rtt_class
    assert path.class_of(connection.segment("PA", reverse=True), SLOW_PORT) == rtt_class


def test_connections_over_ipv6_have_classes(path: Path) -> None:
    """Of both orders of addresses: the hash puts the lower one first."""
    hosts = ("2001:db8:1::1", "2001:db8:2::1")
    routes = (
        Route("2001:db8:1::/64", IN_PORT, "02:00:00:00:01:fe", "02:00:00:00:01:01"),
        Route("2001:db8:2::/64", SLOW_PORT, "02:00:00:00:02:fe", "02:00:00:00:02:01"),
    )
    install(path.switch, [route.entry() for route in routes])
    connection = Connection(client=hosts[0], server=hosts[1])
    path.open(connection, 100 * MS)
    assert path.class_of(connection.segment("A")) == 2
    assert path.class_of(connection.segment("PA", reverse=True), SLOW_PORT) == 2
    assert path.class_of(Connection(client="2001:db8:1::2", server=hosts[1]).segment("A")) == 0
    assert path.class_of(Connection().segment("A")) == 0


def test_one_entry_steers_a_class(path: Path) -> None:
    """Only packets of that class are judged by its new curve, from the next one on."""
    connections = {number: Connection(40000 + number) for number in range(1, 4)}
    for number, rtt_ns in ((1, 20 * MS), (2, 100 * MS), (3, 300 * MS)):
        path.open(connections[number], rtt_ns)
    path.steer(2, ALWAYS)
    assert [path.send(c.segment("A")) for c in connections.values()] == [ECT_0, CE, ECT_0]
    path.steer(2, 3)
    assert [path.send(c.segment("A")) for c in connections.values()] == [ECT_0] * 3


def test_what_has_no_class(path: Path) -> None:
    """A connection whose SYN was not seen, one that is not open yet, another protocol."""
    known = Connection()
    path.open(known, 20 * MS)
    assert path.class_of(Connection(40001).segment("A")) == 0
    opening = Connection(40002)
    path.send(opening.segment("S"))
    assert path.class_of(opening.segment("SA", reverse=True), SLOW_PORT) == 0
    udp = Ether(dst="02:00:00:00:01:fe") / IP(src=known.client, dst=known.server, tos=ECT_0)
    assert path.class_of(bytes(udp / UDP(sport=known.port, dport=80))) == 0
    assert path.class_of(known.segment("A")) == 1


def test_of_a_syn_that_is_sent_again_the_last_counts(path: Path) -> None:
    connection = Connection()
    path.send(connection.segment("S"))
    path.now_ns += 3000 * MS
    path.open(connection, 30 * MS)
    assert path.class_of(connection.segment("A")) == 1


def test_a_port_that_is_used_again_gets_the_class_of_its_new_handshake(path: Path) -> None:
    connection = Connection()
    path.open(connection, 20 * MS)
    path.open(connection, 300 * MS)
    assert path.class_of(connection.segment("A")) == 3


def test_a_connection_that_lost_its_slot_has_no_class(path: Path) -> None:
    """Two connections of one slot and different tags: the younger has it; the older is in class 0."""
    first = Connection()
    second = next(
        c
        for c in (
            Connection(port, client=f"10.0.1.{host}")
            for port, host in itertools.product(range(1024, 65536), range(1, 20))
        )
        if c.hash & 0xFFFF == first.hash & 0xFFFF and c != first
    )
    assert second.hash >> 16 & 0x1FFF != first.hash >> 16 & 0x1FFF
    path.open(first, 20 * MS)
    assert path.class_of(first.segment("A")) == 1
    path.open(second, 300 * MS)
    assert path.class_of(second.segment("A")) == 3
    assert path.class_of(first.segment("A")) == 0


@pytest.mark.parametrize("count", [1, 20, 100, 600])
def test_active_flows_are_counted_by_class(path: Path, count: int) -> None:
    """Linear counting, within four standard deviations of the number of connections that sent in the period.

    Their ports follow each other, which a CRC alone would spread too evenly.
    """
    connections: dict[int, list[Connection]] = {}
    for rtt_class, rtt_ns, first_port in ((1, 20 * MS, 20000), (3, 300 * MS, 40000)):
        connections[rtt_class] = [Connection(first_port + n) for n in range(count)]
        opened = [c.segment("S") for c in connections[rtt_class]]
        for data in opened:
            path.send(data)
        path.now_ns += rtt_ns
        for c in connections[rtt_class]:
            path.send(c.segment("A"))
    # A period in which all of class 1 send, twice, and half of class 3; then one in which nobody does.
    path.now_ns += 2000 * MS
    half = connections[3][: (count + 1) // 2]
    for c in connections[1] + connections[1] + half:
        path.send(c.segment("A"))
    taken(path.switch)
    path.now_ns += 2000 * MS
    path.send(half[0].segment("A"))
    path.now_ns += 2000 * MS
    path.send(half[0].segment("A"))
    busy, idle = (r for r in taken(path.switch) if r.port == SLOW_PORT)
    # Some have lost their slot to a younger connection, and are in class 0.
    owners = {c.hash & 0xFFFF: c for c in (*connections[1], *connections[3])}
    lost = [[c for c in group if owners[c.hash & 0xFFFF] != c] for group in (connections[1], half)]
    expected = {0: len(lost[0]) + len(lost[1]), 1: count - len(lost[0]), 3: len(half) - len(lost[1])}
    for rtt_class, flows in expected.items():
        assert busy.active[rtt_class] == pytest.approx(flows, abs=4 * active_flows_error(flows) + 0.5)
    assert busy.active_bits[2] == 0
    assert idle.active_bits == (0, 0, 0, 1)


def test_profile_without_classes_looks_at_no_flow(base: Switch) -> None:
    switch = base.fork(1)
    profile = parse_profile({**PROFILE, "rtt_class_bounds_ms": [], "rtt_class_max_p": []})
    assert classes_of(profile) == ()
    install(switch, profile_entries(profile, 1, SLOW_PORT).all)
    for us in (0, 1, 2_000_000):
        switch.process(IN_PORT, Connection().segment("S"), us * 1000)
    assert switch.register_read("MecnIngress.flow_class.flow_slots", Connection().hash & 0xFFFF) == 0
