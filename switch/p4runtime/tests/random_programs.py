# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Random P4 programs, and what they mean: each piece has its text and what it does.

What it does is written from sections 6.8 (calling convention), 8.5 to 8.7 (operators) and 12 (statements) of
the language specification: arguments from left to right, values copied in, results copied out, also after
`exit`. It shares nothing with the front end, which replaces copies by aliases where it can.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

FIELDS = ("hdr.data.e", "hdr.data.f", "hdr.data.g", "hdr.data.h")
STACK = 4
"""Elements of the header stack, each a byte."""


class ReturnError(Exception):
    """`return`, with a value from functions."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value


class ExitError(Exception):
    """`exit`"""


@dataclass
class Frame:
    """What a body sees: variables by name, inner scopes last, and the elements of the stack."""

    scopes: list[dict[str, int]]
    stack: list[int]

    def scope_of(self, name: str) -> dict[str, int]:
        return next(scope for scope in reversed(self.scopes) if name in scope)

    def inner(self) -> Frame:
        return Frame([*self.scopes, {}], self.stack)


# ---- Expressions: text and value --------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Where a value is: an index is evaluated once, whatever is done with the element."""

    holder: dict[str, int] | list[int]
    key: str | int

    def get(self) -> int:
        return self.holder[self.key]  # type: ignore[index]

    def put(self, value: int) -> None:
        self.holder[self.key] = value  # type: ignore[index]


@dataclass(frozen=True)
class Number:
    number: int

    def text(self) -> str:
        return f"8w{self.number}"

    def value(self, _: Frame) -> int:
        return self.number


@dataclass(frozen=True)
class Variable:
    name: str

    def text(self) -> str:
        return self.name

    def value(self, frame: Frame) -> int:
        return frame.scope_of(self.name)[self.name]

    def place(self, frame: Frame) -> Place:
        return Place(frame.scope_of(self.name), self.name)


@dataclass(frozen=True)
class Element:
    """`hdr.s[index].v`"""

    index: Expression

    def text(self) -> str:
        return f"hdr.s[{self.index.text()} & 3].v"

    def value(self, frame: Frame) -> int:
        return frame.stack[self.index.value(frame) & 3]

    def place(self, frame: Frame) -> Place:
        return Place(frame.stack, self.index.value(frame) & 3)


@dataclass(frozen=True)
class Binary:
    operator: str
    left: Expression
    right: Expression

    def text(self) -> str:
        return f"({self.left.text()} {self.operator} {self.right.text()})"

    def value(self, frame: Frame) -> int:
        a = self.left.value(frame)
        # The only operators that do not evaluate both.
        if self.operator == "&&":
            return a and self.right.value(frame)
        if self.operator == "||":
            return a or self.right.value(frame)
        b = self.right.value(frame)
        results: dict[str, Callable[[], int]] = {
            "+": lambda: (a + b) & 0xFF,
            "-": lambda: (a - b) & 0xFF,
            "*": lambda: (a * b) & 0xFF,
            "&": lambda: a & b,
            "|": lambda: a | b,
            "^": lambda: a ^ b,
            "|+|": lambda: min(a + b, 0xFF),
            "|-|": lambda: max(a - b, 0),
            "<<": lambda: (a << b) & 0xFF,
            ">>": lambda: a >> b,
            "==": lambda: a == b,
            "!=": lambda: a != b,
            "<": lambda: a < b,
            ">=": lambda: a >= b,
        }
        return results[self.operator]()


@dataclass(frozen=True)
class Choice:
    condition: Expression
    then: Expression
    otherwise: Expression

    def text(self) -> str:
        return f"({self.condition.text()} ? {self.then.text()} : {self.otherwise.text()})"

    def value(self, frame: Frame) -> int:
        return (self.then if self.condition.value(frame) else self.otherwise).value(frame)


@dataclass(frozen=True)
class Call:
    """Of a function, an action or the instance of a control."""

    callee: Callee
    arguments: tuple[Expression, ...]

    def text(self) -> str:
        name = f"i{self.callee.name}.apply" if self.callee.kind == "control" else self.callee.name
        return f"{name}({', '.join(argument.text() for argument in self.arguments)})"

    def value(self, frame: Frame) -> int:
        variables: dict[str, int] = {}
        copies: list[tuple[str, Place]] = []
        for (direction, name), argument in zip(self.callee.parameters, self.arguments, strict=True):
            if direction == "in":
                variables[name] = argument.value(frame)
                continue
            assert isinstance(argument, Variable | Element)
            place = argument.place(frame)
            copies.append((name, place))
            # Each body begins by giving its `out` parameters a value.
            variables[name] = place.get() if direction == "inout" else 0
        scopes = [frame.scopes[0], variables] if self.callee.kind == "action" else [variables]
        try:
            execute(self.callee.body, Frame(scopes, frame.stack))
        except ReturnError as returned:
            return returned.value
        finally:
            for name, place in copies:
                place.put(variables[name])
        return 0


Expression = Number | Variable | Element | Binary | Choice | Call


# ---- Statements: text, and what they do --------------------------------------------------------------------


@dataclass(frozen=True)
class Assign:
    target: Variable | Element
    source: Expression

    def text(self) -> str:
        return f"{self.target.text()} = {self.source.text()};"

    def run(self, frame: Frame) -> None:
        place = self.target.place(frame)
        place.put(self.source.value(frame))


@dataclass(frozen=True)
class Declare:
    name: str
    source: Expression

    def text(self) -> str:
        return f"bit<8> {self.name} = {self.source.text()};"

    def run(self, frame: Frame) -> None:
        frame.scopes[-1][self.name] = self.source.value(frame)


@dataclass(frozen=True)
class If:
    condition: Expression
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()

    def text(self) -> str:
        return f"if ({self.condition.text()}) {block(self.then)} else {block(self.otherwise)}"

    def run(self, frame: Frame) -> None:
        execute(self.then if self.condition.value(frame) else self.otherwise, frame)


@dataclass(frozen=True)
class Do:
    call: Call

    def text(self) -> str:
        return f"{self.call.text()};"

    def run(self, frame: Frame) -> None:
        self.call.value(frame)


@dataclass(frozen=True)
class Return:
    source: Expression | None = None

    def text(self) -> str:
        return f"return {self.source.text()};" if self.source else "return;"

    def run(self, frame: Frame) -> None:
        raise ReturnError(self.source.value(frame) if self.source else 0)


@dataclass(frozen=True)
class Exit:
    def text(self) -> str:
        return "exit;"

    def run(self, _: Frame) -> None:
        raise ExitError


@dataclass(frozen=True)
class ApplyTable:
    """`if (t.apply().hit)`; the table has one action for hits and one for misses, without parameters."""

    name: str
    key: Expression
    hit: tuple[Statement, ...]
    miss: tuple[Statement, ...]
    then: tuple[Statement, ...]

    def declaration(self) -> str:
        return (
            f"action {self.name}_hit() {block(self.hit)}\naction {self.name}_miss() {block(self.miss)}\n"
            f'table {self.name} {{ key = {{ {self.key.text()} & 1: exact @name("key"); }}\n'
            f"actions = {{ {self.name}_hit; {self.name}_miss; }}\n"
            f"const entries = {{ 1: {self.name}_hit(); }}\nconst default_action = {self.name}_miss(); }}\n"
        )

    def text(self) -> str:
        return f"if ({self.name}.apply().hit) {block(self.then)}"

    def run(self, frame: Frame) -> None:
        outer = Frame(frame.scopes[:1], frame.stack)
        hit = self.key.value(outer) & 1
        with contextlib.suppress(ReturnError):
            execute(self.hit if hit else self.miss, outer)
        if hit:
            execute(self.then, frame)


Statement = Assign | Declare | If | Do | Return | Exit | ApplyTable


def block(body: tuple[Statement, ...]) -> str:
    return "{\n" + "".join(f"{statement.text()}\n" for statement in body) + "}"


def execute(body: tuple[Statement, ...], frame: Frame) -> None:
    inner = frame.inner()
    for statement in body:
        statement.run(inner)


@dataclass(frozen=True)
class Callee:
    """A function, an action, or a control with one instance."""

    kind: str
    name: str
    parameters: tuple[tuple[str, str], ...]
    body: tuple[Statement, ...] = ()
    table: ApplyTable | None = None

    def text(self) -> str:
        parameters = ", ".join(f"{direction} bit<8> {name}" for direction, name in self.parameters)
        head = {"function": "bit<8>", "action": "action", "control": "control"}[self.kind]
        body = block(self.body)
        if self.kind == "control":
            body = "{\n" + (self.table.declaration() if self.table else "") + f"apply {body}\n}}"
        return f"{head} {self.name}({parameters}) {body}\n"


# ---- Programs ----------------------------------------------------------------------------------------------


@dataclass
class Program:
    """One with a value for each seed.

    plain: without what p4c is known to compile wrongly (see `differences.toml`): `exit` where a caller
    still has to copy out, and indices of stacks that are not constant.
    """

    seed: int
    plain: bool = False
    functions: list[Callee] = field(default_factory=list)
    actions: list[Callee] = field(default_factory=list)
    controls: list[Callee] = field(default_factory=list)
    body: tuple[Statement, ...] = ()

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._names = iter(range(1_000_000))
        for _ in range(2):
            self.functions.append(self._callee("function", ()))
        waiting = [self._callee("control", ()) for _ in range(2)]
        for _ in range(2):
            self.actions.append(self._callee("action", FIELDS))
        self.controls = waiting
        calls = [Do(Call(c, self._arguments(c, FIELDS))) for c in self.controls]
        body = [*self._body("main", FIELDS, 5), *calls]
        self._random.shuffle(body)
        self.body = tuple(body)

    def text(self) -> str:
        instances = "".join(f"{control.name}() i{control.name};\n" for control in self.controls)
        return (
            '#define OWN_HEADERS\n#define OWN_PARSER\n#include "begin.p4"\n'
            "header byte_t { bit<8> v; }\nstruct headers_t { data_t data; byte_t[4] s; }\n"
            + "".join(callee.text() for callee in (*self.functions, *self.controls))
            + "parser P(packet_in packet, out headers_t hdr, inout metadata_t meta,\n"
            "         inout standard_metadata_t sm) {\nstate start {\npacket.extract(hdr.data);\n"
            + "packet.extract(hdr.s.next);\n"
            * STACK
            + "transition accept;\n}\n}\n"
            "control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {\n"
            + instances
            + "".join(action.text() for action in self.actions)
            + f'apply {block(self.body)}\n}}\n#include "end.p4"\n'
        )

    def outcome(self, frame: bytes) -> bytes:
        """What becomes of the last four bytes of the header and of the stack."""
        state = Frame([dict(zip(FIELDS, frame, strict=False))], list(frame[len(FIELDS) :]))
        with contextlib.suppress(ReturnError, ExitError):
            execute(self.body, state)
        return bytes([*(state.scopes[0][name] for name in FIELDS), *state.stack])

    # ---- Pieces ---------------------------------------------------------------------------------------

    def _callee(self, kind: str, outside: tuple[str, ...]) -> Callee:
        number = next(self._names)
        directions = [self._random.choice(("in", "inout", "out")) for _ in range(self._random.randint(0, 2))]
        parameters = tuple((d, f"{d}_p{i}") for i, d in enumerate([*directions, "inout"]))
        known = tuple(name for _, name in parameters) + outside
        first = [Assign(Variable(name), Number(number)) for d, name in parameters if d == "out"]
        body = [*first, *self._body(kind, known, 2)]
        table = None
        if kind == "control":
            table = self._table(f"t{number}", known)
            body.insert(self._random.randint(len(first), len(body)), table)
        if kind == "function":
            body.append(Return(self._value(known, 2)))
        return Callee(kind, f"c{number}", parameters, tuple(body), table)

    def _table(self, name: str, known: tuple[str, ...]) -> ApplyTable:
        hit, miss = (tuple(self._body("action", known, 1)) for _ in range(2))
        if not self.plain and self._random.random() < 0.5:
            hit = (*hit, Exit())
        then = (Assign(self._target(known), self._value(known, 1)),)
        return ApplyTable(name, self._value(known, 1), hit, miss, then)

    def _body(self, kind: str, known: tuple[str, ...], length: int) -> Iterator[Statement]:
        for _ in range(length):
            statement = self._statement(kind, known, 2)
            if isinstance(statement, Declare):
                known = (*known, statement.name)
            yield statement

    def _statement(self, kind: str, known: tuple[str, ...], depth: int) -> Statement:
        draw = self._random.random()
        if draw < 0.25 and depth:
            branches = (tuple(self._branch(kind, known, depth - 1)) for _ in range(2))
            return If(self._condition(known, 2), *branches)
        if draw < 0.35 and kind != "main":
            return Declare(f"v{next(self._names)}", self._value(known, 2))
        if draw < 0.40 and depth < 2:
            return Return(self._value(known, 1)) if kind == "function" else Return()
        if draw < 0.45 and depth < 2 and kind != "function" and (kind == "main" or not self.plain):
            return Exit()
        if draw < 0.60 and kind == "main":
            action = self._random.choice(self.actions)
            return Do(Call(action, self._arguments(action, known)))
        return Assign(self._target(known), self._value(known, 3))

    def _branch(self, kind: str, known: tuple[str, ...], depth: int) -> Iterator[Statement]:
        for _ in range(self._random.randint(0, 2)):
            statement = self._statement(kind, known, depth)
            if not isinstance(statement, Declare):
                yield statement

    def _target(self, known: tuple[str, ...]) -> Variable | Element:
        if "hdr.data.e" in known and self._random.random() < 0.25:
            return Element(self._index(known, 1))
        return Variable(self._random.choice([name for name in known if not name.startswith("in_")]))

    def _arguments(self, callee: Callee, known: tuple[str, ...]) -> tuple[Expression, ...]:
        return tuple(
            self._value(known, 1) if d == "in" else self._target(known) for d, _ in callee.parameters
        )

    def _value(self, known: tuple[str, ...], depth: int) -> Expression:
        draw = self._random.random()
        if not depth or draw < 0.25:
            if draw < 0.08:
                return Number(self._random.randrange(256))
            return Variable(self._random.choice(known))
        if draw < 0.35 and "hdr.data.e" in known:
            return Element(self._index(known, depth - 1))
        if draw < 0.50 and self.functions:
            function = self._random.choice(self.functions)
            return Call(function, self._arguments(function, known))
        if draw < 0.60:
            values = (self._value(known, depth - 1) for _ in range(2))
            return Choice(self._condition(known, depth - 1), *values)
        operator = self._random.choice(("+", "-", "*", "&", "|", "^", "|+|", "|-|", "<<", ">>"))
        return Binary(operator, self._value(known, depth - 1), self._value(known, depth - 1))

    def _index(self, known: tuple[str, ...], depth: int) -> Expression:
        return Number(self._random.randrange(256)) if self.plain else self._value(known, depth)

    def _condition(self, known: tuple[str, ...], depth: int) -> Expression:
        if depth and self._random.random() < 0.4:
            operator = self._random.choice(("&&", "||"))
            return Binary(operator, self._condition(known, depth - 1), self._condition(known, depth - 1))
        operator = self._random.choice(("==", "!=", "<", ">="))
        depth = min(depth, 1)
        return Binary(operator, self._value(known, depth), self._value(known, depth))
