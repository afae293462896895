# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The commands with the names and arguments of `simple_switch_CLI`."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import mecn_native

from .errors import Problem, TestFailure
from .names import resolve
from .syntax import Command, Word
from .values import scalar

INDEX_BITS = 32
COUNT_BITS = 64
GROUP_BITS = 16
RID_BITS = 16
SESSION_BITS = 15
MAX_RATE = (1 << 63) - 1

_RATE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,18})?):([0-9]{1,18})", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """A table entry that the test added, or that was there before."""

    table: str
    match: list[mecn_native.MatchField]
    priority: int


class Commands:
    """Executes commands on one switch; remembers the multicast nodes that were created.

    entry_of: finds an entry of a table by the handle or number that a word gives.
    """

    def __init__(
        self,
        switch: mecn_native.Switch,
        entry_of: Callable[[Word, str], Entry],
        trace: Callable[[str], None],
    ) -> None:
        self.switch = switch
        self.entry_of = entry_of
        self.trace = trace
        # Handles are places in this list; a node may be in any number of groups.
        self.nodes: list[list[tuple[int, int]]] = []
        self.groups: dict[int, list[int]] = {}
        self._known: dict[str, Callable[[Command], None]] = {
            "counter_read": self._counter_read,
            "counter_write": self._counter_write,
            "mc_mgrp_create": self._mc_mgrp_create,
            "mc_node_associate": self._mc_node_associate,
            "mc_node_create": self._mc_node_create,
            "mc_node_update": self._mc_node_update,
            "meter_array_set_rates": self._meter_array_set_rates,
            "meter_get_rates": self._meter_get_rates,
            "meter_set_rates": self._meter_set_rates,
            "mirroring_add": self._mirroring_add,
            "mirroring_add_mc": self._mirroring_add_mc,
            "mirroring_delete": self._mirroring_delete,
            "mirroring_get": self._mirroring_get,
            "register_read": self._register_read,
            "register_reset": self._register_reset,
            "register_write": self._register_write,
        }

    def execute(self, command: Command) -> bool:
        """Does it; True if it compared something."""
        self._known[command.name](command)
        return command.condition.number is not None

    def _words(self, command: Command, *what: str, optional: int = 0) -> Sequence[Word]:
        words = command.words
        if len(words) > len(what):
            raise Problem(words[len(what)].at, f"`{command.name}` takes {' '.join(what)}")
        if len(words) < len(what) - optional:
            raise Problem(command.at, f"`{command.name}` needs {' '.join(what)}")
        return words

    # ---- Counters and registers ------------------------------------------------------------------------

    def _counter_info(self, word: Word) -> mecn_native.CounterInfo:
        counters = {counter.name: counter for counter in self.switch.counters()}
        return counters[resolve(word, counters, "counter")]

    def read_counter(self, name: Word, index: Word) -> tuple[str, int, int]:
        """Full name, packets and bytes of a cell, or of the direct counter of an entry."""
        counter = self._counter_info(name)
        if counter.table is None:
            packets, count = self.switch.counter_read(counter.name, scalar(index, INDEX_BITS))
        else:
            entry = self.entry_of(index, counter.table)
            found = self.switch.entry(entry.table, entry.match, entry.priority)
            packets, count = found.packets, found.bytes
        return counter.name, packets, count

    def _counter_read(self, command: Command) -> None:
        name, index = self._words(command, "NAME", "INDEX")
        counter, packets, count = self.read_counter(name, index)
        self.trace(f"{command.at}: {counter}[{index.text}]: {packets} packets, {count} bytes")

    def _counter_write(self, command: Command) -> None:
        name, index, *words = self._words(command, "NAME", "INDEX", "PACKETS", "BYTES")
        packets, count = (scalar(word, COUNT_BITS) for word in words)
        counter = self._counter_info(name)
        if counter.table is None:
            self.switch.counter_write(counter.name, scalar(index, INDEX_BITS), packets, count)
        else:
            entry = self.entry_of(index, counter.table)
            self.switch.update(
                mecn_native.TableUpdate.SetCounter(entry.table, entry.match, entry.priority, packets, count)
            )

    def _register(self, word: Word) -> mecn_native.RegisterInfo:
        registers = {register.name: register for register in self.switch.registers()}
        return registers[resolve(word, registers, "register")]

    def _register_read(self, command: Command) -> None:
        words = self._words(command, "NAME", "[INDEX]", optional=1)
        register = self._register(words[0])
        if len(words) == 1:
            for index in range(register.size):
                value = self.switch.register_read(register.name, index)
                self.trace(f"{command.at}: {register.name}[{index}]: {value}")
            return
        value = self.switch.register_read(register.name, scalar(words[1], INDEX_BITS))
        self.trace(f"{command.at}: {register.name}[{words[1].text}]: {value}")
        if not command.condition.holds(value):
            expected = f"{command.condition.comparison} {command.condition.number}"
            raise TestFailure(
                command.at, f"register `{register.name}` has {value} at {words[1].text}, expected {expected}"
            )

    def _register_write(self, command: Command) -> None:
        name, index, value = self._words(command, "NAME", "INDEX", "VALUE")
        register = self._register(name)
        self.switch.register_write(register.name, scalar(index, INDEX_BITS), scalar(value, register.width))

    def _register_reset(self, command: Command) -> None:
        (name,) = self._words(command, "NAME")
        register = self._register(name)
        for index in range(register.size):
            self.switch.register_write(register.name, index, 0)

    # ---- Multicast and mirroring -----------------------------------------------------------------------

    def _mc_mgrp_create(self, command: Command) -> None:
        (word,) = self._words(command, "GROUP")
        group = scalar(word, GROUP_BITS)
        if group in self.groups:
            raise TestFailure(command.at, f"there is a multicast group {group} already")
        self.switch.set_multicast_group(group, [])
        self.groups[group] = []

    def _replicas(self, rid: int, words: Sequence[Word]) -> list[tuple[int, int]]:
        return [(scalar(word, 16), rid) for word in words]

    def _mc_node_create(self, command: Command) -> None:
        if not command.words:
            raise Problem(command.at, "`mc_node_create` needs RID {PORT}")
        rid = scalar(command.words[0], RID_BITS)
        self.trace(f"{command.at}: node {len(self.nodes)}")
        self.nodes.append(self._replicas(rid, command.words[1:]))

    def _node(self, word: Word) -> int:
        handle = scalar(word, INDEX_BITS)
        if handle >= len(self.nodes):
            raise Problem(word.at, f"there is no multicast node {handle}; there are {len(self.nodes)}")
        return handle

    def _mc_node_update(self, command: Command) -> None:
        if not command.words:
            raise Problem(command.at, "`mc_node_update` needs HANDLE {PORT}")
        handle = self._node(command.words[0])
        rid = self.nodes[handle][0][1] if self.nodes[handle] else 0
        self.nodes[handle] = self._replicas(rid, command.words[1:])
        for group, members in self.groups.items():
            if handle in members:
                self._set_group(group)

    def _mc_node_associate(self, command: Command) -> None:
        word, node = self._words(command, "GROUP", "HANDLE")
        group, handle = scalar(word, GROUP_BITS), self._node(node)
        if group not in self.groups:
            raise Problem(word.at, f"there is no multicast group {group}")
        if handle not in self.groups[group]:
            self.groups[group].append(handle)
        self._set_group(group)

    def _set_group(self, group: int) -> None:
        members = self.groups[group]
        self.switch.set_multicast_group(group, [replica for node in members for replica in self.nodes[node]])

    def _mirroring_add(self, command: Command) -> None:
        session, port = self._words(command, "SESSION", "PORT")
        new = mecn_native.CloneSession(port=scalar(port, 16))
        self.switch.set_clone_session(scalar(session, SESSION_BITS), new)

    def _mirroring_add_mc(self, command: Command) -> None:
        session, group = self._words(command, "SESSION", "GROUP")
        new = mecn_native.CloneSession(group=scalar(group, GROUP_BITS))
        self.switch.set_clone_session(scalar(session, SESSION_BITS), new)

    def _mirroring_delete(self, command: Command) -> None:
        (session,) = self._words(command, "SESSION")
        self.switch.delete_clone_session(scalar(session, SESSION_BITS))

    def _mirroring_get(self, command: Command) -> None:
        (word,) = self._words(command, "SESSION")
        session = scalar(word, SESSION_BITS)
        found = dict(self.switch.clone_sessions()).get(session)
        if found is None:
            raise TestFailure(command.at, f"there is no mirroring session {session}")
        self.trace(f"{command.at}: session {session}: port {found.port}, multicast group {found.group}")

    # ---- Meters ----------------------------------------------------------------------------------------

    def _meter(self, word: Word) -> mecn_native.MeterInfo:
        meters = {meter.name: meter for meter in self.switch.meters()}
        return meters[resolve(word, meters, "meter")]

    def _config(self, command: Command, words: Sequence[Word]) -> mecn_native.MeterConfig:
        if len(words) != 2:
            raise Problem(command.at, f"`{command.name}` needs two rates, RATE:BURST RATE:BURST")
        (cir, cburst), (pir, pburst) = (_rate(word) for word in words)
        if pir < cir:
            raise Problem(words[1].at, "the second rate is less than the first")
        return mecn_native.MeterConfig(cir, cburst, pir, pburst)

    def _meter_set_rates(self, command: Command) -> None:
        words = command.words
        if len(words) < 2:
            raise Problem(command.at, "`meter_set_rates` needs NAME INDEX RATE:BURST RATE:BURST")
        meter = self._meter(words[0])
        config = self._config(command, words[2:])
        if meter.table is None:
            self.switch.meter_write(meter.name, scalar(words[1], INDEX_BITS), config)
        else:
            entry = self.entry_of(words[1], meter.table)
            update = mecn_native.TableUpdate.SetMeter(entry.table, entry.match, entry.priority, config)
            self.switch.update(update)

    def _meter_array_set_rates(self, command: Command) -> None:
        if not command.words:
            raise Problem(command.at, "`meter_array_set_rates` needs NAME RATE:BURST RATE:BURST")
        meter = self._meter(command.words[0])
        config = self._config(command, command.words[1:])
        if meter.table is not None:
            raise Problem(command.words[0].at, f"`{meter.name}` is the direct meter of `{meter.table}`")
        for index in range(meter.size):
            self.switch.meter_write(meter.name, index, config)

    def _meter_get_rates(self, command: Command) -> None:
        name, index = self._words(command, "NAME", "INDEX")
        meter = self._meter(name)
        if meter.table is None:
            config = self.switch.meter_read(meter.name, scalar(index, INDEX_BITS))
        else:
            entry = self.entry_of(index, meter.table)
            config = self.switch.direct_meter(entry.table, entry.match, entry.priority)
        rates = f"{config.cir}:{config.cburst} {config.pir}:{config.pburst} a second" if config else "none"
        self.trace(f"{command.at}: {meter.name}[{index.text}]: {rates}")


def _rate(word: Word) -> tuple[int, int]:
    """Rate per second and burst; they are written as rate per microsecond, colon, burst."""
    found = _RATE.fullmatch(word.text)
    if not found:
        raise Problem(word.at, f"expected RATE:BURST, found `{word.text[:40]}`")
    rate = round(Decimal(found[1]) * 1_000_000)
    if rate > MAX_RATE:
        raise Problem(word.at, f"the rate is more than {MAX_RATE} a second")
    return rate, int(found[2])
