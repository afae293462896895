# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Parser value sets (section 9.8): write and read."""

from collections.abc import Iterator

import mecn_native
from finsy.proto import p4r, rpc_code

from .pipeline import Pipeline
from .status import StatusError, from_engine, invalid_argument
from .translate import fields_from_wire, fields_to_wire


def write_value_set_entry(
    pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.ValueSetEntry
) -> None:
    """Replaces the members of a value set."""
    if kind != p4r.Update.MODIFY:
        raise invalid_argument("a value set entry can only be modified")
    value_set = pipeline.schema.value_set(entry.value_set_id)
    what = f"value set {value_set.name}"
    if len(entry.members) > value_set.size:
        raise StatusError(
            rpc_code.RESOURCE_EXHAUSTED, f"{what} holds {value_set.size} members, not {len(entry.members)}"
        )
    members = [fields_from_wire(what, value_set.fields, member.match) for member in entry.members]
    if len(set(members)) != len(members):
        raise StatusError(rpc_code.ALREADY_EXISTS, f"{what}: a member is given twice")
    try:
        pipeline.switch.value_set_write(value_set.name, members)
    except mecn_native.ControlError as error:
        raise from_engine(what, error) from error


def read_value_set_entries(pipeline: Pipeline, query: p4r.ValueSetEntry) -> Iterator[p4r.ValueSetEntry]:
    """One value set or (id 0) all."""
    schema = pipeline.schema
    sets = [schema.value_set(query.value_set_id)] if query.value_set_id else list(schema.value_sets.values())
    for value_set in sets:
        members = [
            p4r.ValueSetMember(match=fields_to_wire(value_set.fields, member))
            for member in pipeline.switch.value_set_read(value_set.name)
        ]
        yield p4r.ValueSetEntry(value_set_id=value_set.id, members=members)
