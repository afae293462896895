# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What an entity refers to, whatever its kind."""

from finsy.proto import p4r


def object_id_of(entity: p4r.Entity) -> int | None:
    """P4Info id of the object that an entity belongs to; a direct resource belongs to its table.

    None for multicast groups and clone sessions, which the P4Info does not list, and for an empty entity.
    """
    match entity.WhichOneof("entity"):
        case "table_entry":
            return entity.table_entry.table_id
        case "direct_counter_entry":
            return entity.direct_counter_entry.table_entry.table_id
        case "direct_meter_entry":
            return entity.direct_meter_entry.table_entry.table_id
        case "counter_entry":
            return entity.counter_entry.counter_id
        case "meter_entry":
            return entity.meter_entry.meter_id
        case "register_entry":
            return entity.register_entry.register_id
        case "action_profile_member":
            return entity.action_profile_member.action_profile_id
        case "action_profile_group":
            return entity.action_profile_group.action_profile_id
        case "value_set_entry":
            return entity.value_set_entry.value_set_id
        case "digest_entry":
            return entity.digest_entry.digest_id
        case "extern_entry":
            return entity.extern_entry.extern_id
        case _:
            return None


def describe(entity: p4r.Entity) -> str:
    """Kind and id of an entity, for error messages."""
    kind = (entity.WhichOneof("entity") or "empty entity").replace("_", " ")
    object_id = object_id_of(entity)
    return kind if object_id is None else f"{kind} of object {object_id:#x}"
