# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Entries as BF Runtime has them, and a Tofino as a target.

Written from BF Runtime's data model and the tables of p4src/mecn_tna.p4, and tested against a description
of those tables by hand; no SDE and no device was at hand. What speaks gRPC to a device is not part of this:
`BfrtClient` says what is asked of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from mecn_controller.applying import ProfileWriter
from mecn_controller.entries import Entry, Exact, Lpm, Match, Range, Ternary, describe
from mecn_controller.errors import PipelineError, SwitchError, WriteError
from mecn_controller.targets.tna import LPF_INDEX, LPF_TIME_CONSTANT, Tna

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PIPE = "pipe."
"""Stands before every name of the program."""
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


def to_bfrt(entry: Entry, key_fields: Mapping[str, str]) -> BfrtEntry:
    """An entry in BF Runtime's terms. `key_fields`: of its table, each with `Exact`, `Ternary`, `Range`...

    BF Runtime wants every key field: one that matches everything has mask 0.
    """
    key: dict[str, KeyField] = {name: _key(match) for name, match in entry.match}
    for name, kind in key_fields.items():
        if name == MATCH_PRIORITY:
            key[name] = {"value": PRIORITY_BASE - entry.priority}
        elif name not in key and kind == "Ternary":
            key[name] = {"value": 0, "mask": 0}
    if not entry.action:
        constant = float(entry.param(LPF_TIME_CONSTANT))
        data: Data = {LPF_TYPE: "SAMPLE", LPF_GAIN: constant, LPF_DECAY: constant, LPF_SCALE: 0}
        return BfrtEntry(PIPE + entry.table, key, "", data)
    return BfrtEntry(PIPE + entry.table, key, PIPE + entry.action, dict(entry.params))


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
    return Entry(table, tuple(match), found.action.removeprefix(PIPE), tuple(params), priority)


class TofinoSwitch(ProfileWriter):
    """A Tofino behind a client.

    `tables`: key fields (name, kind of match) of each table, as the program's bfrt.json has them.
    """

    def __init__(
        self, client: BfrtClient, tables: Mapping[str, Mapping[str, str]], dialect: Tna | None = None
    ) -> None:
        self.address = client.name
        self.dialect = dialect or Tna()
        self._client = client
        self._tables = tables

    def check_entry(self, entry: Entry) -> None:
        """PipelineError if the program has no such table, or a key field of another kind."""
        fields = self._tables.get(PIPE + entry.table)
        if fields is None or any(name not in fields for name, _ in entry.match):
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
        for entry in entries:
            key = to_bfrt(entry, self._tables[PIPE + entry.table]).key
            before += [from_bfrt(found) for found in self._client.read(PIPE + entry.table, [key])]
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
