# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Packet tests of tables 1 and 2: a sender, the compiled program with a MECN profile, a receiver.

Every packet goes as bytes from TCP through the switch to TCP. How congested the switch is for each
packet, others decide that wait before it: the profile's average is the queue itself (w = 1).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mecn_controller.policy.profile import parse_profile
from mecn_native import TcpConfig, TcpEndpoint
from mecn_topo import address_plan, paper003_dumbbell

from ..bench import Push
from .parameters import HEADER_BYTES, PACKET_BYTES

if TYPE_CHECKING:
    from mecn_native import Switch
    from mecn_topo import AddressPlan

    from ..bench import Bench
    from ..dataset import Row

MSS = PACKET_BYTES - HEADER_BYTES
ETHERNET = 14
NOT_ECT, ECT_1, ECT_0, CE = range(4)
"""The ECN field of RFC 3168."""
MIN_TH, MID_TH, MAX_TH = 2.0, 10.0, 12.0
WAITING = {"none": 0, "incipient": 9, "moderate": 14}
"""Packets before the one in question: below min_th; below mid_th, where none gets CE and most get ECT(1);
above max_th, where all get CE."""
ROUND_S = 0.1
"""From one window to the next, seconds."""
WINDOW = 40
"""Packets in flight when the response is tested."""
TRIES = 200
"""Packets after which an incipient mark must have come: the chance that none does is below 10^-100."""

ECHO = {
    "0,0": (NOT_ECT, "moderate", (0, 0)),
    "0,1": (ECT_0, "none", (0, 0)),
    "1,0": (ECT_0, "incipient", (0, 1)),
    "1,1": (ECT_0, "moderate", (1, 1)),
}
"""Table 1. CE, ECT at the receiver: the field as it is sent, congestion, CWR and ECE of the ACK."""
_CE_ECT = {NOT_ECT: "0,0", ECT_0: "0,1", ECT_1: "1,0", CE: "1,1"}
RESPONSE = {
    "0,0": ("none", 0.0),
    "0,1": ("incipient", 1 / 5),
    "1,1": ("moderate", 1 / 2.5),
    "loss": ("loss", 1 / 2),
}
"""Table 2. CWR, ECE of the ACK, or a loss: congestion, part of cwnd that is given up."""


@dataclass
class Path:
    """A connection through the switch. Sends one window at a time."""

    switch: Switch
    plan: AddressPlan
    ports: tuple[int, int]
    """Of R1 towards the sender, and towards R2."""
    sender: TcpEndpoint
    receiver: TcpEndpoint
    now_s: float = 0.0
    seen: list[tuple[int, tuple[int, int]]] = field(default_factory=list)
    """ECN field of each data packet at the receiver, and CWR, ECE of the ACK that follows."""
    windows: list[tuple[int, int]] = field(default_factory=list)
    """cwnd before and after each of these ACKs, bytes."""

    def through(self, packet: bytes, congestion: str = "none") -> bytes:
        """A packet over the switch to R2, while so many others wait before it."""
        source = self.plan.interfaces["S1"]
        header = _mac(source.gateway_mac) + _mac(source.mac) + b"\x08\x00"
        # The one in transmission is not waiting.
        others = WAITING[congestion] + 1 if WAITING[congestion] else 0
        now = round(self.now_s * 1e9)
        for _ in range(others):
            self.switch.receive(self.ports[0], header + with_ecn(packet, NOT_ECT), now)
        self.switch.receive(self.ports[0], header + packet, now)
        left = b""
        while (due := self.switch.next_departure()) is not None:
            departure = self.switch.depart(max(now, due))
            assert departure is not None
            now = max(now, departure.end_ns)
            left = departure.frame or b""
        self.now_s = max(self.now_s, now / 1e9)
        return left[ETHERNET:]

    def acknowledge(self, ecn: int | None) -> None:
        """The receiver's answers go straight back. ecn: of the packet that they answer, if it has data."""
        while (ack := self.receiver.transmit(self.now_s)) is not None:
            before = self.sender.cwnd_bytes
            self.sender.receive(ack, self.now_s)
            if ecn is not None:
                self.seen.append((ecn, flags_of(ack)))
                self.windows.append((before, self.sender.cwnd_bytes))

    def window(self, congestion: str = "none", sent_as: int | None = None) -> int:
        """Sends what the window allows, and says how many packets that is; the first one meets the
        congestion, or is lost."""
        self.now_s += ROUND_S
        self.seen.clear()
        self.windows.clear()
        packets = []
        while (packet := self.sender.transmit(self.now_s)) is not None:
            packets.append(packet)
        for i, packet in enumerate(packets):
            if i == 0 and congestion == "loss":
                continue
            outgoing = packet if sent_as is None else with_ecn(packet, sent_as)
            arrived = self.through(outgoing, congestion if i == 0 else "none")
            data = len(arrived) > HEADER_BYTES + 20
            self.receiver.receive(arrived, self.now_s)
            self.acknowledge(ecn_of(arrived) if data else None)
        return len(packets)


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def ecn_of(packet: bytes) -> int:
    """The ECN field of an IPv4 packet."""
    return packet[1] & 3


def with_ecn(packet: bytes, ecn: int) -> bytes:
    """The packet with this ECN field and a right header checksum."""
    header = bytearray(packet[:20])
    header[1] = header[1] & 0xFC | ecn
    header[10:12] = b"\0\0"
    total = sum(struct.unpack("!10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    total = (total & 0xFFFF) + (total >> 16)
    header[10:12] = struct.pack("!H", ~total & 0xFFFF)
    return bytes(header) + packet[20:]


def flags_of(packet: bytes) -> tuple[int, int]:
    """CWR and ECE of a TCP packet."""
    flags = packet[20 + 13]
    return flags >> 7 & 1, flags >> 6 & 1


def connect(seed: int, bench: Bench) -> Path:
    """A connection through a switch that the controller has set up."""
    topology = paper003_dumbbell(1)
    plan = address_plan(topology)
    to_sender = plan.port("R1", topology.link_between("S1", "R1"))
    to_r2 = plan.port("R1", topology.link_between("R1", "R2"))
    profile = parse_profile(
        {
            "name": "003 tables",
            "scheme": "mecn",
            "mark_point": "tail",
            "weight": 1.0,
            "min_th": MIN_TH,
            "mid_th": MID_TH,
            "max_th": MAX_TH,
            "max_p": 1.0,
        }
    )
    switch = bench.switches(plan.routes, [Push("R1", to_r2, profile)])["R1"].fork(seed)
    switch.configure_port(to_r2, rate_pps=100_000)
    tcp = TcpConfig(mss=MSS, ecn="multilevel", congestion_avoidance="per-ack", initial_ssthresh=WINDOW)
    ends = [(plan.interfaces[name].address, 5000) for name in ("S1", "D1")]
    sender = TcpEndpoint.connect(tcp, ends[0], ends[1], isn=seed)
    path = Path(switch, plan, (to_sender, to_r2), sender, TcpEndpoint.listen(tcp, ends[1], isn=2 * seed))
    path.window()
    sender.send(1 << 40)
    return path


def echo(fields: str, path: Path) -> str:
    """Table 1: CWR and ECE of the ACKs of packets that arrive with CE, ECT; all of them, if they differ."""
    sent_as, congestion, _ = ECHO[fields]
    found: set[tuple[int, int]] = set()
    for _ in range(TRIES):
        path.window(congestion, sent_as)
        answers = [flags for ecn, flags in path.seen[:1] if _CE_ECT[ecn] == fields]
        found.update(answers)
        if congestion != "incipient" and not answers:
            return "the packet arrived with another field"
    return " ".join(f"{cwr},{ece}" for cwr, ece in sorted(found)) or "no packet arrived so"


def response(signal: str, path: Path) -> str:
    """Table 2: the part of cwnd that is given up, or packets gained in a round trip without congestion."""
    congestion, _ = RESPONSE[signal]
    while path.sender.cwnd_bytes < WINDOW * MSS:
        path.window()
    for _ in range(TRIES):
        start = path.sender.cwnd_bytes
        sent = path.window(congestion)
        if congestion == "none":
            return f"cwnd + {(path.sender.cwnd_bytes - start) / MSS:.1f}"
        if congestion == "loss":
            path.window()  # repairs it
            # Fast recovery inflates cwnd, and leaves it at half of what was in flight (RFC 5681).
            return _times(min(after for _, after in path.windows), sent * MSS)
        for (_, flags), (before, after) in zip(path.seen, path.windows, strict=True):
            if flags != (0, 0):
                return _times(after, before)
    return "no packet was marked"


def _times(after: int, before: int) -> str:
    return f"cwnd x {after / before:.3f}"


def test(case: str, seed: int, bench: Bench) -> Row:
    """The row of one line of a table: `echo 1,0` or `response 1,1`."""
    table, line = case.split(" ")
    path = connect(seed, bench)
    if table == "echo":
        expected = "{},{}".format(*ECHO[line][2])
        observed = echo(line, path)
    else:
        _, part = RESPONSE[line]
        expected = f"cwnd x {1 - part:.3f}" if part else "cwnd + 1.0"
        observed = response(line, path)
    return {"family": "table", "case": case, "expected": expected, "observed": observed}
