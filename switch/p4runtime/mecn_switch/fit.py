# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Whether a P4Info and the engine that runs the device config fit each other."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

import mecn_native

from .data_types import Bits, Composite
from .data_types import fitted as fit_type
from .schema import (
    Action,
    ActionProfile,
    Counter,
    Digest,
    Field,
    Metadata,
    Meter,
    Register,
    Schema,
    Table,
    ValueSet,
)
from .status import StatusError, invalid_argument


def fit(schema: Schema, switch: mecn_native.Switch, device_config: bytes) -> Schema:
    """The schema with the fields of each table in the engine's order, and the widths that packets carry.

    A P4Info is made of the program as it was written, so it may have objects that the compiler has left out
    of the device config because no packet reaches them: these are `removed`. Entries that the program begins
    with can be changed from then on, unless the P4Info says they are constant.

    Raises INVALID_ARGUMENT, naming the object, if P4Info and device config do not fit.
    """
    schema = _without_removed(schema, switch)
    headers = _headers(schema, device_config)
    return replace(
        schema,
        tables=_fit_tables(schema, switch),
        registers=_fit_registers(schema, switch),
        digests=_fit_digests(schema, switch),
        value_sets=_fit_value_sets(schema, switch),
        counters=_fit_counters(schema, switch),
        meters=_fit_meters(schema, switch),
        action_profiles=_fit_action_profiles(schema, switch),
        packet_in=_fit_metadata(schema.packet_in, headers),
        packet_out=_fit_metadata(schema.packet_out, headers),
    )


class _Named(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def name(self) -> str: ...


_T = TypeVar("_T", bound=_Named)


def _without_removed(schema: Schema, switch: mecn_native.Switch) -> Schema:
    """Without the objects that the device config does not have.

    Raises INVALID_ARGUMENT if tables are missing while the device config has others that the P4Info does not
    know: the two come from different programs then.
    """
    removed: dict[int, str] = {}

    def kept(objects: Mapping[int, _T], names: Iterable[str]) -> dict[int, _T]:
        found = set(names)
        removed.update({id: item.name for id, item in objects.items() if item.name not in found})
        return {id: item for id, item in objects.items() if item.name in found}

    tables = switch.tables()
    fitting = kept(schema.tables, (table.name for table in tables))
    known = {table.name for table in schema.tables.values()}
    if removed and any(table.keys and table.name not in known for table in tables):
        raise _misfit(f"table {min(removed.values())}", "is missing")
    return replace(
        schema,
        tables=fitting,
        counters=kept(schema.counters, (c.name for c in switch.counters() if c.table is None)),
        registers=kept(schema.registers, (register.name for register in switch.registers())),
        meters=kept(schema.meters, (meter.name for meter in switch.meters() if meter.table is None)),
        action_profiles=kept(schema.action_profiles, (p.name for p in switch.action_profiles())),
        digests=kept(schema.digests, (digest.name for digest in switch.digests())),
        value_sets=kept(schema.value_sets, (value_set.name for value_set in switch.value_sets())),
        removed=removed,
    )


def _fit_tables(schema: Schema, switch: mecn_native.Switch) -> dict[int, Table]:
    infos = {table.name: table for table in switch.tables()}
    fitted = {}
    for table in schema.tables.values():
        info = infos[table.name]
        actions = {
            id: replace(ref, action=_fit_action(table, ref.action, info.actions))
            for id, ref in table.actions.items()
        }
        fitted[table.id] = replace(_fit_table(table, info), actions=actions)
        if not table.is_const:
            switch.unlock_entries(table.name)
    return fitted


def _fit_counters(schema: Schema, switch: mecn_native.Switch) -> Mapping[int, Counter]:
    sizes = {counter.name: counter.size for counter in switch.counters() if counter.table is None}
    for counter in schema.counters.values():
        if sizes[counter.name] != counter.size:
            raise _misfit(f"counter {counter.name} (size {counter.size})", f"has size {sizes[counter.name]}")
    return schema.counters


def _fit_registers(schema: Schema, switch: mecn_native.Switch) -> dict[int, Register]:
    arrays = {register.name: register for register in switch.registers()}
    fitted = dict(schema.registers)
    for register in schema.registers.values():
        array = arrays[register.name]
        if array.size != register.size:
            raise _misfit(f"register {register.name} (size {register.size})", f"has size {array.size}")
        if isinstance(register.type, Bits):
            kind = fit_type(register.type, iter([array.width]))
            if kind.widths != [array.width]:
                raise _misfit(
                    f"register {register.name} ({register.type.width} bits)", f"has {array.width} bits"
                )
            fitted[register.id] = replace(register, type=kind)
    return fitted


def _headers(schema: Schema, device_config: bytes) -> list[list[tuple[str, int]]]:
    """Names and widths of the fields of each header type, if controllers see other widths in packet I/O."""
    if all(field.translation is None for field in (*schema.packet_in, *schema.packet_out)):
        return []
    types = json.loads(device_config, strict=False).get("header_types", [])  # the engine has read it
    return [[(str(name), width) for name, width, *_ in header.get("fields", [])] for header in types]


def _fit_metadata(
    fields: tuple[Metadata, ...], headers: Sequence[Sequence[tuple[str, int]]]
) -> tuple[Metadata, ...]:
    """With the widths of the header type that has these fields; without fields if the compiler has left the
    header out, so that no packet has it."""
    if all(field.translation is None for field in fields):
        return fields
    names = [field.name for field in fields]
    for header in headers:
        if [name for name, _ in header] == names and all(isinstance(width, int) for _, width in header):
            return tuple(
                field if field.translation is None else replace(field, bitwidth=width)
                for field, (_, width) in zip(fields, header, strict=True)
            )
    return ()


def _fit_meters(schema: Schema, switch: mecn_native.Switch) -> Mapping[int, Meter]:
    meters = {meter.name: meter for meter in switch.meters() if meter.table is None}
    for meter in schema.meters.values():
        cells = meters[meter.name]
        if cells.size != meter.size:
            raise _misfit(f"meter {meter.name} (size {meter.size})", f"has size {cells.size}")
        if cells.bytes != (meter.unit == "bytes"):
            raise _misfit(f"meter {meter.name} (of {meter.unit})", "counts the other unit")
    return schema.meters


def _fit_action_profiles(schema: Schema, switch: mecn_native.Switch) -> Mapping[int, ActionProfile]:
    selectors = {profile.name for profile in switch.action_profiles() if profile.with_selector}
    for profile in schema.action_profiles.values():
        if profile.selector and profile.name not in selectors:
            raise _misfit(f"action profile {profile.name}", "has no selector")
    return schema.action_profiles


def _fit_digests(schema: Schema, switch: mecn_native.Switch) -> dict[int, Digest]:
    widths = {digest.name: digest.widths for digest in switch.digests()}
    fitted = {}
    for digest in schema.digests.values():
        kind = digest.type
        if isinstance(kind, Bits | Composite):
            kind = fit_type(kind, iter(widths[digest.name]))
            if kind.widths != widths[digest.name]:
                raise _misfit(f"digest {digest.name}", "has other fields")
        fitted[digest.id] = replace(digest, type=kind)
    return fitted


def _fit_value_sets(schema: Schema, switch: mecn_native.Switch) -> dict[int, ValueSet]:
    all_widths = {value_set.name: value_set.widths for value_set in switch.value_sets()}
    fitted = {}
    for value_set in schema.value_sets.values():
        widths = all_widths[value_set.name]
        if len(widths) != len(value_set.fields):
            raise _misfit(f"value set {value_set.name}", "has other fields")
        fields = tuple(_fit_width(f, width) for f, width in zip(value_set.fields, widths, strict=True))
        if [field.bitwidth for field in fields] != widths:
            raise _misfit(f"value set {value_set.name}", "has other fields")
        fitted[value_set.id] = replace(value_set, fields=fields)
    return fitted


def _fit_width(field: Field, width: int) -> Field:
    return field if field.translation is None else replace(field, bitwidth=width)


def _fit_table(table: Table, info: mecn_native.TableInfo) -> Table:
    by_name = {field.name: field for field in table.fields}
    if len(info.keys) != len(table.fields):
        raise _misfit(f"table {table.name} ({len(table.fields)} match fields)", f"has {len(info.keys)}")
    fields = []
    for key in info.keys:
        field = by_name.get(key.name)
        if field is None:
            raise invalid_argument(
                f"table {table.name}: match field {key.name} of the device config is missing in the P4Info"
            )
        field = _fit_width(field, key.width)
        field = replace(field, as_ternary=(key.match, field.match) == ("ternary", "optional"))
        match = "ternary" if field.as_ternary else field.match
        if (key.match, key.width) != (match, field.bitwidth):
            raise _misfit(
                f"match field {field.name} of table {table.name} ({field.match}, {field.bitwidth} bits)",
                f"is {key.match}, {key.width} bits",
            )
        fields.append(field)
    if table.direct_counter is not None and not info.has_direct_counter:
        raise _misfit(f"direct counter of table {table.name}", "is missing")
    if table.direct_meter is not None and not info.has_direct_meter:
        raise _misfit(f"direct meter of table {table.name}", "is missing")
    if table.idle_timeout and not info.idle_timeout:
        raise _misfit(f"idle timeout of table {table.name}", "is missing")
    if bool(table.implementation_id) != (info.action_profile is not None):
        raise _misfit(f"implementation of table {table.name}", "is not the same")
    return replace(table, fields=tuple(fields))


def _fit_action(table: Table, action: Action, infos: Iterable[mecn_native.ActionInfo]) -> Action:
    info = next((info for info in infos if info.name == action.name), None)
    if info is None:
        raise _misfit(f"action {action.name} of table {table.name}", "is missing")
    widths = [param.width for param in info.params]
    if len(widths) != len(action.params):
        raise _misfit(f"action {action.name}", "has other parameters")
    fitted = tuple(
        param if param.translation is None else replace(param, bitwidth=width)
        for param, width in zip(action.params, widths, strict=True)
    )
    if [param.bitwidth for param in fitted] != widths:
        raise _misfit(f"action {action.name}", "has other parameters")
    return replace(action, params=fitted)


def _misfit(what: str, finding: str) -> StatusError:
    return invalid_argument(f"P4Info and device config differ: {what} {finding} in the device config")
