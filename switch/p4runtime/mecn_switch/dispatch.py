# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Which module sees to which kind of entity; and all of a pipeline's state as updates."""

from collections.abc import Iterator

from finsy.proto import p4r, rpc_code
from mecn_native import TableUpdate

from . import counters, direct, meters, profiles, registers, replication, tables, value_sets
from .pipeline import Pipeline
from .status import StatusError, invalid_argument
from .table_writes import write_table_entry


def write_entity(pipeline: Pipeline, update: p4r.Update) -> None:
    """Makes one update, whatever its entity."""
    kind, entity = update.type, update.entity
    match entity.WhichOneof("entity"):
        case "table_entry":
            write_table_entry(pipeline, kind, entity.table_entry)
        case "direct_counter_entry":
            direct.write_direct_counter_entry(pipeline, kind, entity.direct_counter_entry)
        case "direct_meter_entry":
            direct.write_direct_meter_entry(pipeline, kind, entity.direct_meter_entry)
        case "counter_entry":
            counters.write_counter_entry(pipeline, kind, entity.counter_entry)
        case "meter_entry":
            meters.write_meter_entry(pipeline, kind, entity.meter_entry)
        case "register_entry":
            registers.write_register_entry(pipeline, kind, entity.register_entry)
        case "action_profile_member":
            profiles.write_member(pipeline, kind, entity.action_profile_member)
        case "action_profile_group":
            profiles.write_group(pipeline, kind, entity.action_profile_group)
        case "packet_replication_engine_entry":
            replication.write_replication_entry(pipeline, kind, entity.packet_replication_engine_entry)
        case "value_set_entry":
            value_sets.write_value_set_entry(pipeline, kind, entity.value_set_entry)
        case "digest_entry":
            pipeline.digests.write(pipeline.schema, kind, entity.digest_entry)
        case other:
            raise _unsupported(other)


def read_entity(pipeline: Pipeline, query: p4r.Entity) -> Iterator[p4r.Entity]:
    """What one query selects, whatever its entity."""
    match query.WhichOneof("entity"):
        case "table_entry":
            for entry in tables.read_table_entries(pipeline, query.table_entry):
                yield p4r.Entity(table_entry=entry)
        case "direct_counter_entry":
            for counter in direct.read_direct_counter_entries(pipeline, query.direct_counter_entry):
                yield p4r.Entity(direct_counter_entry=counter)
        case "direct_meter_entry":
            for meter in direct.read_direct_meter_entries(pipeline, query.direct_meter_entry):
                yield p4r.Entity(direct_meter_entry=meter)
        case "counter_entry":
            for cell in counters.read_counter_entries(pipeline, query.counter_entry):
                yield p4r.Entity(counter_entry=cell)
        case "meter_entry":
            for meter_cell in meters.read_meter_entries(pipeline, query.meter_entry):
                yield p4r.Entity(meter_entry=meter_cell)
        case "register_entry":
            for register in registers.read_register_entries(pipeline, query.register_entry):
                yield p4r.Entity(register_entry=register)
        case "action_profile_member":
            for member in profiles.read_members(pipeline, query.action_profile_member):
                yield p4r.Entity(action_profile_member=member)
        case "action_profile_group":
            for group in profiles.read_groups(pipeline, query.action_profile_group):
                yield p4r.Entity(action_profile_group=group)
        case "packet_replication_engine_entry":
            copies = query.packet_replication_engine_entry
            for found in replication.read_replication_entries(pipeline, copies):
                yield p4r.Entity(packet_replication_engine_entry=found)
        case "value_set_entry":
            for value_set in value_sets.read_value_set_entries(pipeline, query.value_set_entry):
                yield p4r.Entity(value_set_entry=value_set)
        case "digest_entry":
            for digest in pipeline.digests.read(pipeline.schema, query.digest_entry):
                yield p4r.Entity(digest_entry=digest)
        case other:
            raise _unsupported(other)


def carry_over(old: Pipeline, new: Pipeline) -> None:
    """Writes the forwarding state of `old` into `new`; registers start afresh.

    Raises INVALID_ARGUMENT, naming the object, if `new` has no place for a part of it.
    """
    _forget_initial_entries(new)
    try:
        for update in _state_of(old):
            write_entity(new, update)
    except StatusError as error:
        raise invalid_argument(f"the forwarding state cannot be carried over: {error.message}") from error


def _forget_initial_entries(pipeline: Pipeline) -> None:
    """Entries that the program begins with and controllers may delete: those of the old pipeline count."""
    for table in pipeline.schema.tables.values():
        if not table.is_const:
            for entry in pipeline.switch.entries(table.name):
                pipeline.switch.update_tables([TableUpdate.Delete(table.name, entry.match, entry.priority)])


def _state_of(pipeline: Pipeline) -> Iterator[p4r.Update]:
    """In an order in which each part finds what it refers to."""
    for query in (
        p4r.Entity(action_profile_member=p4r.ActionProfileMember()),
        p4r.Entity(action_profile_group=p4r.ActionProfileGroup()),
        p4r.Entity(
            table_entry=p4r.TableEntry(counter_data=p4r.CounterData(), meter_config=p4r.MeterConfig())
        ),
        p4r.Entity(
            packet_replication_engine_entry=p4r.PacketReplicationEngineEntry(
                multicast_group_entry=p4r.MulticastGroupEntry()
            )
        ),
        p4r.Entity(
            packet_replication_engine_entry=p4r.PacketReplicationEngineEntry(
                clone_session_entry=p4r.CloneSessionEntry()
            )
        ),
        p4r.Entity(digest_entry=p4r.DigestEntry()),
    ):
        for entity in read_entity(pipeline, query):
            if not entity.table_entry.is_const:
                yield p4r.Update(type=p4r.Update.INSERT, entity=entity)
    for table in pipeline.schema.tables.values():
        if table.id in pipeline.default_cookies:
            query = p4r.Entity(table_entry=p4r.TableEntry(table_id=table.id, is_default_action=True))
            for entity in read_entity(pipeline, query):
                yield p4r.Update(type=p4r.Update.MODIFY, entity=entity)
    for query in (
        p4r.Entity(counter_entry=p4r.CounterEntry()),
        p4r.Entity(meter_entry=p4r.MeterEntry()),
        p4r.Entity(value_set_entry=p4r.ValueSetEntry()),
    ):
        for entity in read_entity(pipeline, query):
            if _is_set(entity):
                yield p4r.Update(type=p4r.Update.MODIFY, entity=entity)


def _is_set(entity: p4r.Entity) -> bool:
    """Whether a cell or value set is not as it is in a new pipeline."""
    data = entity.counter_entry.data
    return bool(
        data.packet_count
        or data.byte_count
        or entity.meter_entry.HasField("config")
        or entity.value_set_entry.members
    )


def _unsupported(entity: str | None) -> StatusError:
    if entity is None:
        return invalid_argument("the request has an empty entity")
    return StatusError(rpc_code.UNIMPLEMENTED, "externs beyond those of v1model are not supported")
