# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What is read of a running lab: the watched queue, its marks, and the sender's side of each flow."""

from __future__ import annotations

import contextlib
import json
import socket
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mecn_controller import names
from mecn_controller.state import read_counters

from . import bmv2
from .kernel import LabError
from .sockets import Connection, Diagnosis
from .switches import thrift_port

if TYPE_CHECKING:
    from pathlib import Path

    from mecn_controller.push import SwitchSession

    from ..description import Flow

FIRST_LOCAL_PORT = 40_000
"""Source port of the first flow's data connection; the k-th has k more."""
AVERAGE_ONE = 1 << 48
"""The average is Q16.48."""
REGISTER_ROW = 8
"""Cells of a port in the average's register, one for each priority."""


@dataclass(frozen=True, slots=True)
class QueueState:
    """The watched queue at an instant; counts since the switch started."""

    depth: int
    average: float
    tx_packets: int = 0
    tx_bytes: int = 0
    tail_drops: int = 0
    late_p99_ns: int = 0
    late_max_ns: int = 0


class EmbeddedQueue:
    """A queue of an embedded switch, over its control socket."""

    def __init__(self, path: Path, port: int) -> None:
        self._port = port
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.settimeout(10)
        self._connection.connect(str(path))
        self._answers = self._connection.makefile("rb")

    def _ask(self, request: dict[str, object]) -> dict[str, Any]:
        try:
            self._connection.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(self._answers.readline())
        except (OSError, ValueError) as error:
            raise LabError(f"the switch's control socket: {error or 'no answer'}") from None
        if not answer.get("ok"):
            raise LabError(f"the switch's control socket: {answer.get('error')}")
        return dict(answer)

    def read(self) -> QueueState:
        """The queue now. Raises LabError."""
        rows = self._ask({"op": "stats"})["ports"]
        (row,) = [row for row in rows if row["port"] == self._port]
        register = {"op": "register", "name": names.AVERAGE_REGISTER, "index": self._port * REGISTER_ROW}
        return QueueState(
            depth=row["depth_packets"],
            average=self._ask(register)["value"] / AVERAGE_ONE,
            tx_packets=row["tx_packets"],
            tx_bytes=row["tx_bytes"],
            tail_drops=row["tail_drops"],
            late_p99_ns=row["late_p99_ns"],
            late_max_ns=row["late_max_ns"],
        )

    def close(self) -> None:
        """Hangs up."""
        self._answers.close()
        self._connection.close()


class Bmv2Queue:
    """A queue of BMv2. Its depth is what the program's register holds; there are no counts of ports."""

    def __init__(self, number: int, port: int) -> None:
        self._number, self._port = number, port

    def read(self) -> QueueState:
        """The queue now. Raises LabError."""
        index = self._port * REGISTER_ROW
        text = "".join(
            f"register_read {name} {index}\n" for name in ("arrival_qdepth", names.AVERAGE_REGISTER)
        )
        depth, average = register_values(bmv2.run_cli(self._number, text))
        return QueueState(depth=depth, average=average / AVERAGE_ONE)

    def close(self) -> None:
        """Nothing is held."""

    def __str__(self) -> str:
        return f"BMv2 on Thrift port {thrift_port(self._number)}"


def register_values(text: str) -> list[int]:
    """Values that simple_switch_CLI prints for register_read: `RuntimeCmd: name[16]= 3`."""
    found = []
    for line in text.splitlines():
        head, equals, value = line.rpartition("]= ")
        if equals and head:
            with contextlib.suppress(ValueError):
                found.append(int(value))
    if len(found) != 2:
        raise LabError(f"simple_switch_CLI: not two registers: {text.strip()}")
    return found


@dataclass
class Marks:
    """Counts of the watched queue over time, from the start of the lab."""

    time_s: list[float] = field(default_factory=list)
    passed: list[int] = field(default_factory=list)
    incipient: list[int] = field(default_factory=list)
    ce: list[int] = field(default_factory=list)
    early_drops: list[int] = field(default_factory=list)

    async def read(self, session: SwitchSession, port: int, time_s: float) -> None:
        """Adds a point, by P4Runtime."""
        counters = (await read_counters(session, [port]))[port]
        self.time_s.append(time_s)
        self.passed.append(counters.passed[0])
        self.incipient.append(counters.incipient[0])
        self.ce.append(counters.ce[0])
        self.early_drops.append(counters.early_drop[0])


@dataclass
class FlowSeries:
    """The sender's side of a flow over time."""

    flow: Flow
    number: int
    time_s: list[float] = field(default_factory=list)
    cwnd: list[float] = field(default_factory=list)
    """Packets; Linux has whole ones."""
    srtt_s: list[float] = field(default_factory=list)
    bytes_acked: list[int] = field(default_factory=list)
    retransmissions: list[int] = field(default_factory=list)

    @property
    def local_port(self) -> int:
        """Of the data connection."""
        return FIRST_LOCAL_PORT + self.number

    def add(self, time_s: float, connection: Connection) -> None:
        """Adds a point."""
        self.time_s.append(time_s)
        self.cwnd.append(connection.cwnd)
        self.srtt_s.append(connection.srtt_s)
        self.bytes_acked.append(connection.bytes_acked)
        self.retransmissions.append(connection.retransmissions)

    def at(self, series: list[int], time_s: float) -> float:
        """A count at a time, in proportion between two points; 0 before the first, as the last after it."""
        after = bisect_right(self.time_s, time_s + 1e-9)
        if after == 0:
            return 0.0
        if after == len(self.time_s):
            return float(series[-1])
        begin, end = self.time_s[after - 1], self.time_s[after]
        share = max(0.0, time_s - begin) / (end - begin)
        return series[after - 1] + share * (series[after] - series[after - 1])

    def goodput_bps(self, span_s: float = 2.0) -> float:
        """Acknowledged bits per second over the last seconds, or since the point before if it is older."""
        if len(self.time_s) < 2:
            return 0.0
        now = self.time_s[-1]
        first = next(i for i, at in enumerate(self.time_s) if at >= now - span_s)
        first = min(first, len(self.time_s) - 2)
        elapsed = now - self.time_s[first]
        return (self.bytes_acked[-1] - self.bytes_acked[first]) * 8 / elapsed if elapsed > 0 else 0.0


class FlowProbe:
    """Reads all flows of a lab."""

    def __init__(self, flows: tuple[Flow, ...], namespaces: dict[str, str]) -> None:
        self.series = [FlowSeries(flow, number) for number, flow in enumerate(flows)]
        self._diagnoses = {flow.source: Diagnosis(namespaces[flow.source]) for flow in flows}

    def read(self, time_s: float) -> None:
        """Adds a point for each flow whose connection is there."""
        by_host = {
            host: {c.local_port: c for c in diagnosis.connections() if c.is_established}
            for host, diagnosis in self._diagnoses.items()
        }
        for series in self.series:
            connection = by_host[series.flow.source].get(series.local_port)
            if connection is not None:
                series.add(time_s, connection)

    def close(self) -> None:
        """Closes the sockets."""
        for diagnosis in self._diagnoses.values():
            diagnosis.close()
