# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Tables whose entries are the cells of an array, which are always there: counters, registers, meters."""

from collections.abc import Callable, Iterable, Iterator

import mecn_native
from finsy.proto import rpc_code
from mecn_native import MatchField

from ..status import StatusError, invalid_argument
from .info import Field, Table
from .meters import MeterFields
from .model import Context, Entry, Model, program_name
from .values import Data, Key


class Array(Model):
    """An array. A write without a key, or with an index that is not there, is refused."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self.name = program_name(table.name)

    def read(self, index: int) -> Data:
        """The data of a cell."""
        raise NotImplementedError

    def write(self, index: int, data: Data) -> None:
        """Sets the fields of a cell that are given."""
        raise NotImplementedError

    def reset(self, index: int) -> None:
        """Sets a cell to what it is at first."""
        self.write(index, {f.id: f.default or 0 for f in self.table.data.values()})

    def _index(self, key: Key) -> int:
        index = self.number(key)
        if index >= self.table.size:
            raise StatusError(
                rpc_code.INVALID_ARGUMENT, f"{self.what}: index {index} is not in 0..{self.table.size - 1}"
            )
        return index

    def add(self, entry: Entry) -> None:
        """As `modify`: cells are always there."""
        self.modify(entry)

    def modify(self, entry: Entry) -> None:
        """See `Model.modify`."""
        assert entry.key is not None
        try:
            self.write(self._index(entry.key), entry.data)
        except mecn_native.ControlError as error:
            raise self.refused(error) from error

    def clear(self) -> None:
        """See `Model.clear`."""
        for index in range(self.table.size):
            self.reset(index)

    def get(self, key: Key) -> Entry:
        """See `Model.get`."""
        index = self._index(key)
        try:
            return Entry((MatchField.Exact(index),), 0, self.read(index))
        except mecn_native.ControlError as error:
            raise self.refused(error) from error

    def entries(self) -> Iterator[Entry]:
        """See `Model.entries`."""
        return (self.get((MatchField.Exact(index),)) for index in range(self.table.size))

    def usage(self) -> int:
        """See `Model.usage`."""
        return self.table.size

    def snapshot(self) -> Callable[[], None]:
        """See `Model.snapshot`."""
        before = [self.read(index) for index in range(self.table.size)]

        def restore() -> None:
            for index, data in enumerate(before):
                if self.read(index) != data:
                    self.write(index, data)

        return restore


class Counter(Array):
    """Packets, bytes or both."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self._fields = [table.data_id(f"$COUNTER_SPEC_{unit}") for unit in ("PKTS", "BYTES")]

    def read(self, index: int) -> Data:
        """See `Array.read`."""
        counts = self.switch.counter_read(self.name, index)
        return {f: count for f, count in zip(self._fields, counts, strict=True) if f is not None}

    def write(self, index: int, data: Data) -> None:
        """See `Array.write`."""
        before = self.switch.counter_read(self.name, index)
        packets, octets = (
            data.get(f, old) if f is not None else old for f, old in zip(self._fields, before, strict=True)
        )
        self.switch.counter_write(self.name, index, packets, octets)


class Cells:
    """Registers' data fields, with one array of the engine for each: the register's own name, or NAME.FIELD
    if its values are structs. There is one pipeline, so a read gives one value, in a list as from a device
    with several."""

    def __init__(self, table: Table, fields: Iterable[Field], switch: mecn_native.Switch) -> None:
        self._switch = switch
        self._arrays: dict[int, str] = {}
        known = {r.name: r.width for r in switch.registers()}
        for field in fields:
            names, width = (field.name, field.name.removesuffix(".f1")), field.width or 1
            name = next((n for n in names if known.get(n) == width), None)
            if name is None:
                raise invalid_argument(
                    f"table {table.name}: the program has no register {names[1]} of {width} bits"
                )
            self._arrays[field.id] = name

    def read(self, index: int) -> Data:
        """The fields of an element."""
        return {f: [self._switch.register_read(name, index)] for f, name in self._arrays.items()}

    def write(self, index: int, data: Data) -> None:
        """Sets the fields that are given and are registers'."""
        for field_id in self._arrays.keys() & data.keys():
            value = data[field_id]
            number = value[0] if isinstance(value, list) else int(value)
            self._switch.register_write(self._arrays[field_id], index, number)


class Register(Array):
    """An array of numbers or structs."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self._cells = Cells(table, table.data.values(), context.switch)

    def read(self, index: int) -> Data:
        """See `Array.read`."""
        return self._cells.read(index)

    def write(self, index: int, data: Data) -> None:
        """See `Array.write`."""
        self._cells.write(index, data)


class Meter(Array):
    """Two rates, three colours."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self._meter = MeterFields(table.data)
        self._written: dict[int, Data] = {}

    def read(self, index: int) -> Data:
        """See `Array.read`."""
        return self._meter.to_data(self._written.get(index, {}))

    def write(self, index: int, data: Data) -> None:
        """See `Array.write`."""
        new = {**self.read(index), **data}
        self.switch.meter_write(self.name, index, self._meter.config(self.what, new))
        self._written[index] = new
