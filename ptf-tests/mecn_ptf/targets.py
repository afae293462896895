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
    hold_pps: int
    """Rate of a port while a burst is sent to it. The burst must be queued within one service time."""
    drain_pps: int
    """Rate at which the burst leaves then; the same where service times are fixed when packets are queued."""
    quiet_s: float
    """When nothing has left for so long, nothing more will."""

    def __init__(self, address: str, device_id: int, program: Program) -> None:
        self.address = address
        self.device_id = device_id
        self.program = program

    @abstractmethod
    def set_queue(self, port: int, queue: Queue) -> None:
        """Sets rate and size of a port's queue. Raises `TargetError`."""

    @abstractmethod
    def settle(self) -> None:
        """Gives the switch the time to do what is due now."""

    @abstractmethod
    def clock(self) -> float:
        """The time that the switch's queues go by, in seconds."""


class InProcess(Target):
    """The embedded switch in this process, in virtual time."""

    name = "embedded"
    hold_pps = drain_pps = 1000
    quiet_s = 3600.0

    def __init__(self, address: str, device_id: int, program: Program, switch: VirtualSwitch) -> None:
        super().__init__(address, device_id, program)
        self._switch = switch

    def set_queue(self, port: int, queue: Queue) -> None:
        """A call."""
        self._switch.configure(port, queue)

    def settle(self) -> None:
        """Takes no time."""
        self._switch.settle()

    def clock(self) -> float:
        """Virtual time."""
        return self._switch.now_ns() / NS


class RealTime(Target):
    """A switch in a process of its own."""

    def settle(self) -> None:
        """Waits a moment."""
        time.sleep(0.005)

    def clock(self) -> float:
        """The system's monotonic clock."""
        return time.monotonic()


class EmbeddedProcess(RealTime):
    """`mecn-switch` on interfaces. Queues follow a change of rate at once, so bursts need not be hurried."""

    name = "veth"
    hold_pps = 2
    drain_pps = 500
    quiet_s = 1.5

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


class Bmv2(RealTime):
    """`simple_switch_grpc`. A packet's service time is fixed when it is queued."""

    name = "bmv2"
    hold_pps = drain_pps = 5
    quiet_s = 1.0

    def set_queue(self, port: int, queue: Queue) -> None:
        """Over its own command line: P4Runtime has no queue settings."""
        try:
            bmv2.run_cli(self.device_id, bmv2_commands(port, queue))
        except LabError as error:
            raise TargetError(str(error)) from error


def bmv2_commands(port: int, queue: Queue) -> str:
    """What simple_switch_CLI reads for a queue's settings. Packets per second; 0 is no limit."""
    return bmv2.queue_commands(port, queue.limit, queue.pps)
