# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a P4Info says, indexed by id and checked for consistency."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from finsy.proto import p4i

from .status import invalid_argument

MatchType = p4i.MatchField.MatchType
Scope = p4i.ActionRef.Scope

MATCH_NAMES: Mapping["p4i.MatchField.MatchType.ValueType", str] = {
    MatchType.EXACT: "exact",
    MatchType.LPM: "lpm",
    MatchType.TERNARY: "ternary",
    MatchType.RANGE: "range",
    MatchType.OPTIONAL: "optional",
}
"""Match kinds as P4 spells them."""

_WITH_PRIORITY = frozenset({"ternary", "range", "optional"})


@dataclass(frozen=True)
class Field:
    """A match field: `match` is exact, lpm, ternary, range or optional."""

    id: int
    name: str
    match: str
    bitwidth: int


@dataclass(frozen=True)
class Param:
    """A parameter of an action."""

    id: int
    name: str
    bitwidth: int


@dataclass(frozen=True)
class Action:
    """An action and its parameters, in order."""

    id: int
    name: str
    params: tuple[Param, ...]


@dataclass(frozen=True)
class ActionRef:
    """An action that a table may use, for entries, as default, or both."""

    action: Action
    for_entries: bool
    as_default: bool


@dataclass(frozen=True)
class Counter:
    """An indexed counter (`table_id` is 0) or the direct counter of a table (`size` is 0)."""

    id: int
    name: str
    size: int = 0
    table_id: int = 0


@dataclass(frozen=True)
class Table:
    """A table. `fields` are in the order of the program's key."""

    id: int
    name: str
    fields: tuple[Field, ...]
    actions: Mapping[int, ActionRef]
    const_default: bool
    is_const: bool
    idle_timeout: bool
    implementation_id: int
    direct_counter: Counter | None

    @property
    def needs_priority(self) -> bool:
        """Whether entries have a priority: some field is ternary, range or optional (section 9.1)."""
        return any(field.match in _WITH_PRIORITY for field in self.fields)

    def action_named(self, name: str) -> Action:
        """The action of this name among those the table may use."""
        for ref in self.actions.values():
            if ref.action.name == name:
                return ref.action
        raise invalid_argument(f"table {self.name} has no action {name}")


@dataclass(frozen=True)
class Schema:
    """A P4Info, indexed by id."""

    tables: Mapping[int, Table]
    counters: Mapping[int, Counter]
    register_names: frozenset[str]

    def table(self, table_id: int) -> Table:
        """Raises INVALID_ARGUMENT if there is none with this id."""
        try:
            return self.tables[table_id]
        except KeyError:
            raise invalid_argument(f"no table has id {table_id:#x}") from None

    def counter(self, counter_id: int) -> Counter:
        """An indexed counter; raises INVALID_ARGUMENT if there is none with this id."""
        try:
            return self.counters[counter_id]
        except KeyError:
            raise invalid_argument(f"no counter has id {counter_id:#x}") from None


class _HasPreamble(Protocol):
    @property
    def preamble(self) -> p4i.Preamble: ...


_T = TypeVar("_T", bound=_HasPreamble)


def _by_id(objects: Iterable[_T], kind: str) -> dict[int, _T]:
    index: dict[int, _T] = {}
    for item in objects:
        preamble = item.preamble
        if preamble.id == 0:
            raise invalid_argument(f"P4Info: {kind} {preamble.name} has no id")
        if preamble.id in index:
            other = index[preamble.id].preamble.name
            raise invalid_argument(
                f"P4Info: {kind}s {other} and {preamble.name} have the same id {preamble.id:#x}"
            )
        index[preamble.id] = item
    return index


def _action(info: p4i.Action) -> Action:
    params = []
    for param in info.params:
        if param.bitwidth <= 0:
            raise invalid_argument(
                f"P4Info: parameter {param.name} of action {info.preamble.name} has no bitwidth"
            )
        params.append(Param(param.id, param.name, param.bitwidth))
    return Action(info.preamble.id, info.preamble.name, tuple(params))


def _fields(table: p4i.Table) -> tuple[Field, ...]:
    fields = []
    for info in table.match_fields:
        match = MATCH_NAMES.get(info.match_type)
        if match is None:
            kind = info.other_match_type or "no match type"
            raise invalid_argument(
                f"P4Info: field {info.name} of table {table.preamble.name}: {kind} is not supported"
            )
        if info.bitwidth <= 0:
            raise invalid_argument(
                f"P4Info: field {info.name} of table {table.preamble.name} has no bitwidth"
            )
        fields.append(Field(info.id, info.name, match, info.bitwidth))
    if len({field.id for field in fields}) != len(fields):
        raise invalid_argument(f"P4Info: two fields of table {table.preamble.name} have the same id")
    return tuple(fields)


def _table(info: p4i.Table, actions: Mapping[int, Action], direct_counters: Mapping[int, Counter]) -> Table:
    refs = {}
    for ref in info.action_refs:
        if ref.id not in actions:
            raise invalid_argument(
                f"P4Info: table {info.preamble.name} refers to an unknown action, id {ref.id:#x}"
            )
        refs[ref.id] = ActionRef(
            actions[ref.id],
            for_entries=ref.scope != Scope.DEFAULT_ONLY,
            as_default=ref.scope != Scope.TABLE_ONLY,
        )
    direct = [direct_counters[id] for id in info.direct_resource_ids if id in direct_counters]
    return Table(
        id=info.preamble.id,
        name=info.preamble.name,
        fields=_fields(info),
        actions=refs,
        const_default=info.const_default_action_id != 0,
        is_const=info.is_const_table,
        idle_timeout=info.idle_timeout_behavior != p4i.Table.NO_TIMEOUT,
        implementation_id=info.implementation_id,
        direct_counter=direct[0] if direct else None,
    )


def read_p4info(p4info: p4i.P4Info) -> Schema:
    """Raises INVALID_ARGUMENT, naming the object, if the P4Info contradicts itself."""
    actions = {id: _action(info) for id, info in _by_id(p4info.actions, "action").items()}
    counters = {
        id: Counter(id, info.preamble.name, size=info.size)
        for id, info in _by_id(p4info.counters, "counter").items()
    }
    direct_counters = {
        id: Counter(id, info.preamble.name, table_id=info.direct_table_id)
        for id, info in _by_id(p4info.direct_counters, "direct counter").items()
    }
    tables = {
        id: _table(info, actions, direct_counters) for id, info in _by_id(p4info.tables, "table").items()
    }
    registers = frozenset(info.preamble.name for info in p4info.registers)
    return Schema(tables, counters, registers)
