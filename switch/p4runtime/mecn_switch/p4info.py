# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Reads a P4Info into a `Schema`, checked for consistency."""

from collections.abc import Iterable, Mapping
from typing import Literal, Protocol, TypeVar

from finsy.proto import p4i, p4t, rpc_code

from .data_types import Composite, DataType, TypeInfo, read_type
from .schema import (
    Action,
    ActionProfile,
    ActionRef,
    Counter,
    Digest,
    Field,
    Metadata,
    Meter,
    Param,
    Register,
    Schema,
    Table,
    ValueSet,
)
from .status import StatusError, invalid_argument
from .translation import Names, Numbers, Translation, Translations

MatchType = p4i.MatchField.MatchType
Scope = p4i.ActionRef.Scope

MATCH_NAMES: Mapping["p4i.MatchField.MatchType.ValueType", str] = {
    MatchType.EXACT: "exact",
    MatchType.LPM: "lpm",
    MatchType.TERNARY: "ternary",
    MatchType.RANGE: "range",
    MatchType.OPTIONAL: "optional",
}
"""Match kinds as P4 spells them."""

METER_UNITS: Mapping["p4i.MeterSpec.Unit.ValueType", Literal["bytes", "packets"]] = {
    p4i.MeterSpec.BYTES: "bytes",
    p4i.MeterSpec.PACKETS: "packets",
}
METER_TYPES: Mapping["p4i.MeterSpec.Type.ValueType", Literal["trtcm", "srtcm", "two_color"]] = {
    p4i.MeterSpec.TWO_RATE_THREE_COLOR: "trtcm",
    p4i.MeterSpec.SINGLE_RATE_THREE_COLOR: "srtcm",
    p4i.MeterSpec.SINGLE_RATE_TWO_COLOR: "two_color",
}


class _HasPreamble(Protocol):
    @property
    def preamble(self) -> p4i.Preamble: ...


_T = TypeVar("_T", bound=_HasPreamble)


def _by_id(objects: Iterable[_T], kind: str) -> dict[int, _T]:
    index: dict[int, _T] = {}
    for item in objects:
        preamble = item.preamble
        if preamble.id == 0:
            raise invalid_argument(f"P4Info: {kind} {preamble.name} has no id")
        if preamble.id in index:
            other = index[preamble.id].preamble.name
            raise invalid_argument(
                f"P4Info: {kind}s {other} and {preamble.name} have the same id {preamble.id:#x}"
            )
        index[preamble.id] = item
    return index


def _width(
    info: p4i.Action.Param | p4i.MatchField | p4i.ControllerPacketMetadata.Metadata,
    translation: Translation | None,
    what: str,
) -> int:
    """The width of a value. What is a string for controllers has none in a P4Info (section 8.4.7)."""
    if isinstance(translation, Names):
        if info.bitwidth:
            raise invalid_argument(f"P4Info: {what} is translated to a string, but has a bitwidth")
    elif info.bitwidth <= 0:
        raise invalid_argument(f"P4Info: {what} has no bitwidth")
    elif isinstance(translation, Numbers) and translation.sdn_bitwidth != info.bitwidth:
        raise invalid_argument(
            f"P4Info: {what} has {info.bitwidth} bits, but its type has {translation.sdn_bitwidth}"
        )
    return info.bitwidth


def _action(info: p4i.Action, types: Translations) -> Action:
    params = []
    for param in info.params:
        translation = types.of(param.type_name.name)
        width = _width(param, translation, f"parameter {param.name} of action {info.preamble.name}")
        params.append(Param(param.id, param.name, width, translation))
    return Action(info.preamble.id, info.preamble.name, tuple(params))


def _fields(infos: Iterable[p4i.MatchField], owner: str, types: Translations) -> tuple[Field, ...]:
    fields = []
    for info in infos:
        match = MATCH_NAMES.get(info.match_type)
        if match is None:
            kind = info.other_match_type or "no match type"
            raise invalid_argument(f"P4Info: field {info.name} of {owner}: {kind} is not supported")
        translation = types.of(info.type_name.name)
        width = _width(info, translation, f"field {info.name} of {owner}")
        fields.append(Field(info.id, info.name, match, width, translation))
    if len({field.id for field in fields}) != len(fields):
        raise invalid_argument(f"P4Info: two fields of {owner} have the same id")
    return tuple(fields)


def _table(
    info: p4i.Table,
    actions: Mapping[int, Action],
    counters: Mapping[int, Counter],
    meters: Mapping[int, Meter],
    types: Translations,
) -> Table:
    refs = {}
    for ref in info.action_refs:
        if ref.id not in actions:
            raise invalid_argument(
                f"P4Info: table {info.preamble.name} refers to an unknown action, id {ref.id:#x}"
            )
        refs[ref.id] = ActionRef(
            actions[ref.id],
            for_entries=ref.scope != Scope.DEFAULT_ONLY,
            as_default=ref.scope != Scope.TABLE_ONLY,
        )
    direct_counters = [counters[id] for id in info.direct_resource_ids if id in counters]
    direct_meters = [meters[id] for id in info.direct_resource_ids if id in meters]
    return Table(
        id=info.preamble.id,
        name=info.preamble.name,
        fields=_fields(info.match_fields, f"table {info.preamble.name}", types),
        actions=refs,
        const_default=info.const_default_action_id != 0,
        is_const=info.is_const_table,
        idle_timeout=info.idle_timeout_behavior != p4i.Table.NO_TIMEOUT,
        implementation_id=info.implementation_id,
        direct_counter=direct_counters[0] if direct_counters else None,
        direct_meter=direct_meters[0] if direct_meters else None,
    )


def _meter(info: p4i.Meter | p4i.DirectMeter) -> Meter:
    unit = METER_UNITS.get(info.spec.unit)
    if unit is None:
        raise invalid_argument(f"P4Info: meter {info.preamble.name} has no unit")
    kind = METER_TYPES.get(info.spec.type)
    if kind is None:
        raise invalid_argument(f"P4Info: meter {info.preamble.name} has a type that is not known")
    if isinstance(info, p4i.DirectMeter):
        return Meter(info.preamble.id, info.preamble.name, unit, kind, table_id=info.direct_table_id)
    return Meter(info.preamble.id, info.preamble.name, unit, kind, size=info.size)


def _data_type(spec: p4t.P4DataTypeSpec, types: TypeInfo, what: str) -> DataType | StatusError:
    try:
        return read_type(spec, types, what)
    except StatusError as error:
        if error.code == rpc_code.UNIMPLEMENTED:
            return error  # said when the object is used
        raise


def _register(info: p4i.Register, types: TypeInfo) -> Register:
    name = info.preamble.name
    kind = _data_type(info.type_spec, types, f"register {name}")
    if isinstance(kind, Composite):
        kind = StatusError(
            rpc_code.UNIMPLEMENTED, f"register {name}: cells of type {kind.kind} are not supported"
        )
    return Register(info.preamble.id, name, info.size, kind)


def _action_profile(info: p4i.ActionProfile) -> ActionProfile:
    return ActionProfile(
        id=info.preamble.id,
        name=info.preamble.name,
        table_ids=frozenset(info.table_ids),
        selector=info.with_selector,
        size=info.size,
        max_group_size=info.max_group_size,
        counts_members=info.WhichOneof("selector_size_semantics") == "sum_of_members",
        max_member_weight=info.sum_of_members.max_member_weight,
        weights_disallowed=info.weights_disallowed,
    )


def _metadata(p4info: p4i.P4Info, name: str, types: Translations) -> tuple[Metadata, ...]:
    """The fields of the controller header `name`, packet_in or packet_out; none if the program has no
    such."""
    for header in p4info.controller_packet_metadata:
        if header.preamble.name == name:
            fields = []
            for field in header.metadata:
                translation = types.of(field.type_name.name)
                width = _width(field, translation, f"field {field.name} of header {name}")
                fields.append(Metadata(field.id, field.name, width, translation))
            return tuple(fields)
    return ()


def read_p4info(
    p4info: p4i.P4Info, ports: Mapping[str, int] | None = None, cpu_port: int | None = None
) -> Schema:
    """Raises INVALID_ARGUMENT, naming the object, if the P4Info contradicts itself.

    ports: their names, for programs that translate ports to strings; cpu_port: for those that translate them
    to numbers.
    """
    types = Translations(p4info.type_info, ports, cpu_port)
    specs = TypeInfo(p4info.type_info, types)
    actions = {id: _action(info, types) for id, info in _by_id(p4info.actions, "action").items()}
    counters = {
        id: Counter(id, info.preamble.name, size=info.size)
        for id, info in _by_id(p4info.counters, "counter").items()
    }
    direct_counters = {
        id: Counter(id, info.preamble.name, table_id=info.direct_table_id)
        for id, info in _by_id(p4info.direct_counters, "direct counter").items()
    }
    direct_meters = {id: _meter(info) for id, info in _by_id(p4info.direct_meters, "direct meter").items()}
    value_sets = {
        id: ValueSet(
            id, info.preamble.name, _fields(info.match, f"value set {info.preamble.name}", types), info.size
        )
        for id, info in _by_id(p4info.value_sets, "value set").items()
    }
    digests = {
        id: Digest(id, info.preamble.name, _data_type(info.type_spec, specs, f"digest {info.preamble.name}"))
        for id, info in _by_id(p4info.digests, "digest").items()
    }
    return Schema(
        tables={
            id: _table(info, actions, direct_counters, direct_meters, types)
            for id, info in _by_id(p4info.tables, "table").items()
        },
        counters=counters,
        meters={id: _meter(info) for id, info in _by_id(p4info.meters, "meter").items()},
        registers={id: _register(info, specs) for id, info in _by_id(p4info.registers, "register").items()},
        action_profiles={
            id: _action_profile(info) for id, info in _by_id(p4info.action_profiles, "action profile").items()
        },
        digests=digests,
        value_sets=value_sets,
        packet_in=_metadata(p4info, "packet_in", types),
        packet_out=_metadata(p4info, "packet_out", types),
        port_names=types.port_names(),
    )
