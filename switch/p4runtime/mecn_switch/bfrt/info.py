# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a bf-rt.json says: tables with their key and data fields, actions, and digests, by id."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..status import invalid_argument

_INTEGERS = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "int32": 32}


@dataclass(frozen=True)
class Field:
    """A field of a key or of data. `width` in bits, 0 for what is no number."""

    id: int
    name: str
    type: str
    """bytes, bool, float or string."""
    width: int
    match: str = ""
    """Of a key: Exact, Ternary, LPM, Range or Optional."""
    repeated: bool = False
    mandatory: bool = False
    read_only: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    container: tuple["Field", ...] = ()

    @property
    def size(self) -> int:
        """Bytes that a number takes."""
        return (self.width + 7) // 8


@dataclass(frozen=True)
class Action:
    """An action and its own fields. Without an action (id 0) a table has only common ones."""

    id: int
    name: str
    fields: Mapping[int, Field]
    for_entries: bool = True
    as_default: bool = True


@dataclass(frozen=True)
class Table:
    """A table of bf-rt.json."""

    id: int
    name: str
    type: str
    size: int
    keys: Mapping[int, Field]
    actions: Mapping[int, Action]
    data: Mapping[int, Field]
    """Fields that entries have whatever their action."""
    attributes: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    depends_on: tuple[int, ...] = ()

    def fields(self, action_id: int) -> Mapping[int, Field]:
        """The data fields of an entry with an action. INVALID_ARGUMENT if the table has no such action."""
        if not action_id:
            return self.data
        action = self.actions.get(action_id)
        if action is None:
            raise invalid_argument(f"table {self.name}: it has no action {action_id:#x}")
        return {**action.fields, **self.data}

    def data_id(self, name: str) -> int | None:
        """The id of a common data field."""
        return next((f.id for f in self.data.values() if f.name == name), None)


@dataclass(frozen=True)
class Learn:
    """A digest and its fields, in order."""

    id: int
    name: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Info:
    """All of a bf-rt.json."""

    tables: Mapping[int, Table]
    learns: Mapping[int, Learn] = field(default_factory=dict)


def read_info(text: str | bytes) -> Info:
    """Raises INVALID_ARGUMENT if it is no bf-rt.json."""
    try:
        document = json.loads(text)
        tables = [_table(table) for table in document["tables"]]
        learns = [
            Learn(found["id"], found["name"], tuple(_field(f) for f in found["fields"]))
            for found in document.get("learn_filters", [])
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise invalid_argument(
            f"the BF Runtime info is no bf-rt.json: {type(error).__name__}: {error}"
        ) from error
    ids = [table.id for table in tables]
    if len(set(ids)) < len(ids):
        raise invalid_argument("the BF Runtime info has two tables with one id")
    return Info({t.id: t for t in tables}, {learn.id: learn for learn in learns})


def _table(found: Mapping[str, Any]) -> Table:
    actions = [
        Action(
            spec["id"],
            spec["name"],
            _by_id(spec["data"]),
            spec.get("action_scope") != "DefaultOnly",
            spec.get("action_scope") != "TableOnly",
        )
        for spec in found.get("action_specs", [])
    ]
    return Table(
        found["id"],
        found["name"],
        found["table_type"],
        found["size"],
        _by_id(found["key"]),
        {action.id: action for action in actions},
        _by_id(found["data"]),
        tuple(found.get("attributes", ())),
        tuple(found.get("supported_operations", ())),
        tuple(found.get("depends_on", ())),
    )


def _by_id(found: Sequence[Mapping[str, Any]]) -> Mapping[int, Field]:
    return {f.id: f for item in found for f in _fields(item)}


def _fields(item: Mapping[str, Any]) -> Iterator[Field]:
    if "oneof" in item:
        for choice in item["oneof"]:
            yield _field(choice)
    elif "singleton" in item:
        yield _field({**item["singleton"], **{k: item[k] for k in ("mandatory", "read_only") if k in item}})
    else:
        yield _field(item)


def _field(found: Mapping[str, Any]) -> Field:
    kind = found.get("type", {"type": "container"})
    word = kind["type"]
    width = _INTEGERS.get(word, kind.get("width", 0) if word == "bytes" else 0)
    match = found.get("match_type", "")
    return Field(
        found["id"],
        found["name"],
        "bytes" if width else "string" if word == "enum" else word,
        width,
        "Exact" if match == "ATCAM" else match,
        found.get("repeated", False),
        found.get("mandatory", False),
        found.get("read_only", False),
        kind.get("default_value"),
        tuple(kind.get("choices", ())),
        tuple(_by_id(found.get("container", ())).values()),
    )
