# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Keys and data of entries, between the wire and Python's values, strictly by a table's description.

A key field's value is a `MatchField`, or the text of a string. A data field's is a number, a truth value, a
string, or a list of one of these.
"""

import math
from collections.abc import Mapping
from typing import Any

from finsy.proto import rpc_code
from mecn_native import MatchField

from ..bytestring import decode
from ..status import StatusError, invalid_argument
from .info import Field, Table
from .messages import Wire

KeyValue = MatchField | str
Key = tuple[KeyValue, ...]
"""One value for each key field, in the table's order."""
Data = dict[int, Any]
"""Values by field id."""

_DATA_KINDS = {
    "bytes": ("stream", "int_arr_val"),
    "bool": ("bool_val", "bool_arr_val"),
    "float": ("float_val", ""),
    "string": ("str_val", "str_arr_val"),
}
"""How a field's value travels, and a list of them."""


def key_from_wire(table: Table, wire: Wire) -> Key:
    """All fields in order; those that are missing match anything, or 0 if they are exact.

    Raises INVALID_ARGUMENT or OUT_OF_RANGE on what does not fit.
    """
    given: dict[int, KeyValue] = {}
    for found in wire.fields:
        field = table.keys.get(found.field_id)
        if field is None:
            raise invalid_argument(f"table {table.name}: it has no key field {found.field_id}")
        if field.id in given:
            raise invalid_argument(f"table {table.name}: key field {field.name} is given twice")
        given[field.id] = _match(table, field, found)
    for field in table.keys.values():
        if field.id not in given:
            if field.mandatory:
                raise invalid_argument(f"table {table.name}: key field {field.name} is missing")
            given[field.id] = _anything(field)
    return tuple(given[field_id] for field_id in table.keys)


def _anything(field: Field) -> KeyValue:
    match field.match:
        case "Ternary" | "LPM" | "Optional" | "Range":
            return MatchField.Any()
        case _:
            return "" if field.type == "string" else MatchField.Exact(0)


def _match(table: Table, field: Field, found: Wire) -> KeyValue:
    what = f"table {table.name}: key field {field.name}"
    kind = found.WhichOneof("match_type")
    if kind != field.match.lower():
        raise invalid_argument(f"{what} is matched {field.match.lower()}, not {kind or 'at all'}")
    match kind:
        case "exact" if field.type == "string":
            return _text(found.exact.value, what)
        case "exact":
            return MatchField.Exact(decode(found.exact.value, field.width, what))
        case "ternary":
            mask = decode(found.ternary.mask, field.width, what)
            value = decode(found.ternary.value, field.width, what) & mask
            return MatchField.Ternary(value, mask) if mask else MatchField.Any()
        case "lpm":
            length = found.lpm.prefix_len
            if not 0 <= length <= field.width:
                raise invalid_argument(f"{what}: prefix length {length} is not in 0..{field.width}")
            value = decode(found.lpm.value, field.width, what)
            host_bits = field.width - length
            return MatchField.Lpm(value >> host_bits << host_bits, length) if length else MatchField.Any()
        case "range":
            low = decode(found.range.low, field.width, what)
            high = decode(found.range.high, field.width, what)
            if low > high:
                raise invalid_argument(f"{what}: the range begins at {low} and ends at {high}")
            return MatchField.Any() if (low, high) == (0, _ones(field)) else MatchField.Range(low, high)
        case _:
            if not found.optional.is_valid:
                return MatchField.Any()
            return MatchField.Optional(decode(found.optional.value, field.width, what))


def _text(value: bytes, what: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise invalid_argument(f"{what}: the text is not UTF-8") from None


def _ones(field: Field) -> int:
    return (1 << field.width) - 1


def key_to_wire(table: Table, key: Key, wire: Wire) -> None:
    """Fills in a key as it was written; every field is there."""
    for field, value in zip(table.keys.values(), key, strict=True):
        found = wire.fields.add(field_id=field.id)

        def octets(number: int, size: int = field.size) -> bytes:
            return number.to_bytes(size, "big")

        match field.match, value:
            case _, str():
                found.exact.value = value.encode()
            case "Exact", MatchField.Exact(number):
                found.exact.value = octets(number)
            case "Ternary", MatchField.Ternary(number, mask):
                found.ternary.value, found.ternary.mask = octets(number), octets(mask)
            case "Ternary", _:
                found.ternary.value = found.ternary.mask = octets(0)
            case "LPM", MatchField.Lpm(number, length):
                found.lpm.value, found.lpm.prefix_len = octets(number), length
            case "LPM", _:
                found.lpm.value, found.lpm.prefix_len = octets(0), 0
            case "Range", MatchField.Range(low, high):
                found.range.low, found.range.high = octets(low), octets(high)
            case "Range", _:
                found.range.low, found.range.high = octets(0), octets(_ones(field))
            case _, MatchField.Optional(number):
                found.optional.value, found.optional.is_valid = octets(number), True
            case _:
                found.optional.value, found.optional.is_valid = octets(0), False


def data_from_wire(table: Table, wire: Wire) -> Data:
    """The fields that are given. Raises INVALID_ARGUMENT or OUT_OF_RANGE on what does not fit."""
    fields = table.fields(wire.action_id)
    data: Data = {}
    for found in wire.fields:
        field = fields.get(found.field_id)
        if field is None:
            raise invalid_argument(f"table {table.name}: it has no data field {found.field_id} here")
        if field.id in data:
            raise invalid_argument(f"table {table.name}: data field {field.name} is given twice")
        if field.read_only:
            raise invalid_argument(f"table {table.name}: data field {field.name} can only be read")
        data[field.id] = _value(f"table {table.name}: data field {field.name}", field, found)
    return data


def _value(what: str, field: Field, found: Wire) -> Wire:
    kind = found.WhichOneof("value")
    if field.container:
        raise StatusError(rpc_code.UNIMPLEMENTED, f"{what}: containers are not supported")
    wanted = _DATA_KINDS[field.type][field.repeated]
    if kind != wanted:
        raise invalid_argument(f"{what} is sent as {wanted}, not as {kind or 'nothing'}")
    value = getattr(found, kind)
    if field.repeated:
        values = list(value.val)
        if field.type == "bytes" and any(v.bit_length() > field.width for v in values):
            raise StatusError(rpc_code.OUT_OF_RANGE, f"{what}: a number does not fit bit<{field.width}>")
        return values
    if field.type == "bytes":
        return decode(value, field.width, what)
    if field.choices and value not in field.choices:
        raise invalid_argument(f"{what}: {value!r} is none of {', '.join(field.choices)}")
    if field.type == "float" and not math.isfinite(value):
        raise invalid_argument(f"{what}: {value} is no number")
    return value


def data_to_wire(fields: Mapping[int, Field], data: Mapping[int, Any], wire: Wire) -> None:
    """Fills in data fields. A register's list of numbers makes one field for each."""
    for field_id, value in data.items():
        field = fields[field_id]
        kind, of_list = _DATA_KINDS[field.type]
        if field.repeated:
            getattr(wire.fields.add(field_id=field_id), of_list).val.extend(value)
            continue
        for each in value if isinstance(value, list) else [value]:
            sent = each.to_bytes(field.size, "big") if field.type == "bytes" else each
            wire.fields.add(field_id=field_id, **{kind: sent})
