# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The language: one statement a line, `#` begins a comment, the case of the first word does not matter.

    add NAME [PRIORITY] {KEY:VALUE} NAME([PARAM:VALUE {, PARAM:VALUE}]) [= HANDLE]
    setdefault NAME NAME([...])
    remove all | remove HANDLE
    packet PORT HEX             expect PORT [HEX with * [$]]             no_packet
    check_counter NAME(INDEX) [[packets|bytes] COMPARISON NUMBER]
    register_read NAME INDEX [COMPARISON NUMBER]           ...and the other commands in `COMMANDS`
    wait [SECONDS]

VALUE is NUMBER, NUMBER with `*` for digits that do not matter, NUMBER/LENGTH, NUMBER&&&MASK, NUMBER..NUMBER
or NUMBER->NUMBER. What a value means depends on the key field it is for: see `values`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .errors import Position, Problem

COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")


@dataclass(frozen=True)
class Word:
    """A piece of the text and where it stands."""

    text: str
    at: Position


@dataclass(frozen=True)
class Argument:
    """`name:value`; in a call the name may be left out."""

    name: Word | None
    value: Word


@dataclass(frozen=True)
class Call:
    """An action with arguments."""

    name: Word
    arguments: tuple[Argument, ...]


@dataclass(frozen=True)
class Condition:
    """What a number that was read must fulfil; without `number` it is only read."""

    unit: str = "packets"
    comparison: str = "=="
    number: int | None = None

    def holds(self, value: int) -> bool:
        """Whether `value` fulfils it."""
        if self.number is None:
            return True
        return {
            "==": value == self.number,
            "!=": value != self.number,
            "<=": value <= self.number,
            ">=": value >= self.number,
            "<": value < self.number,
            ">": value > self.number,
        }[self.comparison]


@dataclass(frozen=True)
class Statement:
    """What all statements have: where they begin."""

    at: Position


@dataclass(frozen=True)
class Add(Statement):
    """Inserts a table entry."""

    table: Word
    priority: int | None
    keys: tuple[Argument, ...]
    action: Call
    handle: str | None = None


@dataclass(frozen=True)
class SetDefault(Statement):
    """Sets the default action of a table."""

    table: Word
    action: Call


@dataclass(frozen=True)
class Remove(Statement):
    """Removes the entry with a handle, or (None) all entries of all tables."""

    handle: Word | None


@dataclass(frozen=True)
class Send(Statement):
    """`packet`: lets a packet arrive."""

    port: int
    frame: bytes


@dataclass(frozen=True)
class Expect(Statement):
    """A packet that must leave, as hex digits and `*`; None: whatever leaves by this port is fine."""

    port: int
    pattern: str | None
    exact_length: bool = False


@dataclass(frozen=True)
class NoPacket(Statement):
    """The packet sent last must not have led to any packet."""


@dataclass(frozen=True)
class CheckCounter(Statement):
    """Compares a cell of a counter; `index` is a number or the handle of an entry."""

    counter: Word
    index: Word
    condition: Condition


@dataclass(frozen=True)
class Wait(Statement):
    """Lets time pass."""

    nanoseconds: int


@dataclass(frozen=True)
class Command(Statement):
    """One of simple_switch's own commands, with its words."""

    name: str
    words: tuple[Word, ...]
    condition: Condition = field(default_factory=Condition)


COMMANDS = (
    "counter_read",
    "counter_write",
    "mc_mgrp_create",
    "mc_node_associate",
    "mc_node_create",
    "mc_node_update",
    "meter_array_set_rates",
    "meter_get_rates",
    "meter_set_rates",
    "mirroring_add",
    "mirroring_add_mc",
    "mirroring_delete",
    "mirroring_get",
    "register_read",
    "register_reset",
    "register_write",
)
"""Commands that p4c's runner passes on as they are, with the arguments of `simple_switch_CLI`."""

MAX_PORT = (1 << 16) - 1
MAX_NUMBER_DIGITS = 4096

_SPACE = re.compile(r"[ \t\r\f\v]*")
_NAME = re.compile(r"[A-Za-z_$][\w$.]*(?:\[[^\]\s]*\][\w$.]*)*", re.ASCII)
_QUOTED = re.compile(r'"([^"]*)"')
_WORD = re.compile(r"\S+")
_DECIMAL = re.compile(r"[0-9]+(?![\w:.])", re.ASCII)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|[0-9]+", re.ASCII)
_OPERAND = re.compile(r"(?:[^\s,()=/&>.-]|-(?!>)|\.(?!\.))+")
_VALUE_OPERATOR = re.compile(r"/|&&&|->|\.\.")
_INDEX = re.compile(r"[^\s()]+")
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?(?![\w.])", re.ASCII)


class Line:
    """Reads the pieces of one line, from left to right."""

    def __init__(self, file: str, number: int, source: str) -> None:
        self.file = file
        self.number = number
        self.source = source
        self.text = source.partition("#")[0]
        self.offset = 0
        self.skip()

    def skip(self) -> None:
        """Passes by white space."""
        if blank := _SPACE.match(self.text, self.offset):
            self.offset = blank.end()

    def position(self) -> Position:
        """Of the next piece."""
        return Position(self.file, self.number, self.offset + 1, self.source)

    def problem(self, message: str) -> Problem:
        """An error at the next piece."""
        return Problem(self.position(), message)

    def take(self, pattern: re.Pattern[str]) -> Word | None:
        """The next piece if it fits."""
        found = pattern.match(self.text, self.offset)
        if found is None or found.end() == found.start():
            return None
        word = Word(found[0], self.position())
        self.offset = found.end()
        self.skip()
        return word

    def need(self, pattern: re.Pattern[str], what: str) -> Word:
        """The next piece, which must fit."""
        if word := self.take(pattern):
            return word
        raise self.problem(f"expected {what}, found {self.shown()}")

    def symbol(self, text: str) -> bool:
        """Passes by `text` if it comes next."""
        if not self.text.startswith(text, self.offset):
            return False
        self.offset += len(text)
        self.skip()
        return True

    def need_symbol(self, text: str) -> None:
        """Passes by `text`, which must come next."""
        if not self.symbol(text):
            raise self.problem(f"expected `{text}`, found {self.shown()}")

    def rest(self) -> Word:
        """All that is left."""
        word = Word(self.text[self.offset :].rstrip(), self.position())
        self.offset = len(self.text)
        return word

    def end(self) -> None:
        """Nothing may be left."""
        if self.offset < len(self.text):
            raise self.problem(f"expected the end of the line, found {self.shown()}")

    def shown(self) -> str:
        """The next piece, for a message."""
        found = _WORD.match(self.text, self.offset)
        if not found:
            return "the end of the line"
        text = found[0]
        return f"`{text}`" if len(text) <= 40 else f"`{text[:40]}...`"


def number(word: Word) -> int:
    """A decimal, hexadecimal, octal or binary number."""
    if not _NUMBER.fullmatch(word.text):
        raise Problem(word.at, f"`{word.text[:40]}` is not a number")
    if len(word.text) > MAX_NUMBER_DIGITS:
        raise Problem(word.at, f"the number has more than {MAX_NUMBER_DIGITS} digits")
    prefix = word.text[:2].lower()
    return int(word.text, {"0x": 16, "0b": 2, "0o": 8}.get(prefix, 10))


def parse(text: str, file: str) -> tuple[list[Statement], list[Problem]]:
    """The statements of a test, and what is wrong with it: at most one error for a line."""
    statements: list[Statement] = []
    problems: list[Problem] = []
    for index, source in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1):
        line = Line(file, index, source)
        if line.offset >= len(line.text):
            continue
        try:
            statements.append(_statement(line))
        except Problem as problem:
            problems.append(problem)
    return statements, problems


def _statement(line: Line) -> Statement:
    first = line.need(_WORD, "a command")
    name = first.text.lower()
    if read := _STATEMENTS.get(name):
        statement = read(line, first.at)
    elif name in COMMANDS:
        statement = _command(line, first.at, name)
    else:
        raise Problem(first.at, f"there is no command `{first.text[:40]}`")
    line.end()
    return statement


def _name(line: Line, what: str) -> Word:
    at = line.position()
    if quoted := line.take(_QUOTED):
        return Word(quoted.text[1:-1], at)
    return line.need(_NAME, what)


def _value(line: Line) -> Word:
    """A value with its operator, without the white space between them."""
    first = line.need(_OPERAND, "a value")
    text = first.text
    if operator := line.take(_VALUE_OPERATOR):
        second = line.need(_OPERAND, f"a value after `{operator.text}`")
        text += operator.text + second.text
    return Word(text, first.at)


def _call(line: Line, name: Word) -> Call:
    line.need_symbol("(")
    arguments: list[Argument] = []
    while not line.symbol(")"):
        if arguments:
            line.need_symbol(",")
        start = line.offset
        parameter = _name(line, "a parameter") if line.text[start : start + 1] not in "0123456789" else None
        if parameter is None:
            arguments.append(Argument(None, _value(line)))
            continue
        line.need_symbol(":")
        arguments.append(Argument(parameter, _value(line)))
    return Call(name, tuple(arguments))


def _add(line: Line, at: Position) -> Statement:
    table = _name(line, "a table")
    priority = line.take(_DECIMAL)
    keys: list[Argument] = []
    while True:
        name = _name(line, "a key field or an action")
        if line.symbol(":"):
            keys.append(Argument(name, _value(line)))
            continue
        if not line.text.startswith("(", line.offset):
            raise line.problem(f"expected `:` and a value or `(` and arguments, found {line.shown()}")
        action = _call(line, name)
        break
    handle = line.need(_NAME, "a handle").text.removeprefix("$") if line.symbol("=") else None
    return Add(at, table, number(priority) if priority else None, tuple(keys), action, handle)


def _setdefault(line: Line, at: Position) -> Statement:
    table = _name(line, "a table")
    return SetDefault(at, table, _call(line, _name(line, "an action")))


def _remove(line: Line, at: Position) -> Statement:
    what = line.need(_NAME, "`all` or a handle")
    return Remove(at, None if what.text.lower() == "all" else Word(what.text.removeprefix("$"), what.at))


def _port(line: Line) -> int:
    word = line.need(_DECIMAL, "a port number")
    port = number(word)
    if port > MAX_PORT:
        raise Problem(word.at, f"port {port} is more than {MAX_PORT}")
    return port


def _digits(line: Line, allowed: str) -> str:
    """The digits that are left on the line, without white space; `allowed` says which."""
    digits: list[str] = []
    while word := line.take(_WORD):
        for index, digit in enumerate(word.text):
            if digit not in allowed:
                at = Position(line.file, line.number, word.at.column + index, line.source)
                raise Problem(
                    at, f"`{digit}` is not a hexadecimal digit" + (" or `*`" if "*" in allowed else "")
                )
        digits.append(word.text)
    return "".join(digits)


_HEX = "0123456789abcdefABCDEF"


def _packet(line: Line, at: Position) -> Statement:
    port = _port(line)
    start = line.position()
    digits = _digits(line, _HEX)
    if not digits:
        raise Problem(start, "the packet has no bytes")
    if len(digits) % 2:
        raise Problem(start, f"the packet has an odd number of digits ({len(digits)})")
    return Send(at, port, bytes.fromhex(digits))


def _expect(line: Line, at: Position) -> Statement:
    port = _port(line)
    start = line.position()
    # `$`, which may stand apart, ends the data.
    data = line.text.rstrip()
    exact = data.endswith("$") and len(data) > line.offset
    if exact:
        line.text = data[:-1]
        line.offset = min(line.offset, len(line.text))
    digits = _digits(line, _HEX + "*")
    if exact and not digits:
        raise Problem(start, "expected bytes before `$`")
    return Expect(at, port, digits.upper() or None, exact)


def _no_packet(line: Line, at: Position) -> Statement:
    del line
    return NoPacket(at)


def _condition(line: Line, *, units: bool) -> Condition:
    if line.offset >= len(line.text):
        return Condition()
    unit = "packets"
    if units and (word := line.take(_NAME)):
        unit = word.text.lower()
        if unit not in ("packets", "bytes"):
            raise Problem(word.at, f"expected `packets` or `bytes`, found `{word.text[:40]}`")
    for comparison in COMPARISONS:
        if line.symbol(comparison):
            return Condition(unit, comparison, number(line.need(_WORD, "a number")))
    raise line.problem(f"expected a comparison ({' '.join(COMPARISONS)}), found {line.shown()}")


def _check_counter(line: Line, at: Position) -> Statement:
    counter = _name(line, "a counter")
    line.need_symbol("(")
    index = line.need(_INDEX, "an index or a handle")
    line.need_symbol(")")
    return CheckCounter(at, counter, index, _condition(line, units=True))


def _wait(line: Line, at: Position) -> Statement:
    word = line.take(_SECONDS)
    if word is None:
        return Wait(at, 0)
    seconds, _, fraction = word.text.partition(".")
    return Wait(at, int(seconds) * 1_000_000_000 + int(fraction.ljust(9, "0")))


def _command(line: Line, at: Position, name: str) -> Command:
    words: list[Word] = []
    condition = Condition()
    while line.offset < len(line.text):
        if name == "register_read" and len(words) == 2:
            condition = _condition(line, units=False)
            break
        words.append(line.need(_WORD, "an argument"))
    return Command(at, name, tuple(words), condition)


_STATEMENTS: dict[str, Callable[[Line, Position], Statement]] = {
    "add": _add,
    "setdefault": _setdefault,
    "remove": _remove,
    "packet": _packet,
    "expect": _expect,
    "no_packet": _no_packet,
    "check_counter": _check_counter,
    "wait": _wait,
}
