# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Registers (section 9.9): write and read."""

from collections.abc import Iterator

import mecn_native
from finsy.proto import p4r

from .cells import cells
from .pipeline import Pipeline
from .schema import Register
from .status import from_engine, invalid_argument


def write_register_entry(
    pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.RegisterEntry
) -> None:
    """Sets one cell or, without an index, all cells of a register."""
    if kind != p4r.Update.MODIFY:
        raise invalid_argument("a register entry can only be modified")
    register = pipeline.schema.register(entry.register_id)
    indexes = cells(f"register {register.name}", register.size, entry)
    if not entry.HasField("data"):
        raise invalid_argument(f"register {register.name}: the request has no data")
    [value] = register.data_type().decode(entry.data, f"register {register.name}")
    try:
        for index in indexes:
            pipeline.switch.register_write(register.name, index, value)
    except mecn_native.ControlError as error:
        raise from_engine(f"register {register.name}", error) from error


def read_register_entries(pipeline: Pipeline, query: p4r.RegisterEntry) -> Iterator[p4r.RegisterEntry]:
    """One cell, all cells of a register, or (id 0) all cells of all registers."""
    for register in _selected(pipeline, query):
        data_type = register.data_type()
        for index in cells(f"register {register.name}", register.size, query):
            value = pipeline.switch.register_read(register.name, index)
            yield p4r.RegisterEntry(
                register_id=register.id, index=p4r.Index(index=index), data=data_type.encode(iter([value]))
            )


def _selected(pipeline: Pipeline, query: p4r.RegisterEntry) -> list[Register]:
    if query.register_id:
        return [pipeline.schema.register(query.register_id)]
    if query.HasField("index"):
        raise invalid_argument("a query without a register id cannot have an index")
    return list(pipeline.schema.registers.values())
