# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Whether a P4Info and the engine that runs the device config fit each other."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import mecn_native

from .data_types import Bits, Composite
from .data_types import fitted as fit_type
from .schema import Action, Field, Metadata, Register, Schema, Table
from .status import StatusError, invalid_argument


def fit(schema: Schema, switch: mecn_native.Switch, device_config: bytes) -> Schema:
    """The schema with the fields of each table in the engine's order, and the widths that packets carry.

    Entries that the program begins with can be changed from then on, unless the P4Info says they are
    constant.

    Raises INVALID_ARGUMENT, naming the object, if P4Info and device config do not fit.
    """
    tables = {table.name: table for table in switch.tables()}
    params = {action.name: action.params for action in switch.actions()}
    counters = {counter.name: counter for counter in switch.counters()}
    fitted = {}
    for table in schema.tables.values():
        info = tables.get(table.name)
        if info is None:
            raise _misfit(f"table {table.name}", "is missing")
        table = _fit_table(table, info)
        actions = {
            id: replace(ref, action=_fit_action(table, ref.action, info.actions, params))
            for id, ref in table.actions.items()
        }
        fitted[table.id] = replace(table, actions=actions)
        if not table.is_const:
            switch.unlock_entries(table.name)
    for counter in schema.counters.values():
        cells = counters.get(counter.name)
        if cells is None or cells.table is not None:
            raise _misfit(f"counter {counter.name}", "is missing")
        if cells.size != counter.size:
            raise _misfit(f"counter {counter.name} (size {counter.size})", f"has size {cells.size}")
    registers = {register.name: register for register in switch.registers()}
    register_types: dict[int, Register] = {}
    for register in schema.registers.values():
        array = registers.get(register.name)
        if array is None:
            raise _misfit(f"register {register.name}", "is missing")
        if array.size != register.size:
            raise _misfit(f"register {register.name} (size {register.size})", f"has size {array.size}")
        if isinstance(register.type, Bits):
            kind = fit_type(register.type, iter([array.width]))
            if kind.widths != [array.width]:
                raise _misfit(
                    f"register {register.name} ({register.type.width} bits)", f"has {array.width} bits"
                )
            register_types[register.id] = replace(register, type=kind)
    headers = _headers(schema, device_config)
    return replace(
        _fit_externs(schema, switch),
        tables=fitted,
        registers={**schema.registers, **register_types},
        packet_in=_fit_metadata("packet_in", schema.packet_in, headers),
        packet_out=_fit_metadata("packet_out", schema.packet_out, headers),
    )


def _headers(schema: Schema, device_config: bytes) -> list[list[tuple[str, int]]]:
    """Names and widths of the fields of each header type, if controllers see other widths in packet I/O."""
    if all(field.translation is None for field in (*schema.packet_in, *schema.packet_out)):
        return []
    types = json.loads(device_config).get("header_types", [])  # the engine has read it
    return [[(str(name), width) for name, width, *_ in header.get("fields", [])] for header in types]


def _fit_metadata(
    what: str, fields: tuple[Metadata, ...], headers: Sequence[Sequence[tuple[str, int]]]
) -> tuple[Metadata, ...]:
    """With the widths of the header type that has these fields."""
    if all(field.translation is None for field in fields):
        return fields
    names = [field.name for field in fields]
    for header in headers:
        if [name for name, _ in header] == names and all(isinstance(width, int) for _, width in header):
            return tuple(
                field if field.translation is None else replace(field, bitwidth=width)
                for field, (_, width) in zip(fields, header, strict=True)
            )
    raise _misfit(f"the header of {what}", "has no counterpart")


def _fit_externs(schema: Schema, switch: mecn_native.Switch) -> Schema:
    meters = {meter.name: meter for meter in switch.meters()}
    for meter in schema.meters.values():
        cells = meters.get(meter.name)
        if cells is None or cells.table is not None:
            raise _misfit(f"meter {meter.name}", "is missing")
        if cells.size != meter.size:
            raise _misfit(f"meter {meter.name} (size {meter.size})", f"has size {cells.size}")
        if cells.bytes != (meter.unit == "bytes"):
            raise _misfit(f"meter {meter.name} (of {meter.unit})", "counts the other unit")
    profiles = {profile.name: profile for profile in switch.action_profiles()}
    for profile in schema.action_profiles.values():
        found = profiles.get(profile.name)
        if found is None or (profile.selector and not found.with_selector):
            raise _misfit(f"action profile {profile.name}", "is missing, or has no selector")
    digests = {digest.name: digest.widths for digest in switch.digests()}
    fitted = {}
    for digest in schema.digests.values():
        if digest.name not in digests:
            raise _misfit(f"digest {digest.name}", "is missing")
        kind = digest.type
        if isinstance(kind, Bits | Composite):
            kind = fit_type(kind, iter(digests[digest.name]))
            if kind.widths != digests[digest.name]:
                raise _misfit(f"digest {digest.name}", "has other fields")
        fitted[digest.id] = replace(digest, type=kind)
    value_sets = {value_set.name: value_set.widths for value_set in switch.value_sets()}
    fitted_sets = {}
    for value_set in schema.value_sets.values():
        if value_set.name not in value_sets:
            raise _misfit(f"value set {value_set.name}", "is missing")
        widths = value_sets[value_set.name]
        if len(widths) != len(value_set.fields):
            raise _misfit(f"value set {value_set.name}", "has other fields")
        fields = tuple(_fit_width(f, width) for f, width in zip(value_set.fields, widths, strict=True))
        if [field.bitwidth for field in fields] != widths:
            raise _misfit(f"value set {value_set.name}", "has other fields")
        fitted_sets[value_set.id] = replace(value_set, fields=fields)
    return replace(schema, digests=fitted, value_sets=fitted_sets)


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


def _fit_action(
    table: Table,
    action: Action,
    names: Sequence[str],
    params: Mapping[str, Sequence[mecn_native.ParamInfo]],
) -> Action:
    if action.name not in names:
        raise _misfit(f"action {action.name} of table {table.name}", "is missing")
    widths = [param.width for param in params[action.name]]
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
