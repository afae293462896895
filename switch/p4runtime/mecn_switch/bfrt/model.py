# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a table of BF Runtime can do, and what all tables have in common."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import mecn_native
from finsy.proto import rpc_code

from ..port_states import PortStates
from ..status import StatusError, from_engine, invalid_argument
from .info import Field, Info, Table
from .values import Data, Key


@dataclass(frozen=True)
class Entry:
    """An entry: action 0 is none; the default entry has no key."""

    key: Key | None
    action: int = 0
    data: Data = field(default_factory=dict)


@dataclass
class Context:
    """What tables work on."""

    info: Info
    switch: mecn_native.Switch
    now_ns: Callable[[], int]
    ports: PortStates
    configure_port: Callable[..., object]
    """As `Switch.configure_port`, on whatever carries the packets."""


class Model:
    """A table. Methods that a kind of table does not have are refused."""

    resources: ClassVar[tuple[str, ...]] = ()

    def __init__(self, table: Table, context: Context) -> None:
        self.table = table
        self.context = context

    @property
    def switch(self) -> mecn_native.Switch:
        """The engine."""
        return self.context.switch

    @property
    def what(self) -> str:
        """For messages."""
        return f"table {self.table.name}"

    def add(self, entry: Entry) -> None:
        """Adds an entry. ALREADY_EXISTS if there is one with its key."""
        del entry
        raise self.unsupported("entries cannot be added")

    def modify(self, entry: Entry) -> None:
        """Changes the data that are given. NOT_FOUND if there is no entry with this key."""
        del entry
        raise self.unsupported("entries cannot be modified")

    def modify_inc(self, entry: Entry, *, delete: bool) -> None:
        """Adds the given data to those that are there, or takes them away."""
        del entry, delete
        raise self.unsupported("entries cannot be modified incrementally")

    def delete(self, key: Key) -> None:
        """Deletes an entry. NOT_FOUND if there is none."""
        del key
        raise self.unsupported("entries cannot be deleted")

    def clear(self) -> None:
        """Deletes all entries, or sets all to what they are at first."""
        raise self.unsupported("it cannot be cleared")

    def get(self, key: Key) -> Entry:
        """NOT_FOUND if there is none."""
        del key
        raise self.unsupported("entries cannot be read")

    def entries(self) -> Iterable[Entry]:
        """All entries but the default one."""
        raise self.unsupported("entries cannot be read")

    def usage(self) -> int:
        """How many entries there are."""
        return sum(1 for _ in self.entries())

    def set_default(self, entry: Entry) -> None:
        """Replaces the default entry."""
        del entry
        raise self.unsupported("it has no default entry")

    def reset_default(self) -> None:
        """Restores the program's default entry."""
        raise self.unsupported("it has no default entry")

    def get_default(self) -> Entry | None:
        """The default entry."""
        raise self.unsupported("it has no default entry")

    def operate(self, operation: str) -> None:
        """Executes one of `supported_operations`. All values are read from the engine as they are: there is
        nothing to be brought up to date."""
        if operation not in self.table.operations:
            raise invalid_argument(f"{self.what}: it has no operation {operation!r}")

    def snapshot(self) -> Callable[[], None]:
        """Notes all state and returns what restores it, for batches that are undone."""
        raise self.unsupported("a batch with it cannot be undone")

    def unsupported(self, why: str) -> StatusError:
        """UNIMPLEMENTED."""
        return StatusError(rpc_code.UNIMPLEMENTED, f"{self.what}: {why}")

    def not_found(self) -> StatusError:
        """NOT_FOUND."""
        return StatusError(rpc_code.NOT_FOUND, f"{self.what}: Object not found")

    def already_exists(self) -> StatusError:
        """ALREADY_EXISTS."""
        return StatusError(rpc_code.ALREADY_EXISTS, f"{self.what}: Already exists")

    def refused(self, error: mecn_native.ControlError) -> StatusError:
        """The engine's refusal."""
        return from_engine(self.what, error)

    def number(self, key: Key, index: int = 0) -> int:
        """The value of an exact key field."""
        match key[index]:
            case mecn_native.MatchField.Exact(value):
                return value
        raise invalid_argument(f"{self.what}: key field {index} is not exact")

    def require(self, entry: Entry) -> None:
        """INVALID_ARGUMENT if a field is missing that a new entry must have."""
        fields = self.table.fields(entry.action)
        missing = [f.name for f in fields.values() if f.mandatory and f.id not in entry.data]
        if missing:
            raise invalid_argument(f"{self.what}: data field {missing[0]} is missing")

    def named(self, data: Data, fields: Mapping[int, Field]) -> dict[str, Any]:
        """Data by the names of their fields."""
        return {fields[field_id].name: value for field_id, value in data.items()}


class Kept(Model):
    """A table whose entries are kept as they were written, and applied as a whole after each change."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self.kept: dict[Key, Entry] = {}

    def apply(self, key: Key) -> None:
        """Brings the engine in line with the entry of a key, or with its absence. Raises what it refuses."""

    def _store(self, key: Key, entry: Entry | None) -> None:
        before = self.kept.get(key)
        if entry is None:
            del self.kept[key]
        else:
            self.kept[key] = entry
        try:
            self.apply(key)
        except (StatusError, mecn_native.ControlError) as error:
            if before is None:
                self.kept.pop(key, None)
            else:
                self.kept[key] = before
            if isinstance(error, StatusError):
                raise
            raise self.refused(error) from error

    def defaults(self) -> Data:
        """What an entry has that does not say."""
        return {f.id: f.default for f in self.table.data.values() if f.default is not None}

    def add(self, entry: Entry) -> None:
        """See `Model.add`."""
        assert entry.key is not None
        if entry.key in self.kept:
            raise self.already_exists()
        if len(self.kept) >= self.table.size:
            raise StatusError(rpc_code.RESOURCE_EXHAUSTED, f"{self.what}: it holds {self.table.size} entries")
        self.require(entry)
        self._store(entry.key, Entry(entry.key, entry.action, {**self.defaults(), **entry.data}))

    def modify(self, entry: Entry) -> None:
        """See `Model.modify`."""
        assert entry.key is not None
        before = self.kept.get(entry.key)
        if before is None:
            raise self.not_found()
        action = entry.action or before.action
        known = self.table.fields(action)
        data = {k: v for k, v in before.data.items() if k in known}
        self._store(entry.key, Entry(entry.key, action, {**data, **entry.data}))

    def delete(self, key: Key) -> None:
        """See `Model.delete`."""
        if key not in self.kept:
            raise self.not_found()
        self._store(key, None)

    def clear(self) -> None:
        """See `Model.clear`."""
        for key in list(self.kept):
            self._store(key, None)

    def get(self, key: Key) -> Entry:
        """See `Model.get`."""
        if key not in self.kept:
            raise self.not_found()
        return self.kept[key]

    def entries(self) -> Iterator[Entry]:
        """See `Model.entries`."""
        return (self.get(key) for key in list(self.kept))

    def snapshot(self) -> Callable[[], None]:
        """See `Model.snapshot`."""
        before = dict(self.kept)

        def restore() -> None:
            touched = [k for k in {**before, **self.kept} if before.get(k) != self.kept.get(k)]
            for key in touched:
                if key in before:
                    self._store(key, before[key])
                elif key in self.kept:
                    self._store(key, None)

        return restore


def by_name(fields: Mapping[int, Field]) -> dict[str, int]:
    """Ids of fields by name."""
    return {field.name: field.id for field in fields.values()}


def program_name(name: str) -> str:
    """The engine's name of an object: without the pipeline's."""
    return name.partition(".")[2]
