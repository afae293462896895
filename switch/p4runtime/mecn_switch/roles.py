# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Roles: what a group of controllers may do, and which of them is primary (sections 5.2 to 5.4).

The specification leaves the format of `role.config` to client and server. Here it is Stratum's
`P4RoleConfig`, which finsy and other clients ship:

    exclusive_p4_ids      objects that the role writes and no other role names
    shared_p4_ids         objects that the role writes beside other roles
    receives_packet_ins   whether the role takes part in packet I/O, in both directions
    packet_in_filter      one value of one metadata field that a packet-in must have
    can_push_pipeline     whether the role may set the pipeline config

An id is that of a table (with its entries, direct counters and meters), action profile, counter, meter,
register, value set or digest. A role with a config reads only what it may write. Multicast groups and clone
sessions have no id, so only roles without a config reach them.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from finsy.proto import p4r, rpc_code, stratum
from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError

from .arbitration import Election, Notice
from .budgets import ROLE_CONFIG_BYTES, ROLE_NAME_CHARACTERS, ROLES
from .status import StatusError, invalid_argument

DEFAULT_ROLE = ""


@dataclass(frozen=True)
class RoleConfig:
    """What a role may do. Roles without one may do everything."""

    exclusive: frozenset[int] = frozenset()
    shared: frozenset[int] = frozenset()
    packet_io: bool = False
    packet_in_filter: tuple[int, int] | None = None
    """Metadata id and the value it must have."""
    pipeline: bool = False

    def may_access(self, object_id: int | None) -> bool:
        """Whether the role may write and read this object; None: one that has no id."""
        return object_id is not None and (object_id in self.exclusive or object_id in self.shared)

    def wants_packet_in(self, packet: p4r.PacketIn) -> bool:
        """Whether the role receives this packet."""
        if not self.packet_io:
            return False
        if self.packet_in_filter is None:
            return True
        return any(
            (metadata.metadata_id, int.from_bytes(metadata.value, "big")) == self.packet_in_filter
            for metadata in packet.metadata
        )


def read_role_config(wire: Any) -> RoleConfig:
    """Raises INVALID_ARGUMENT if the message is not a `P4RoleConfig` or contradicts itself."""
    config = stratum.P4RoleConfig()
    try:
        known = wire.Unpack(config)
    except DecodeError:
        known = False
    if not known:
        raise invalid_argument(f"role config: {wire.type_url!r} is not a stratum.P4RoleConfig")
    exclusive, shared = frozenset(config.exclusive_p4_ids), frozenset(config.shared_p4_ids)
    if 0 in exclusive | shared:
        raise invalid_argument("role config: 0 is not the id of an object")
    if exclusive & shared:
        raise invalid_argument(f"role config: id {min(exclusive & shared):#x} is both exclusive and shared")
    packet_in_filter = None
    if config.HasField("packet_in_filter"):
        if not config.receives_packet_ins:
            raise invalid_argument("role config: a packet_in_filter without receives_packet_ins")
        value = int.from_bytes(config.packet_in_filter.value, "big")
        packet_in_filter = (config.packet_in_filter.metadata_id, value)
    return RoleConfig(
        exclusive=exclusive,
        shared=shared,
        packet_io=config.receives_packet_ins,
        packet_in_filter=packet_in_filter,
        pipeline=config.can_push_pipeline,
    )


@dataclass
class Role:
    """One role: its election, and what its last primary said that it may do."""

    name: str
    election: Election
    config: RoleConfig | None = None
    wire: Any | None = None

    def require_access(self, object_id: int | None, what: str) -> None:
        """Raises PERMISSION_DENIED if the role's config does not list the object."""
        if self.config is not None and not self.config.may_access(object_id):
            raise StatusError(rpc_code.PERMISSION_DENIED, f"role {self.name!r} may not write {what}")

    def may_read(self, object_id: int | None) -> bool:
        """Whether reads by this role report the object."""
        return self.config is None or self.config.may_access(object_id)


@dataclass
class Roles:
    """All roles of a device. A role exists once a controller has named it; the default role always does.

    A role without controllers is kept, since its highest election id binds later ones, until its place is
    needed; its claims do not bind other roles.
    """

    max_sessions: int = 32
    max_roles: int = ROLES
    _roles: dict[str, Role] = field(default_factory=dict)
    _sessions: dict[Hashable, Role] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._roles[DEFAULT_ROLE] = Role(DEFAULT_ROLE, Election(self.max_sessions))

    def __iter__(self) -> Iterator[Role]:
        return iter(self._roles.values())

    def role(self, name: str) -> Role:
        """Raises NOT_FOUND if no controller has ever had this role."""
        try:
            return self._roles[name]
        except KeyError:
            raise StatusError(rpc_code.NOT_FOUND, f"there is no role {name!r} here") from None

    def role_of(self, session: Hashable) -> Role | None:
        """The role of a connected controller; None before its first arbitration."""
        return self._sessions.get(session)

    def update(self, session: Hashable, name: str, wire: Any | None, election_id: int | None) -> list[Notice]:
        """A controller states its role and election id, first or anew (section 5.4).

        Raises what the specification says must end the stream: FAILED_PRECONDITION if the controller changes
        its role, INVALID_ARGUMENT for a bad role config or a used election id, RESOURCE_EXHAUSTED if there
        are too many controllers or roles.
        """
        current = self._sessions.get(session)
        if current is not None and current.name != name:
            raise StatusError(
                rpc_code.FAILED_PRECONDITION,
                f"a stream cannot change its role from {current.name!r} to {name!r}; open another stream",
            )
        config = self._checked_config(name, wire)
        role = self._roles.get(name)
        if role is None:
            self._make_room()
            role = Role(name, Election(self.max_sessions))
        notices = role.election.update(session, election_id)
        self._roles[name] = role
        self._sessions[session] = role
        if role.election.is_primary(session):
            role.config, role.wire = config, wire
        return notices

    def is_taken(self, session: Hashable, name: str, election_id: int | None) -> bool:
        """Whether another controller of the role has this election id."""
        role = self._roles.get(name)
        return role is not None and role.election.is_taken(session, election_id)

    def leave(self, session: Hashable) -> list[Notice]:
        """A controller has gone."""
        role = self._sessions.pop(session, None)
        if role is None:
            return []
        notices = role.election.leave(session)
        if role.election.is_deserted and role.name != DEFAULT_ROLE:
            # The first in this order is forgotten first.
            self._roles[role.name] = self._roles.pop(role.name)
        return notices

    def _make_room(self) -> None:
        """Forgets the role that was deserted first, if there are as many as there may be."""
        if len(self._roles) < self.max_roles:
            return
        for name, role in self._roles.items():
            if name != DEFAULT_ROLE and role.election.is_deserted:
                del self._roles[name]
                return
        raise StatusError(rpc_code.RESOURCE_EXHAUSTED, f"there are already {self.max_roles} roles")

    def primaries(self) -> Iterator[tuple[Role, Hashable]]:
        """The roles that have a primary, with it."""
        for role in self._roles.values():
            if role.election.primary is not None:
                yield role, role.election.primary

    def _checked_config(self, name: str, wire: Any | None) -> RoleConfig | None:
        if len(name) > ROLE_NAME_CHARACTERS:
            raise invalid_argument(f"the role's name is longer than {ROLE_NAME_CHARACTERS} characters")
        if wire is None:
            return None
        if wire.ByteSize() > ROLE_CONFIG_BYTES:
            raise invalid_argument(f"the role config is longer than {ROLE_CONFIG_BYTES} bytes")
        if name == DEFAULT_ROLE:
            raise invalid_argument("the default role takes no role config")
        config = read_role_config(wire)
        for other in self._roles.values():
            if other.name == name or other.config is None or other.election.is_deserted:
                continue
            taken = other.config.exclusive & (config.exclusive | config.shared)
            taken |= other.config.shared & config.exclusive
            if taken:
                raise invalid_argument(
                    f"role config: id {min(taken):#x} is exclusive, and role {other.name!r} names it too"
                )
        return config
