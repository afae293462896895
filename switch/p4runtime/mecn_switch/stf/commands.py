# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The commands with the names and arguments of `simple_switch_CLI`."""

from collections.abc import Callable, Sequence

import mecn_native

from .errors import Problem, TestFailure, Unsupported
from .names import resolve
from .syntax import Command, Word
from .values import scalar

INDEX_BITS = 32
COUNT_BITS = 64


class Commands:
    """Executes commands on one switch; remembers the nodes that were created."""

    def __init__(self, switch: mecn_native.Switch, trace: Callable[[str], None]) -> None:
        self.switch = switch
        self.trace = trace
        self._known: dict[str, Callable[[Command], None]] = {
            "counter_read": self._counter_read,
            "counter_write": self._counter_write,
            "register_read": self._register_read,
            "register_write": self._register_write,
            "register_reset": self._register_reset,
        }

    def execute(self, command: Command) -> bool:
        """Does it; True if it compared something. Raises `Unsupported` if this switch cannot."""
        execute = self._known.get(command.name)
        if execute is None:
            raise Unsupported(command.at, f"`{command.name}` is not supported by this switch")
        execute(command)
        return command.condition.number is not None

    def _words(self, command: Command, *what: str, optional: int = 0) -> Sequence[Word]:
        words = command.words
        if len(words) > len(what):
            raise Problem(words[len(what)].at, f"`{command.name}` takes {' '.join(what)}")
        if len(words) < len(what) - optional:
            raise Problem(command.at, f"`{command.name}` needs {' '.join(what)}")
        return words

    # ---- Counters and registers ------------------------------------------------------------------------

    def _counter(self, word: Word) -> str:
        counters = [counter.name for counter in self.switch.counters() if counter.table is None]
        return resolve(word, counters, "indexed counter")

    def _counter_read(self, command: Command) -> None:
        name, index = self._words(command, "NAME", "INDEX")
        counter = self._counter(name)
        packets, count = self.switch.counter_read(counter, scalar(index, INDEX_BITS))
        self.trace(f"{command.at}: {counter}[{index.text}]: {packets} packets, {count} bytes")

    def _counter_write(self, command: Command) -> None:
        name, index, packets, count = self._words(command, "NAME", "INDEX", "PACKETS", "BYTES")
        self.switch.counter_write(
            self._counter(name),
            scalar(index, INDEX_BITS),
            scalar(packets, COUNT_BITS),
            scalar(count, COUNT_BITS),
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
