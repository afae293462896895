# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""BMv2's simple_switch behind those methods of `mecn_native.Switch` that the STF runner calls.

Packets go over the switch's `--packet-in` socket, which needs no interfaces, no root, and takes any port and
length. Table entries and the like go through `simple_switch_CLI`.

No test waits for a time: a packet has gone through the switch when all threads of the process sleep and none
has run since the look before.
"""

import itertools
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import mecn_native
from mecn_native import MatchField, TableUpdate
from mecn_topo.lab import LabError
from mecn_topo.lab.bmv2_cli import CommandLine, ComplaintError

TIMEOUT_S = 60
LARGEST_PRIORITY = 1 << 30
"""simple_switch takes the smallest first, the STF runner the largest."""

LARGEST_READ = (1 << 63) - 1
"""simple_switch_CLI shows no larger value of a register."""

# Messages of BMv2's src/bm_sim/dev_mgr_packet_in.cpp: type, port, length.
MESSAGE = struct.Struct("<iii")
PACKET_IN, PACKET_OUT, INFO_REQUEST, INFO_REPLY = 3, 4, 5, 6

# nanomsg's protocol for Unix sockets: a greeting that names the pattern (pair), then for each message the
# byte 1 and its length. (https://github.com/nanomsg/nanomsg/tree/master/rfc, sp-ipc-mapping-01)
GREETING = b"\x00SP\x00" + struct.pack(">HH", 16, 0)
FRAMING = struct.Struct(">BQ")


class SwitchError(Exception):
    """simple_switch died, or does not come to rest."""


class CommandError(SwitchError):
    """simple_switch refuses what the control plane asks for."""


@dataclass
class Departure:
    """What the STF runner reads of a departure."""

    port: int
    frame: bytes
    payload_len: int = 0


@dataclass
class Outcome:
    """What the STF runner reads of an arrival."""

    kind: str = "enqueued"


class Bmv2:
    """A simple_switch process with a program.

    shape: what tables, actions and externs the program has. name: simple_switch or simple_switch_grpc.
    """

    def __init__(self, program: Path, shape: mecn_native.Switch, name: str = "simple_switch") -> None:
        self.shape = shape
        self._folder = tempfile.TemporaryDirectory(prefix="bmv2-")
        folder = Path(self._folder.name)
        self._port = _free_port()
        self._log = folder / "log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    name,
                    *("--packet-in", f"ipc://{folder}/packets"),
                    *("--notifications-addr", f"ipc://{folder}/notifications"),
                    *("--thrift-port", str(self._port)),
                    str(program.resolve()),
                    *(("--", "--grpc-server-addr", "127.0.0.1:0") if name == "simple_switch_grpc" else ()),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
            )
        self._cli: CommandLine | None = None
        self._input = b""
        self._departures: deque[Departure] = deque()
        self._informed = 0
        self._entries: dict[tuple[str, str, int], int] = {}
        self._groups: dict[int, list[int]] = {}
        try:
            self._connect(folder / "packets")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process."""
        if self._cli is not None:
            self._cli.close()
        self._process.kill()
        self._process.wait()
        if hasattr(self, "_socket"):
            self._socket.close()
        self._folder.cleanup()

    # ---- Packets ---------------------------------------------------------------------------------------

    def receive(self, port: int, frame: bytes, now_ns: int) -> Outcome:
        """Lets a packet in and waits until the switch is at rest."""
        del now_ns
        self._send(PACKET_IN, port, len(frame), frame)
        self._rest()
        return Outcome()

    def next_departure(self) -> int | None:
        """0 if there is a packet that has left and was not taken."""
        return 0 if self._departures else None

    def depart(self, now_ns: int) -> Departure | None:
        """Takes the next packet that has left."""
        del now_ns
        return self._departures.popleft() if self._departures else None

    def take_log(self) -> list[str]:
        """There is none."""
        return []

    def _connect(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                self._socket.connect(str(path))
                break
            except OSError:
                self._check(deadline, "does not open its socket")
                time.sleep(0.002)
        self._socket.sendall(GREETING)
        self._socket.settimeout(0)
        self._greeted = False
        self._rest()

    def _send(self, kind: int, port: int, more: int, data: bytes = b"") -> None:
        message = MESSAGE.pack(kind, port, more) + data
        self._socket.settimeout(TIMEOUT_S)
        try:
            self._socket.sendall(FRAMING.pack(1, len(message)) + message)
        except OSError:
            self._check(0, "takes no packets")
        self._socket.settimeout(0)

    def _rest(self) -> None:
        """Waits until the switch has read what was sent, and does nothing more.

        Its answer to a question says that it has read what was sent before. Wake-ups between threads are
        done by the one that wakes, so that a process whose threads all sleep, without having run between two
        looks, has nothing left to do.
        """
        informed = self._informed + 1
        self._send(INFO_REQUEST, 0, 1)
        deadline = time.monotonic() + TIMEOUT_S
        before = None
        while True:
            self._read()
            now = _threads(self._process.pid) if self._informed >= informed else None
            if now is not None and now == before:
                self._read()
                return
            before = now
            self._check(deadline, "does not come to rest")
            if now is None:
                time.sleep(0.0005)

    def _check(self, deadline: float, what: str) -> None:
        if (status := self._process.poll()) is not None:
            what = f"ended with status {status}"
        elif time.monotonic() < deadline:
            return
        log = self._log.read_text(errors="replace").splitlines()[-5:]
        raise SwitchError("\n".join([f"simple_switch {what}", *log]))

    def _read(self) -> None:
        while True:
            try:
                data = self._socket.recv(1 << 16)
            except OSError:
                break
            if not data:
                break
            self._input += data
        if not self._greeted and len(self._input) >= len(GREETING):
            self._input = self._input[len(GREETING) :]
            self._greeted = True
        while self._greeted and len(self._input) >= FRAMING.size:
            _, length = FRAMING.unpack_from(self._input)
            end = FRAMING.size + length
            if len(self._input) < end:
                break
            kind, port, _ = MESSAGE.unpack_from(self._input, FRAMING.size)
            if kind == PACKET_OUT:
                data = self._input[FRAMING.size + MESSAGE.size : end]
                self._departures.append(Departure(port, data))
            elif kind == INFO_REPLY:
                self._informed += 1
            self._input = self._input[end:]

    # ---- What the program has --------------------------------------------------------------------------

    def tables(self) -> list[mecn_native.TableInfo]:
        return self.shape.tables()

    def actions(self) -> list[mecn_native.ActionInfo]:
        return self.shape.actions()

    def counters(self) -> list[mecn_native.CounterInfo]:
        return self.shape.counters()

    def registers(self) -> list[mecn_native.RegisterInfo]:
        return self.shape.registers()

    def meters(self) -> list[mecn_native.MeterInfo]:
        return self.shape.meters()

    def entries(self, table: str) -> list[mecn_native.TableEntry]:
        """Those of the program."""
        return self.shape.entries(table)

    # ---- Control plane ---------------------------------------------------------------------------------

    def command(self, line: str) -> str:
        """Answer of simple_switch_CLI to one line."""
        try:
            if self._cli is None:
                self._cli = CommandLine(self._port)
            return self._cli.run(line)
        except ComplaintError as error:
            raise CommandError(str(error)) from None
        except LabError as error:
            raise SwitchError(str(error)) from None

    def update(self, change: mecn_native.TableUpdate) -> None:
        match change:
            case TableUpdate.Insert(table, match, priority, action):
                assert isinstance(action, mecn_native.ActionCall)
                self._insert(table, match, priority, action)
            case TableUpdate.Delete(table, match, priority):
                handle = self._entries.pop((table, self._keys(table, match), priority))
                self.command(f"table_delete {table} {handle}")
            case TableUpdate.SetDefault(table, action):
                assert action is not None
                self.command(f"table_set_default {table} {action.name} {_arguments(action)}")
            case _:
                raise SwitchError(f"simple_switch_CLI has no command for {change}")

    def _insert(
        self, table: str, match: Sequence[MatchField], priority: int, action: mecn_native.ActionCall
    ) -> None:
        keys = self._keys(table, match)
        last = f" {LARGEST_PRIORITY - priority}" if priority else ""
        answer = self.command(f"table_add {table} {action.name} {keys} => {_arguments(action)}{last}")
        if not (found := re.search(r"Entry has been added with handle (\d+)", answer)):
            raise SwitchError(answer)
        self._entries[table, keys, priority] = int(found[1])

    def _keys(self, table: str, match: Sequence[MatchField]) -> str:
        info = next(info for info in self.tables() if info.name == table)
        return " ".join(
            _key(field, key.match, key.width) for field, key in zip(match, info.keys, strict=True)
        )

    def clear_entries(self, table: str) -> None:
        for key in [key for key in self._entries if key[0] == table]:
            self.command(f"table_delete {table} {self._entries.pop(key)}")

    def entry(self, table: str, match: Sequence[MatchField], priority: int) -> "EntryCounter":
        """Its direct counter."""
        counter = next(c.name for c in self.counters() if c.table == table)
        return EntryCounter(
            *self.counter_read(counter, self._entries[table, self._keys(table, match), priority])
        )

    def counter_read(self, name: str, index: int) -> tuple[int, int]:
        answer = self.command(f"counter_read {name} {index}")
        found = {unit: int(number) for number, unit in re.findall(r"(\d+) (packets|bytes)", answer)}
        return found["packets"], found["bytes"]

    def counter_write(self, name: str, index: int, packets: int, count: int) -> None:
        self.command(f"counter_write {name} {index} {packets} {count}")

    def register_read(self, name: str, index: int) -> int:
        """`LARGEST_READ` where it is more."""
        return int(self.command(f"register_read {name} {index}").rpartition("=")[2])

    def register_write(self, name: str, index: int, value: int) -> None:
        # Thrift's numbers are signed.
        self.command(f"register_write {name} {index} {value - (1 << 64) if value >> 63 else value}")

    def meter_write(self, name: str, index: int, config: mecn_native.MeterConfig) -> None:
        rates = f"{config.cir / 1e6}:{config.cburst} {config.pir / 1e6}:{config.pburst}"
        self.command(f"meter_set_rates {name} {index} {rates}")

    def set_clone_session(self, session: int, clone: mecn_native.CloneSession) -> None:
        if clone.group is None:
            self.command(f"mirroring_add {session} {clone.port}")
        else:
            self.command(f"mirroring_add_mc {session} {clone.group}")

    def set_multicast_group(self, group: int, replicas: Sequence[tuple[int, int]]) -> None:
        if group not in self._groups:
            self.command(f"mc_mgrp_create {group}")
        for node in self._groups.get(group, []):
            self.command(f"mc_node_destroy {node}")
        self._groups[group] = []
        for rid, members in itertools.groupby(replicas, key=lambda replica: replica[1]):
            ports = " ".join(str(port) for port, _ in members)
            answer = self.command(f"mc_node_create {rid} {ports}")
            node = int(answer.rpartition("handle")[2])
            self.command(f"mc_node_associate {group} {node}")
            self._groups[group].append(node)


@dataclass
class EntryCounter:
    """Direct counter of an entry."""

    packets: int
    bytes: int


def missing() -> str:
    """What is not on PATH of the reference's tools; empty if nothing is."""
    tools = ("p4c", "p4c-bm2-ss", "simple_switch", "simple_switch_CLI")
    return ", ".join(tool for tool in tools if shutil.which(tool) is None)


def _threads(pid: int) -> list[tuple[int, bytes]] | None:
    """How often each thread has run, or None if one runs now."""
    seen = []
    for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
        try:
            with Path(f"/proc/{pid}/task/{task}/status").open("rb") as file:
                status = file.read()
        except OSError:
            return None
        if b"State:\tS" not in status:
            return None
        seen.append((int(task), status[status.index(b"voluntary_ctxt") :]))
    return seen


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert isinstance(port, int)
    return port


def _key(field: MatchField, kind: str, width: int) -> str:
    match field:
        case MatchField.Exact(value) | MatchField.Optional(value):
            return f"{value:#x}" if kind == "exact" else f"{value:#x}&&&{(1 << width) - 1:#x}"
        case MatchField.Lpm(value, length):
            return f"{value:#x}/{length}"
        case MatchField.Ternary(value, mask):
            return f"{value:#x}&&&{mask:#x}"
        case MatchField.Range(low, high):
            return f"{low:#x}->{high:#x}"
    return {"lpm": "0/0", "range": f"0->{(1 << width) - 1:#x}"}.get(kind, "0&&&0")


def _arguments(action: mecn_native.ActionCall) -> str:
    return " ".join(f"{value:#x}" for value in action.args)
