# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Runs the statements of a test on a switch, in virtual time.

A packet has left before the next statement is run. Time goes on by `PACKET_GAP_NS` from packet to packet, and
by `COMMAND_GAP_NS` before a packet that follows a change by the control plane: p4c's runner sleeps that long.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import mecn_native

from .commands import Commands, Entry
from .errors import Position, Problem, TestFailure
from .names import resolve, resolve_key
from .report import Output, compare, unexpected
from .syntax import (
    Add,
    Argument,
    Call,
    CheckCounter,
    Command,
    Expect,
    NoPacket,
    Remove,
    Send,
    SetDefault,
    Statement,
    Wait,
    Word,
)
from .values import match_field, scalar

PACKET_GAP_NS = 100_000
COMMAND_GAP_NS = 1_000_000_000
MAX_DEPARTURES = 10_000
"""That one packet may lead to; more is a program that copies or recirculates without end."""

PRIORITY_KINDS = ("ternary", "range", "optional")


@dataclass
class Result:
    """What came of a test."""

    errors: list[Problem] = field(default_factory=list)
    """Statements that could not be run."""
    failures: list[TestFailure] = field(default_factory=list)
    """Where the switch did other than the test says."""
    notes: list[str] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    """What left, in this order."""
    sent: int = 0
    expected: int = 0
    checks: int = 0

    @property
    def status(self) -> int:
        """Exit status: 0 passed, 1 failed, 2 could not be run."""
        return 2 if self.errors else 1 if self.failures else 0


def run(
    statements: Sequence[Statement],
    switch: mecn_native.Switch,
    *,
    strict_ports: bool = False,
    trace: Callable[[str], None] | None = None,
) -> Result:
    """Runs a test on a switch that is as the program leaves it.

    strict_ports: a packet that leaves by a port that the test does not name is a failure, not a note.
    trace: is told what happens.
    """
    return _Run(switch, trace).run(statements, strict_ports=strict_ports)


class _Run:
    def __init__(self, switch: mecn_native.Switch, trace: Callable[[str], None] | None) -> None:
        self.switch = switch
        self.trace = trace or (lambda _: None)
        self.tables = {table.name: table for table in switch.tables()}
        self.commands = Commands(switch, self._entry_of, self.trace)
        self.handles: dict[str, Entry] = {}
        # By table, in the order in which they came: the numbers that simple_switch gives them.
        self.numbered = {
            name: [Entry(name, entry.match, entry.priority) for entry in switch.entries(name)]
            for name in self.tables
        }
        self.result = Result()
        self.outputs = self.result.outputs
        self.now_ns = 0
        self.changed = False
        self.last: tuple[Position, int] | None = None

    def run(self, statements: Sequence[Statement], *, strict_ports: bool) -> Result:
        for statement in statements:
            try:
                self._execute(statement)
            except TestFailure as failure:
                self.result.failures.append(failure)
            except Problem as problem:
                self.result.errors.append(problem)
            except mecn_native.ControlError as error:
                self.result.failures.append(TestFailure(statement.at, f"the switch refuses this: {error}"))
        if not self.result.errors:
            self._compare(statements, strict_ports=strict_ports)
            self.result.failures.sort(key=lambda failure: failure.position.line)
        return self.result

    def _execute(self, statement: Statement) -> None:
        match statement:
            case Add():
                self._add(statement)
            case SetDefault(table=table, action=action):
                name = resolve(table, self.tables, "table")
                self.switch.update(mecn_native.TableUpdate.SetDefault(name, self._call(action, name)))
            case Remove(handle=handle):
                self._remove(handle)
            case Send():
                self._send(statement)
                return
            case Expect():
                return
            case NoPacket():
                self._no_packet(statement)
                return
            case CheckCounter():
                self._check_counter(statement)
                return
            case Wait(nanoseconds=nanoseconds):
                self.now_ns += nanoseconds
                return
            case Command():
                if self.commands.execute(statement):
                    self.result.checks += 1
        self.changed = True

    # ---- Packets ---------------------------------------------------------------------------------------

    def _send(self, statement: Send) -> None:
        self.now_ns += COMMAND_GAP_NS if self.changed else PACKET_GAP_NS
        self.changed = False
        before = len(self.outputs)
        self.trace(f"{statement.at}: port {statement.port} receives {len(statement.frame)} bytes")
        outcome = self.switch.receive(statement.port, statement.frame, self.now_ns)
        if outcome.kind not in ("enqueued", "multicast"):
            self.trace(f"  {outcome!r}")
        for _ in range(MAX_DEPARTURES):
            due = self.switch.next_departure()
            if due is None:
                break
            self.now_ns = max(self.now_ns, due)
            departure = self.switch.depart(self.now_ns)
            if departure is None:
                break
            self.trace(f"  {departure!r}")
            if departure.frame is not None:
                frame = departure.frame + bytes(departure.payload_len)
                self.outputs.append(Output(departure.port, frame, statement.at))
        else:
            raise TestFailure(statement.at, f"the packet led to more than {MAX_DEPARTURES} departures")
        for line in self.switch.take_log():
            self.trace(f"  log: {line}")
        self.result.sent += 1
        self.last = (statement.at, before)

    def _no_packet(self, statement: NoPacket) -> None:
        if self.last is None:
            raise Problem(statement.at, "no packet has been sent before")
        cause, before = self.last
        self.result.checks += 1
        if new := self.outputs[before:]:
            ports = ", ".join(str(output.port) for output in new)
            raise TestFailure(statement.at, f"the packet sent at {cause} led to others, at port {ports}")

    def _compare(self, statements: Sequence[Statement], *, strict_ports: bool) -> None:
        expects = [s for s in statements if isinstance(s, Expect)]
        self.result.expected = sum(expect.pattern is not None for expect in expects)
        named = {s.port for s in statements if isinstance(s, Send | Expect)}
        for port in sorted(named):
            self.result.failures += compare(
                [expect for expect in expects if expect.port == port],
                [output for output in self.outputs if output.port == port],
            )
        for output in self.outputs:
            if output.port in named:
                continue
            if strict_ports:
                self.result.failures.append(unexpected(output))
            else:
                self.result.notes.append(
                    f"{output.cause}: note: the packet sent here led to one at port {output.port}, "
                    "which the test does not name"
                )

    # ---- Tables ----------------------------------------------------------------------------------------

    def _add(self, statement: Add) -> None:
        name = resolve(statement.table, self.tables, "table")
        table = self.tables[name]
        given: dict[str, Argument] = {}
        for key in statement.keys:
            if key.name is None:
                raise Problem(key.value.at, "a key field needs its name")
            place = f" in table `{name}`"
            full = resolve_key(key.name, (info.name for info in table.keys), place)
            if full in given:
                raise Problem(key.name.at, f"key field `{full}` is given twice")
            given[full] = key
        match = [
            match_field(given[info.name].value if info.name in given else None, info.match, info.width)
            for info in table.keys
        ]
        action = self._call(statement.action, name)
        priority = 0
        if any(info.match in PRIORITY_KINDS for info in table.keys):
            # The larger wins, here as there, but a priority of the switch is greater than 0.
            priority = (statement.priority or 0) + 1
            if priority >= 1 << 31:
                raise Problem(statement.at, f"priority {statement.priority} is more than {(1 << 31) - 2}")
        self.switch.update(mecn_native.TableUpdate.Insert(name, match, priority, action))
        entry = Entry(name, match, priority)
        self.numbered[name].append(entry)
        if statement.handle is not None:
            self.handles[statement.handle] = entry

    def _call(self, call: Call, table: str) -> mecn_native.ActionCall:
        place = f" in table `{table}`"
        actions = {action.name: action for action in self.tables[table].actions}
        name = resolve(call.name, actions, "action", place)
        params = actions[name].params
        names = [param.name for param in params]
        given: dict[str, Argument] = {}
        for index, argument in enumerate(call.arguments):
            if argument.name is None:
                if index >= len(names):
                    raise Problem(argument.value.at, f"action `{name}` has {len(names)} parameters")
                full = names[index]
            elif argument.name.text in names:
                full = argument.name.text
            else:
                has = ", ".join(f"`{param}`" for param in names) or "none"
                raise Problem(
                    argument.name.at, f"action `{name}` has no parameter `{argument.name.text}`; it has {has}"
                )
            if full in given:
                raise Problem(argument.value.at, f"parameter `{full}` is given twice")
            given[full] = argument
        if missing := [param for param in names if param not in given]:
            raise Problem(call.name.at, f"action `{name}` needs parameter `{missing[0]}`")
        return mecn_native.ActionCall(name, [scalar(given[p.name].value, p.width) for p in params])

    def _remove(self, handle: Word | None) -> None:
        if handle is None:
            for table in self.tables.values():
                if not table.const_entries:
                    self.switch.clear_entries(table.name)
            self.handles.clear()
            return
        entry = self._handle(handle.text, handle.at)
        self.switch.update(mecn_native.TableUpdate.Delete(entry.table, entry.match, entry.priority))
        del self.handles[handle.text]

    def _handle(self, handle: str, at: Position) -> Entry:
        if entry := self.handles.get(handle):
            return entry
        known = ", ".join(sorted(self.handles)) or "none"
        raise Problem(at, f"there is no handle `{handle}`; there is {known}")

    def _entry_of(self, word: Word, table: str) -> Entry:
        """An entry of a table by its handle or number."""
        if word.text[:1].isdigit():
            index, entries = scalar(word, 32), self.numbered[table]
            if index >= len(entries):
                raise Problem(
                    word.at, f"there is no entry {index} in table `{table}`; there were {len(entries)}"
                )
            return entries[index]
        entry = self._handle(word.text.removeprefix("$"), word.at)
        if entry.table != table:
            raise Problem(word.at, f"handle `{word.text}` is of table `{entry.table}`, not `{table}`")
        return entry

    def _check_counter(self, statement: CheckCounter) -> None:
        name, packets, count = self.commands.read_counter(statement.counter, statement.index)
        self.trace(f"{statement.at}: counter {name}: {packets} packets, {count} bytes")
        condition = statement.condition
        value = count if condition.unit == "bytes" else packets
        self.result.checks += condition.number is not None
        if not condition.holds(value):
            expected = f"{condition.comparison} {condition.number}"
            raise TestFailure(
                statement.at, f"counter `{name}` has {value} {condition.unit}, expected {expected}"
            )
