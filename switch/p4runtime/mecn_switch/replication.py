# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Multicast groups and clone sessions (section 9.5): write and read."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

import mecn_native
from finsy.proto import p4r, rpc_code

from .liveness import live_replicas, port_from_wire, replica_port, session_config
from .pipeline import Pipeline
from .status import StatusError, from_engine, invalid_argument

INSTANCE_BITS = 16
GROUP_BITS = 16
"""Widths of egress_rid and mcast_grp in v1model's standard metadata."""

Entry = p4r.PacketReplicationEngineEntry

_T = TypeVar("_T")


def write_replication_entry(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: Entry) -> None:
    """Inserts, modifies or deletes a multicast group or a clone session."""
    try:
        match entry.WhichOneof("type"):
            case "multicast_group_entry":
                _write_group(pipeline, kind, entry.multicast_group_entry)
            case "clone_session_entry":
                _write_session(pipeline, kind, entry.clone_session_entry)
            case _:
                raise invalid_argument("the entry is neither a multicast group nor a clone session")
    except mecn_native.ControlError as error:
        raise from_engine("packet replication engine", error) from error


def read_replication_entries(pipeline: Pipeline, query: Entry) -> Iterator[Entry]:
    """One group or session, or (id 0) all groups or all sessions."""
    match query.WhichOneof("type"):
        case "multicast_group_entry":
            group_id = query.multicast_group_entry.multicast_group_id
            for group in _selected(pipeline.multicast_groups, group_id):
                yield Entry(multicast_group_entry=group)
        case "clone_session_entry":
            session_id = query.clone_session_entry.session_id
            for session in _selected(pipeline.clone_sessions, session_id):
                yield Entry(clone_session_entry=session)
        case _:
            raise invalid_argument("the query is neither for multicast groups nor for clone sessions")


def _selected(entries: dict[int, _T], wanted: int) -> Iterable[_T]:
    if wanted:
        return [entries[wanted]] if wanted in entries else []
    return [entries[number] for number in sorted(entries)]


def _write_group(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.MulticastGroupEntry) -> None:
    group = entry.multicast_group_id
    if not 0 < group < 1 << GROUP_BITS:
        raise invalid_argument(f"multicast group {group} is not in 1..{(1 << GROUP_BITS) - 1}")
    _check_existence(kind, f"multicast group {group}", group in pipeline.multicast_groups)
    if kind == p4r.Update.DELETE:
        pipeline.switch.delete_multicast_group(group)
        del pipeline.multicast_groups[group]
        return
    _check_replicas(pipeline, f"multicast group {group}", entry.replicas)
    pipeline.switch.set_multicast_group(group, live_replicas(pipeline, entry.replicas))
    kept = p4r.MulticastGroupEntry()
    kept.CopyFrom(entry)
    pipeline.multicast_groups[group] = kept


def _write_session(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.CloneSessionEntry) -> None:
    session = entry.session_id
    what = f"clone session {session}"
    if session == 0:
        raise invalid_argument("clone session 0 cannot be written: 0 stands for all sessions in reads")
    _check_existence(kind, what, session in pipeline.clone_sessions)
    if kind == p4r.Update.DELETE:
        pipeline.switch.delete_clone_session(session)
        del pipeline.clone_sessions[session]
        return
    if entry.class_of_service:
        raise StatusError(
            rpc_code.UNIMPLEMENTED, f"{what}: classes of service other than 0 are not supported"
        )
    if entry.packet_length_bytes < 0:
        raise invalid_argument(f"{what}: packet_length_bytes {entry.packet_length_bytes} is negative")
    _check_replicas(pipeline, what, entry.replicas)
    pipeline.switch.set_clone_session(session, session_config(pipeline, entry))
    kept = p4r.CloneSessionEntry()
    kept.CopyFrom(entry)
    pipeline.clone_sessions[session] = kept


def _check_existence(kind: p4r.Update.Type.ValueType, what: str, exists: bool) -> None:
    if kind == p4r.Update.INSERT and exists:
        raise StatusError(rpc_code.ALREADY_EXISTS, f"{what} exists")
    if kind != p4r.Update.INSERT and not exists:
        raise StatusError(rpc_code.NOT_FOUND, f"there is no {what}")


def _check_replicas(pipeline: Pipeline, what: str, replicas: Iterable[p4r.Replica]) -> None:
    """Raises what replicas and their backups are refused for."""
    pairs: set[tuple[int, int]] = set()
    for replica in replicas:
        if replica.WhichOneof("port_kind") is None:
            raise invalid_argument(f"{what}: a replica has no port")
        port = replica_port(pipeline, replica, what)
        _check_pair(what, pairs, port, replica.instance)
        for backup in replica.backup_replicas:
            other = port_from_wire(pipeline, backup.port, f"{what}: port of a backup replica")
            if other == port:
                raise invalid_argument(f"{what}: a replica and its backup have the same port {port}")
            _check_pair(what, pairs, other, backup.instance)


def _check_pair(what: str, pairs: set[tuple[int, int]], port: int, instance: int) -> None:
    if instance.bit_length() > INSTANCE_BITS:
        raise invalid_argument(f"{what}: instance {instance} does not fit bit<{INSTANCE_BITS}>")
    if (port, instance) in pairs:
        raise invalid_argument(f"{what}: port {port} with instance {instance} is named twice")
    pairs.add((port, instance))
