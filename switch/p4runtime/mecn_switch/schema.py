# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a P4Info says, indexed by id. `p4info` reads it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from finsy.proto import rpc_code

from .data_types import DataType
from .status import StatusError, invalid_argument
from .translation import Names, Translation

_WITH_PRIORITY = frozenset({"ternary", "range", "optional"})


@dataclass(frozen=True)
class Field:
    """A match field: `match` is exact, lpm, ternary, range or optional."""

    id: int
    name: str
    match: str
    bitwidth: int
    """As packets carry it; 0 until the device config has said it, if controllers see a string."""
    translation: Translation | None = None
    as_ternary: bool = False
    """Whether an optional field is a ternary one in the device config, which is how p4c puts it."""


@dataclass(frozen=True)
class Param:
    """A parameter of an action. `bitwidth` as for `Field`."""

    id: int
    name: str
    bitwidth: int
    translation: Translation | None = None


@dataclass(frozen=True)
class Action:
    """An action and its parameters, in order."""

    id: int
    name: str
    params: tuple[Param, ...]


@dataclass(frozen=True)
class ActionRef:
    """An action that a table may use, for entries, as default, or both."""

    action: Action
    for_entries: bool
    as_default: bool


@dataclass(frozen=True)
class Counter:
    """An indexed counter (`table_id` is 0) or the direct counter of a table (`size` is 0)."""

    id: int
    name: str
    size: int = 0
    table_id: int = 0


@dataclass(frozen=True)
class Meter:
    """An indexed meter (`table_id` is 0) or the direct meter of a table (`size` is 0)."""

    id: int
    name: str
    unit: Literal["bytes", "packets"]
    type: Literal["trtcm", "srtcm", "two_color"]
    """Two rates and three colours (RFC 2698), one rate and three colours (RFC 2697), one rate and two
    colours."""
    size: int = 0
    table_id: int = 0


@dataclass(frozen=True)
class Register:
    """A register array; `type` is the refusal if values of its type cannot be read or written."""

    id: int
    name: str
    size: int
    type: DataType | StatusError

    def data_type(self) -> DataType:
        """Raises UNIMPLEMENTED if values of this type are not supported."""
        if isinstance(self.type, StatusError):
            raise self.type
        return self.type


@dataclass(frozen=True)
class ActionProfile:
    """An action profile or, with `selector`, an action selector. Limits of 0: none."""

    id: int
    name: str
    table_ids: frozenset[int]
    selector: bool
    size: int
    max_group_size: int
    counts_members: bool
    """Whether sizes count members (`sum_of_members`) or add up weights (`sum_of_weights`)."""
    max_member_weight: int = 0
    weights_disallowed: bool = False


@dataclass(frozen=True)
class Digest:
    """A digest; `type` is the refusal if messages of its type cannot be sent."""

    id: int
    name: str
    type: DataType | StatusError

    def data_type(self) -> DataType:
        """Raises UNIMPLEMENTED if values of this type are not supported."""
        if isinstance(self.type, StatusError):
            raise self.type
        return self.type


@dataclass(frozen=True)
class ValueSet:
    """A parser value set."""

    id: int
    name: str
    fields: tuple[Field, ...]
    size: int


@dataclass(frozen=True)
class Metadata:
    """A field of a controller header. `bitwidth` as for `Field`."""

    id: int
    name: str
    bitwidth: int
    translation: Translation | None = None


@dataclass(frozen=True)
class Table:
    """A table. `fields` are in the order of the program's key."""

    id: int
    name: str
    fields: tuple[Field, ...]
    actions: Mapping[int, ActionRef]
    const_default: bool
    is_const: bool
    idle_timeout: bool
    implementation_id: int
    direct_counter: Counter | None
    direct_meter: Meter | None = None

    @property
    def needs_priority(self) -> bool:
        """Whether entries have a priority: some field is ternary, range or optional (section 9.1)."""
        return any(field.match in _WITH_PRIORITY for field in self.fields)

    def action_named(self, name: str) -> Action:
        """The action of this name among those the table may use."""
        for ref in self.actions.values():
            if ref.action.name == name:
                return ref.action
        raise invalid_argument(f"table {self.name} has no action {name}")


_T = TypeVar("_T")


@dataclass(frozen=True)
class Schema:
    """A P4Info, indexed by id. The methods raise INVALID_ARGUMENT if there is no object with an id."""

    tables: Mapping[int, Table]
    counters: Mapping[int, Counter]
    meters: Mapping[int, Meter] = field(default_factory=dict)
    registers: Mapping[int, Register] = field(default_factory=dict)
    action_profiles: Mapping[int, ActionProfile] = field(default_factory=dict)
    digests: Mapping[int, Digest] = field(default_factory=dict)
    value_sets: Mapping[int, ValueSet] = field(default_factory=dict)
    packet_in: tuple[Metadata, ...] = ()
    packet_out: tuple[Metadata, ...] = ()
    port_names: Names | None = None
    """How controllers name ports, if by strings."""
    removed: Mapping[int, str] = field(default_factory=dict)
    """What the P4Info has and the compiler left out of the device config, since no packet reaches it."""

    def table(self, table_id: int) -> Table:
        """A table."""
        return self._find(self.tables, table_id, "table")

    def counter(self, counter_id: int) -> Counter:
        """An indexed counter."""
        return self._find(self.counters, counter_id, "counter")

    def meter(self, meter_id: int) -> Meter:
        """An indexed meter."""
        return self._find(self.meters, meter_id, "meter")

    def register(self, register_id: int) -> Register:
        """A register."""
        return self._find(self.registers, register_id, "register")

    def action_profile(self, profile_id: int) -> ActionProfile:
        """An action profile or selector."""
        return self._find(self.action_profiles, profile_id, "action profile")

    def digest(self, digest_id: int) -> Digest:
        """A digest."""
        return self._find(self.digests, digest_id, "digest")

    def value_set(self, value_set_id: int) -> ValueSet:
        """A parser value set."""
        return self._find(self.value_sets, value_set_id, "value set")

    def _find(self, objects: Mapping[int, _T], object_id: int, kind: str) -> _T:
        try:
            return objects[object_id]
        except KeyError:
            if name := self.removed.get(object_id):
                raise StatusError(
                    rpc_code.NOT_FOUND,
                    f"{kind} {name} is not in the device config: the program does not reach it",
                ) from None
            raise invalid_argument(f"no {kind} has id {object_id:#x}") from None
