# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Captures at the hosts, and what they prove: codepoints on the wire, and how long packets took.

tcpdump writes them, with nanoseconds; all hosts share one clock. Only headers are kept.
"""

from __future__ import annotations

import struct
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .kernel import LabError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SNAP_BYTES = 96
NOT_ECT, ECT_1, ECT_0, CE = 0, 1, 2, 3
ECN_NAMES = {NOT_ECT: "Not-ECT", ECT_1: "ECT(1)", ECT_0: "ECT(0)", CE: "CE"}
_MAX_OUTSTANDING = 200_000
"""Packets of a flow that are on their way at most; beyond that the oldest count as lost."""
_SYN, _ACK, _ECE, _CWR = 0x02, 0x10, 0x40, 0x80


def command(path: Path) -> list[str]:
    """tcpdump at a host's interface."""
    return [
        "tcpdump", "-i", "eth0", "-n", "-s", str(SNAP_BYTES), "--time-stamp-precision=nano",
        "-U", "-Z", "root", "-w", str(path), "tcp",
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Segment:
    """A captured TCP segment."""

    time_ns: int
    flow: tuple[bytes, bytes, int, int]
    """Source and destination address, source and destination port."""
    ip_id: int
    seq: int
    payload: int
    ecn: int
    tcp_flags: int


def read(path: Path) -> Iterator[Segment]:
    """The segments of a pcap file; a record that was cut off by the end of the file ends it.

    Raises LabError if it is no pcap file of Ethernet.
    """
    with path.open("rb") as file:
        head = file.read(24)
        orders = {b"\x4d\x3c\xb2\xa1": ("<", 1), b"\xa1\xb2\x3c\x4d": (">", 1),
                  b"\xd4\xc3\xb2\xa1": ("<", 1000), b"\xa1\xb2\xc3\xd4": (">", 1000)}  # fmt: skip
        if len(head) < 24 or head[:4] not in orders:
            raise LabError(f"{path}: not a pcap file")
        order, unit = orders[head[:4]]
        if struct.unpack(order + "I", head[20:24])[0] != 1:
            raise LabError(f"{path}: not a capture of Ethernet")
        record = struct.Struct(order + "IIII")
        while len(start := file.read(16)) == 16:
            seconds, fraction, kept, _ = record.unpack(start)
            frame = file.read(kept)
            if len(frame) < kept:
                return
            segment = parse(frame, seconds * 1_000_000_000 + fraction * unit)
            if segment is not None:
                yield segment


def parse(frame: bytes, time_ns: int) -> Segment | None:
    """A frame's TCP segment over IPv4; None if it holds none."""
    if len(frame) < 34 or frame[12:14] != b"\x08\x00":
        return None
    ip_header = (frame[14] & 15) * 4
    tcp = 14 + ip_header
    if frame[14] >> 4 != 4 or ip_header < 20 or frame[23] != 6 or len(frame) < tcp + 20:
        return None
    total, ip_id = struct.unpack_from("!HH", frame, 16)
    source_port, sink_port, seq = struct.unpack_from("!HHI", frame, tcp)
    payload = total - ip_header - (frame[tcp + 12] >> 4) * 4
    return Segment(
        time_ns,
        (frame[26:30], frame[30:34], source_port, sink_port),
        ip_id,
        seq,
        max(payload, 0),
        frame[15] & 3,
        frame[tcp + 13],
    )


@dataclass
class Codepoints:
    """What was on the wire of one flow: data as it left the source and reached the sink, and the echo."""

    sent: Counter[int] = field(default_factory=Counter)
    """Data segments by ECN field, at the source."""
    received: Counter[int] = field(default_factory=Counter)
    """The same at the sink."""
    echoes: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Acknowledgements by (CWR, ECE), as they reached the source; handshakes left out."""


@dataclass
class Delays:
    """One-way delays of data segments in seconds, in order of arrival."""

    values: list[float] = field(default_factory=list)
    jitter_s: float = 0.0
    """Mean absolute difference of successive packets of a flow."""


@dataclass
class FlowCapture:
    """What the captures at both ends of a flow say. The codepoints are those of the whole capture, the others
    of a span of its clock."""

    codepoints: Codepoints = field(default_factory=Codepoints)
    delays: Delays = field(default_factory=Delays)
    sent: int = 0
    """Data segments that left the source."""
    received: int = 0
    """Data segments that reached the sink."""
    first_received: int = 0
    """Those of them that had not been sent before."""


class _Departures:
    """A flow at its source, read as far as the sink has come."""

    def __init__(self, path: Path, local_port: int, found: FlowCapture, span: range) -> None:
        self._segments = read(path)
        self._port, self._found, self._span = local_port, found, span
        self._ahead: Segment | None = None
        self._highest: int | None = None
        self._outstanding: OrderedDict[tuple[int, int], tuple[int, bool]] = OrderedDict()
        self._advance()

    def _advance(self) -> None:
        """To the next data segment, counting it and the acknowledgements on the way."""
        self._ahead = None
        found = self._found
        for segment in self._segments:
            if segment.flow[2] == self._port and segment.payload:
                found.codepoints.sent[segment.ecn] += 1
                found.sent += segment.time_ns in self._span
                self._ahead = segment
                return
            flags = segment.tcp_flags
            if segment.flow[3] == self._port and flags & _ACK and not flags & _SYN:
                found.codepoints.echoes[int(bool(flags & _CWR)), int(bool(flags & _ECE))] += 1

    def sent(self, arrived: Segment) -> tuple[int, bool] | None:
        """When a segment that has arrived was sent, and whether it was the first time; None if that was not
        captured."""
        while self._ahead is not None and self._ahead.time_ns <= arrived.time_ns:
            new = self._highest is None or 0 < (self._ahead.seq - self._highest) % 2**32 < 2**31
            if new:
                self._highest = self._ahead.seq
            self._outstanding[self._ahead.ip_id, self._ahead.seq] = (self._ahead.time_ns, new)
            if len(self._outstanding) > _MAX_OUTSTANDING:
                self._outstanding.popitem(last=False)
            self._advance()
        return self._outstanding.pop((arrived.ip_id, arrived.seq), None)

    def finish(self) -> None:
        """Counts the rest."""
        while self._ahead is not None:
            self._advance()


def evaluate(flows: Sequence[tuple[Path, Path, int]], begin_ns: int, end_ns: int) -> list[FlowCapture]:
    """The flows of captures at source and sink, told apart by the port at their source.

    Each sink's file is read once, whatever number of flows ends there. Raises LabError.
    """
    span = range(begin_ns, end_ns)
    found = [FlowCapture() for _ in flows]
    by_sink: dict[Path, dict[int, tuple[_Departures, FlowCapture]]] = {}
    for (source, sink, port), capture in zip(flows, found, strict=True):
        by_sink.setdefault(sink, {})[port] = (_Departures(source, port, capture, span), capture)
    for sink, by_port in by_sink.items():
        previous: dict[int, float] = {}
        differences: dict[int, list[float]] = {port: [] for port in by_port}
        for segment in read(sink):
            port = segment.flow[2]
            if port not in by_port or not segment.payload:
                continue
            departures, capture = by_port[port]
            capture.codepoints.received[segment.ecn] += 1
            sent = departures.sent(segment)
            if segment.time_ns not in span:
                continue
            capture.received += 1
            if sent is None:
                continue
            began, new = sent
            capture.first_received += new
            delay = (segment.time_ns - began) / 1e9
            capture.delays.values.append(delay)
            if port in previous:
                differences[port].append(abs(delay - previous[port]))
            previous[port] = delay
        for port, (departures, capture) in by_port.items():
            departures.finish()
            changes = differences[port]
            capture.delays.jitter_s = sum(changes) / len(changes) if changes else 0.0
    return found
