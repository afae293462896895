# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What is read of a running lab: the watched queue, its marks, and the sender's side of each flow."""

from __future__ import annotations

import json
import socket
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mecn_controller import names
from mecn_controller.runtime.readback import read_counters

from .bmv2_cli import CommandLine
from .kernel import LabError
from .sockets import Connection, Diagnosis
from .switches import thrift_port

if TYPE_CHECKING:
    from pathlib import Path

    from mecn_controller.runtime.session import SwitchSession

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
    tail_drops: int | None = None
    """None: not counted."""
    late_p99_ns: int = 0
    late_max_ns: int = 0


class ControlSocket:
    """The control socket of a `mecn-switch` process, held open."""

    def __init__(self, path: Path) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.settimeout(10)
        self._connection.connect(str(path))
        self._answers = self._connection.makefile("rb")

    def ask(self, request: dict[str, object]) -> dict[str, Any]:
        """The answer. Raises LabError."""
        try:
            self._connection.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(self._answers.readline())
        except (OSError, ValueError) as error:
            raise LabError(f"the control socket of mecn-switch: {error or 'no answer'}") from None
        if not answer.get("ok"):
            raise LabError(f"the control socket of mecn-switch: {answer.get('error')}")
        return dict(answer)

    def close(self) -> None:
        """Hangs up."""
        self._answers.close()
        self._connection.close()


class EmbeddedQueue:
    """A queue of an embedded switch, over its control socket."""

    def __init__(self, path: Path, port: int) -> None:
        self._port = port
        self._socket = ControlSocket(path)

    def read(self) -> QueueState:
        """The queue now. Raises LabError."""
        rows = self._socket.ask({"op": "stats"})["ports"]
        (row,) = [row for row in rows if row["port"] == self._port]
        register = {"op": "register", "name": names.AVERAGE_REGISTER, "index": self._port * REGISTER_ROW}
        return QueueState(
            depth=row["depth_packets"],
            average=self._socket.ask(register)["value"] / AVERAGE_ONE,
            tx_packets=row["tx_packets"],
            tx_bytes=row["tx_bytes"],
            tail_drops=row["tail_drops"],
            late_p99_ns=row["late_p99_ns"],
            late_max_ns=row["late_max_ns"],
        )

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()


class Bmv2Queue:
    """A queue of BMv2. Its depth is what the program's register holds.

    BMv2 counts nothing of ports. What the queue has sent is what has passed the wire behind it, if there are
    wires, and how late these are is what is known of lateness. Lost packets are counted nowhere.
    """

    def __init__(self, number: int, port: int, wires: Path | None, middle: str) -> None:
        """wires: the control socket of the wires' process; middle: its interface behind the port."""
        self._index = port * REGISTER_ROW
        self._cli = CommandLine(thrift_port(number))
        self._wires = None if wires is None else ControlSocket(wires)
        self._middle = middle

    def read(self) -> QueueState:
        """The queue now. Raises LabError."""
        depth = self._register("arrival_qdepth")
        average = self._register(names.AVERAGE_REGISTER) / AVERAGE_ONE
        if self._wires is None:
            return QueueState(depth, average)
        rows = self._wires.ask({"op": "stats"})["ports"]
        (passed,) = [row for row in rows if row["interface"] == self._middle]
        return QueueState(
            depth,
            average,
            tx_packets=passed["rx_packets"],
            tx_bytes=passed["rx_bytes"],
            late_p99_ns=max(row["late_p99_ns"] for row in rows),
            late_max_ns=max(row["late_max_ns"] for row in rows),
        )

    def _register(self, name: str) -> int:
        return register_value(self._cli.run(f"register_read {name} {self._index}"))

    def close(self) -> None:
        """Ends the command line, and hangs up."""
        self._cli.close()
        if self._wires is not None:
            self._wires.close()


def register_value(text: str) -> int:
    """The value that simple_switch_CLI prints for register_read: `name[16]= 3`. Raises LabError."""
    head, _, value = text.strip().rpartition("]= ")
    if not (head and value.isdecimal()):
        raise LabError(f"simple_switch_CLI: no register's value: {text.strip()}")
    return int(value)


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
