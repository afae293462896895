# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Ports that are down, and what is done without them (sections 9.2.2, 9.2.3 and 9.5.1).

Members of groups and actions of one-shots whose watch port is down are left out of the selection; a replica
gives way to the first of its backup replicas whose port is up. The engine knows nothing of this: it is given
the groups and replicas that remain, again whenever a port goes down or comes up. A group of which nothing
remains runs no action, as an empty group; a replica with backups of which none is up is not made. A replica
without backups is made whatever its port: the packet is lost behind egress, as in simple_switch.
"""

import logging
from collections.abc import Iterable

import mecn_native
from finsy.proto import p4r

from . import bytestring
from .pipeline import OneShot, Pipeline
from .schema import ActionProfile
from .status import StatusError, invalid_argument
from .translation import SDN_PORT_CPU

PORT_BITS = 9
"""Width of a port in v1model's standard metadata."""

_LOG = logging.getLogger(__name__)

Watching = p4r.ActionProfileGroup.Member | p4r.ActionProfileAction


def port_from_wire(pipeline: Pipeline, string: bytes, what: str) -> int:
    """The number of a port that a request names.

    By number (SDN_PORT_CPU is the CPU port) or, if the program translates ports to strings, by that string.
    """
    names = pipeline.schema.port_names
    if names is not None:
        return names.decode(string, PORT_BITS, what)
    if int.from_bytes(string, "big") == SDN_PORT_CPU and pipeline.ports.cpu_port is not None:
        return pipeline.ports.cpu_port
    return bytestring.decode(string, PORT_BITS, what)


def watch_port(pipeline: Pipeline, member: Watching, what: str) -> int | None:
    """The port that a member's liveness depends on.

    Raises INVALID_ARGUMENT or OUT_OF_RANGE if the device has no such port.
    """
    if member.watch_port:
        port = port_from_wire(pipeline, member.watch_port, f"{what}: watch_port")
    elif member.watch:  # before version 1.2 of the specification
        port = member.watch
    else:
        return None
    if not pipeline.ports.exists(port):
        raise invalid_argument(f"{what}: watch_port: the device has no port {port}")
    return port


def _is_live(pipeline: Pipeline, member: Watching) -> bool:
    port = watch_port(pipeline, member, "")
    return port is None or pipeline.ports.is_up(port)


def live_members(pipeline: Pipeline, group: p4r.ActionProfileGroup) -> list[tuple[int, int]]:
    """Members and weights of a group, without those whose watch port is down."""
    return [(m.member_id, m.weight) for m in group.members if _is_live(pipeline, m)]


def live_one_shot(pipeline: Pipeline, one_shot: OneShot) -> list[tuple[int, int]]:
    """The same of the group that a one-shot has made."""
    actions = zip(one_shot.members, one_shot.wire.action_profile_actions, strict=True)
    return [(member, action.weight) for member, action in actions if _is_live(pipeline, action)]


def live_replicas(pipeline: Pipeline, replicas: Iterable[p4r.Replica]) -> list[tuple[int, int]]:
    """Port and instance of each replica that is made. The replicas have been checked."""
    pairs = []
    for replica in replicas:
        primary = (replica_port(pipeline, replica, ""), replica.instance)
        backups = [
            (port_from_wire(pipeline, backup.port, ""), backup.instance) for backup in replica.backup_replicas
        ]
        if not backups:
            pairs.append(primary)
            continue
        up = (pair for pair in (primary, *backups) if pipeline.ports.is_up(pair[0]))
        pairs.extend([pair] if (pair := next(up, None)) is not None else [])
    return pairs


def replica_port(pipeline: Pipeline, replica: p4r.Replica, what: str) -> int:
    """The port of a replica, in either way of writing it."""
    if replica.HasField("port"):
        return port_from_wire(pipeline, replica.port, f"{what}: port of a replica")
    if replica.egress_port.bit_length() > PORT_BITS:
        raise invalid_argument(f"{what}: port {replica.egress_port} does not fit bit<{PORT_BITS}>")
    return replica.egress_port


def ports_changed(pipeline: Pipeline) -> None:
    """Gives the engine what remains of groups and replicas, after ports went down or came up."""
    switch = pipeline.switch
    try:
        for (profile_id, group_id), group in pipeline.groups.items():
            if _watches(group.members):
                name = _profile(pipeline, profile_id).name
                switch.modify_group(name, group_id, live_members(pipeline, group))
        for one_shot in pipeline.one_shots.values():
            if _watches(one_shot.wire.action_profile_actions):
                name = _profile(pipeline, one_shot.profile_id).name
                switch.modify_group(name, one_shot.group, live_one_shot(pipeline, one_shot))
        for number, entry in pipeline.multicast_groups.items():
            if _has_backups(entry.replicas):
                switch.set_multicast_group(number, live_replicas(pipeline, entry.replicas))
        for number, session in pipeline.clone_sessions.items():
            if _has_backups(session.replicas):
                switch.set_clone_session(number, session_config(pipeline, session))
    except (mecn_native.ControlError, StatusError):
        _LOG.exception("groups could not be changed after a port changed")


def session_config(pipeline: Pipeline, session: p4r.CloneSessionEntry) -> mecn_native.CloneSession:
    """What the engine does for a clone session now."""
    replicas = live_replicas(pipeline, session.replicas)
    return mecn_native.CloneSession(replicas, truncate=session.packet_length_bytes or None)


def _profile(pipeline: Pipeline, profile_id: int) -> ActionProfile:
    return pipeline.schema.action_profile(profile_id)


def _watches(members: Iterable[Watching]) -> bool:
    return any(member.watch_port or member.watch for member in members)


def _has_backups(replicas: Iterable[p4r.Replica]) -> bool:
    return any(replica.backup_replicas for replica in replicas)
