# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What differs between the switches that the tests run on: queue settings, and how time passes."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from mecn_switch import ctl
from mecn_topo.lab import LabError, bmv2
from mecn_topo.lab.bmv2_cli import CommandLine
from mecn_topo.lab.switches import thrift_port

from mecn_ptf.virtual_time import NS, Queue, VirtualSwitch


@dataclass(frozen=True)
class Program:
    """What a compiler made of the P4 program."""

    bmv2_json: str
    p4info: str

    @classmethod
    def read(cls, pipeline: Path, p4info: Path) -> Program:
        """From the compiler's files."""
        return cls(pipeline.read_text(), p4info.read_text())


class TargetError(Exception):
    """The switch under test did not do what was asked of it; one sentence."""


class Target(ABC):
    """A switch under test behind P4Runtime."""

    name: str
    holds: tuple[int, ...]
    """Rates, in packets per second, that hold a burst in its queue for one service time. Which is slow enough
    for this machine is found by trying."""
    follows_rate: bool
    """Whether packets that are queued already leave at a rate that is set later."""
    drain_pps: int | None = None
    """Rate at which a burst leaves when it is not held any more; None: at once."""
    sends_at_start: bool
    """Whether a packet reaches the test when its service begins, not when it ends."""
    patience_s: float
    """How long to wait for a packet that must come. No test that passes waits for so long."""

    def __init__(self, address: str, device_id: int, program: Program) -> None:
        self.address = address
        self.device_id = device_id
        self.program = program
        self._hold = 0

    @property
    def hold_pps(self) -> int:
        """Rate of a port while a burst is sent to it."""
        return self.holds[self._hold]

    def hold_longer(self) -> None:
        """After a burst that came too late. From now on, as a machine that is slow once will be again."""
        self._hold = min(self._hold + 1, len(self.holds) - 1)

    @abstractmethod
    def set_queue(self, port: int, queue: Queue) -> None:
        """Sets rate and size of a port's queue. Raises `TargetError`."""

    @abstractmethod
    def clock(self) -> float:
        """The time that the switch's queues go by, in seconds."""

    @abstractmethod
    def settle(self, packet_outs: int = 0) -> None:
        """Lets happen what takes no time by the clock: the switch takes packet-outs, so many in all, and all
        that is due leaves it."""


class InProcess(Target):
    """The embedded switch in this process, in virtual time."""

    name = "embedded"
    holds = (1000,)
    follows_rate = True
    drain_pps = 1000
    sends_at_start = False
    patience_s = 3600.0

    def __init__(self, address: str, device_id: int, program: Program, switch: VirtualSwitch) -> None:
        super().__init__(address, device_id, program)
        self._switch = switch

    def set_queue(self, port: int, queue: Queue) -> None:
        """A call."""
        self._switch.configure(port, queue)

    def clock(self) -> float:
        """Virtual time."""
        return self._switch.now_ns() / NS

    def settle(self, packet_outs: int = 0) -> None:
        """Packet-outs come by another thread."""
        self._switch.await_packet_outs(packet_outs)
        self._switch.settle()


class RealTime(Target):
    """A switch in a process of its own."""

    holds = (20, 10, 5, 2, 1)
    patience_s = 30.0

    def settle(self, packet_outs: int = 0) -> None:
        """Nothing takes no time."""


class EmbeddedProcess(RealTime):
    """`mecn-switch` on interfaces. Queues follow a change of rate at once."""

    name = "veth"
    follows_rate = True
    sends_at_start = False

    def __init__(self, address: str, device_id: int, program: Program, ctl_socket: Path) -> None:
        super().__init__(address, device_id, program)
        self._ctl_socket = ctl_socket

    def set_queue(self, port: int, queue: Queue) -> None:
        """Over the switch's side interface."""
        rate = "unlimited" if queue.pps is None else f"{queue.pps}pps"
        request: ctl.Answer = {"op": "set", "port": port, "rate": rate, "limit": str(queue.limit)}
        try:
            answer = ctl.request(self._ctl_socket, request)
        except ctl.ControlSocketError as error:
            raise TargetError(str(error)) from error
        if not answer.get("ok"):
            raise TargetError(f"mecn-switch ctl: {answer.get('error')}")

    def clock(self) -> float:
        """The system's monotonic clock."""
        return time.monotonic()


class Bmv2(RealTime):
    """`simple_switch_grpc`. When a packet will leave is fixed when it is queued: 1 / rate after the last."""

    name = "bmv2"
    follows_rate = False
    sends_at_start = True

    def __init__(self, address: str, device_id: int, program: Program) -> None:
        super().__init__(address, device_id, program)
        self._command_line: CommandLine | None = None

    def set_queue(self, port: int, queue: Queue) -> None:
        """Over its own command line, which ends with this process: P4Runtime has no queue settings."""
        for command in bmv2.queue_commands(port, queue.limit, queue.pps).splitlines():
            self._run(command)

    def clock(self) -> float:
        """Of the switch."""
        return int(self._run("get_time_elapsed")) / 1e6

    def _run(self, command: str) -> str:
        try:
            if self._command_line is None:
                self._command_line = CommandLine(thrift_port(self.device_id))
            return self._command_line.run(command)
        except LabError as error:
            raise TargetError(str(error)) from error
