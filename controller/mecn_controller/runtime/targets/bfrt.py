# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Entries as BF Runtime has them, and a Tofino as a target.

Written from BF Runtime's data model, and tested against the description of p4src/mecn_tna.p4 that p4c writes
(bfrt.json); no SDE and no device was at hand. `BfrtClient` says what is asked of what speaks to a device;
`bfrt_client` speaks gRPC.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from mecn_controller.errors import PipelineError, SwitchError, WriteError
from mecn_controller.policy.entries import Entry, Exact, Lpm, Match, Range, Ternary, describe
from mecn_controller.runtime.targets.tna import LPF_INDEX, LPF_TIME_CONSTANT, Tna
from mecn_controller.runtime.writer import ProfileWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PIPE = "pipe."
"""Stands before the name of each of the program's tables, and not before those of actions."""
MATCH_PRIORITY = "$MATCH_PRIORITY"
PRIORITY_BASE = 1 << 20
"""In BF Runtime the lower priority wins, in P4Runtime the higher; one is this less the other."""
LPF_TYPE = "$LPF_SPEC_TYPE"
LPF_GAIN = "$LPF_SPEC_GAIN_TIME_CONSTANT_NS"
LPF_DECAY = "$LPF_SPEC_DECAY_TIME_CONSTANT_NS"
LPF_SCALE = "$LPF_SPEC_OUT_SCALE_DOWN_FACTOR"

KeyField: TypeAlias = dict[str, int]
"""`value`; `value` and `mask`; `value` and `prefix_len`; `low` and `high`."""
Data: TypeAlias = dict[str, int | float | str]
Operation = Literal["add", "mod", "del"]


@dataclass(frozen=True)
class BfrtEntry:
    """An entry of a table: key fields, action with data fields. Tables of the hardware have no action."""

    table: str
    key: dict[str, KeyField]
    action: str = ""
    data: Data = field(default_factory=dict)


@dataclass(frozen=True)
class BfrtField:
    """A field of a key or of data: kind of match (empty for data), and width in bits; 0: no number."""

    kind: str
    width: int


@dataclass(frozen=True)
class BfrtTable:
    """A table of bfrt.json: key fields, and data fields by action, which is "" for tables of the hardware."""

    size: int
    keys: Mapping[str, BfrtField]
    actions: Mapping[str, Mapping[str, BfrtField]]


def read_tables(bfrt_json: str) -> dict[str, BfrtTable]:
    """The program's tables and filters in a bfrt.json, as p4c writes it, by name."""
    return {
        table["name"]: BfrtTable(
            table["size"],
            dict(map(_field, table["key"])),
            {action["name"]: dict(map(_field, action["data"])) for action in table.get("action_specs", [])}
            or {"": dict(_field(data["singleton"]) for data in table["data"])},
        )
        for table in json.loads(bfrt_json)["tables"]
        if table["table_type"] in ("MatchAction_Direct", "Lpf")
    }


def _field(found: Mapping[str, Any]) -> tuple[str, BfrtField]:
    kind = found["type"]["type"]
    width = found["type"].get("width", int(kind[4:]) if kind.startswith("uint") else 0)
    return found["name"], BfrtField(found.get("match_type", ""), width)


class BfrtError(Exception):
    """What a device answers to a request that it refuses; `index`: of the entry."""

    def __init__(self, index: int, message: str) -> None:
        self.index = index
        super().__init__(message)


class BfrtClient(Protocol):
    """What stands between entries and BfRuntime's gRPC service (Write and Read of TableEntry)."""

    name: str

    def write(self, operation: Operation, entries: Sequence[BfrtEntry]) -> None:
        """All of them or, with BfrtError, those before the one that was refused. An index of the hardware
        is only modified, as it always exists."""

    def read(self, table: str, keys: Sequence[dict[str, KeyField]] | None = None) -> list[BfrtEntry]:
        """All entries of a table but the default one, or those with these keys."""


def _key(match: Match) -> KeyField:
    match match:
        case Exact(value):
            return {"value": value}
        case Lpm(value, prefix_len):
            return {"value": value, "prefix_len": prefix_len}
        case Ternary(value, mask):
            return {"value": value, "mask": mask}
        case Range(low, high):
            return {"low": low, "high": high}


def _match(key: Mapping[str, int]) -> Match:
    if "mask" in key:
        return Ternary(key["value"], key["mask"])
    if "prefix_len" in key:
        return Lpm(key["value"], key["prefix_len"])
    if "low" in key:
        return Range(key["low"], key["high"])
    return Exact(key["value"])


def to_bfrt(entry: Entry, table: BfrtTable) -> BfrtEntry:
    """An entry of that table in BF Runtime's terms.

    BF Runtime wants every key field: one that matches everything has mask 0.
    """
    key: dict[str, KeyField] = {name: _key(match) for name, match in entry.match}
    for name, wanted in table.keys.items():
        if name == MATCH_PRIORITY:
            key[name] = {"value": PRIORITY_BASE - entry.priority}
        elif name not in key and wanted.kind == "Ternary":
            key[name] = {"value": 0, "mask": 0}
    if not entry.action:
        constant = float(entry.param(LPF_TIME_CONSTANT))
        data: Data = {LPF_TYPE: "SAMPLE", LPF_GAIN: constant, LPF_DECAY: constant, LPF_SCALE: 0}
        return BfrtEntry(PIPE + entry.table, key, "", data)
    return BfrtEntry(PIPE + entry.table, key, entry.action, dict(entry.params))


def from_bfrt(found: BfrtEntry) -> Entry:
    """The inverse of `to_bfrt`. ValueError on an entry that this controller never writes."""
    priority = 0
    match = []
    for name, key in found.key.items():
        if name == MATCH_PRIORITY:
            priority = PRIORITY_BASE - key["value"]
        elif key.get("mask") != 0:
            match.append((name, _match(key)))
    table = found.table.removeprefix(PIPE)
    if LPF_INDEX in found.key:
        if found.data[LPF_GAIN] != found.data[LPF_DECAY]:
            raise ValueError(f"{found.table}: gain and decay differ")
        return Entry(table, tuple(match), "", ((LPF_TIME_CONSTANT, round(float(found.data[LPF_GAIN]))),))
    params = []
    for name, value in found.data.items():
        if not isinstance(value, int):
            raise ValueError(f"{found.table}: {name} is {value!r}, not a number")
        params.append((name, value))
    return Entry(table, tuple(match), found.action, tuple(params), priority)


PARTS = {
    "Exact": {"value"},
    "Ternary": {"value", "mask"},
    "LPM": {"value", "prefix_len"},
    "Range": {"low", "high"},
}
"""What a key field holds, by kind of match."""


def _fits(entry: BfrtEntry, table: BfrtTable) -> bool:
    data = table.actions.get(entry.action)
    return (
        entry.key.keys() == table.keys.keys()
        and all(
            part.keys() == PARTS[table.keys[name].kind] and _all_fit(part.values(), table.keys[name].width)
            for name, part in entry.key.items()
        )
        and data is not None
        and entry.data.keys() == data.keys()
        and all(
            _all_fit([value], data[name].width)
            for name, value in entry.data.items()
            if isinstance(value, int)
        )
    )


def _all_fit(values: Iterable[int], width: int) -> bool:
    return all(0 <= value < 1 << width for value in values)


class TofinoSwitch(ProfileWriter):
    """A Tofino behind a client. `tables`: those of the program, from its bfrt.json (`read_tables`)."""

    def __init__(
        self, client: BfrtClient, tables: Mapping[str, BfrtTable], dialect: Tna | None = None
    ) -> None:
        self.address = client.name
        self.dialect = dialect or Tna()
        self._client = client
        self._tables = tables

    def check_entry(self, entry: Entry) -> None:
        """PipelineError if the program has no such table, key field, action or parameter."""
        table = self._tables.get(PIPE + entry.table)
        if table is None or not _fits(to_bfrt(entry, table), table):
            raise PipelineError(self.address, f"the program does not have {describe(entry)}")

    async def read(self, tables: Iterable[str]) -> list[Entry]:
        """See `Target.read`."""
        try:
            return [from_bfrt(found) for table in tables for found in self._client.read(PIPE + table)]
        except (ValueError, BfrtError) as error:
            raise SwitchError(self.address, f"an entry cannot be read: {error}") from None

    async def insert(self, entries: Sequence[Entry]) -> None:
        """See `Target.insert`."""
        self._write("add", entries)

    async def modify(self, entries: Sequence[Entry]) -> None:
        """See `Target.modify`."""
        self._write("mod", entries)

    async def delete(self, entries: Sequence[Entry]) -> None:
        """See `Target.delete`."""
        self._write("del", entries)

    async def read_queues(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """How the filters of these queues are set."""
        before = []
        try:
            for entry in entries:
                key = to_bfrt(entry, self._tables[PIPE + entry.table]).key
                before += [from_bfrt(found) for found in self._client.read(PIPE + entry.table, [key])]
        except BfrtError as error:
            raise SwitchError(self.address, f"a filter cannot be read: {error}") from None
        return before

    async def set_queues(self, entries: Sequence[Entry]) -> None:
        """Set the filters of queues."""
        self._write("mod", entries)

    def _write(self, operation: Operation, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        try:
            self._client.write(operation, [to_bfrt(e, self._tables[PIPE + e.table]) for e in entries])
        except BfrtError as error:
            where = describe(entries[error.index])
            raise WriteError(self.address, f"the switch refused to {operation} {where}: {error}") from None
