# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Entries as P4Runtime messages and back, by the P4Info of the program that the switch runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import finsy
from finsy.p4schema import P4MatchType

from mecn_controller.policy.entries import Entry, Exact, Lpm, Match, Range, Ternary

if TYPE_CHECKING:
    from finsy.p4schema import P4MatchField, P4Schema
    from finsy.proto import p4r


def _match_value(match: Match) -> int | tuple[int, int]:
    match match:
        case Exact(value):
            return value
        case Lpm(value, prefix_len):
            return (value, prefix_len)
        case Ternary(value, mask):
            return (value, mask)
        case Range(low, high):
            return (low, high)


def encode(entry: Entry, schema: P4Schema) -> p4r.TableEntry:
    """An entry as message; ValueError names what the program lacks or what does not fit it."""
    return finsy.P4TableEntry(
        entry.table,
        match=finsy.Match({name: _match_value(match) for name, match in entry.match}),
        action=finsy.Action(entry.action, **dict(entry.params)),
        priority=entry.priority,
    ).encode_entry(schema)


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _decode_match(message: p4r.FieldMatch, field: P4MatchField) -> Match | None:
    """The match; None for one that matches everything, which BMv2 sends where P4Runtime leaves it out."""
    match field.match_type:
        case P4MatchType.EXACT:
            return Exact(_number(message.exact.value))
        case P4MatchType.LPM:
            length = message.lpm.prefix_len
            return Lpm(_number(message.lpm.value), length) if length else None
        case P4MatchType.TERNARY:
            mask = _number(message.ternary.mask)
            return Ternary(_number(message.ternary.value), mask) if mask else None
        case P4MatchType.RANGE:
            low, high = _number(message.range.low), _number(message.range.high)
            return None if low == 0 and high == (1 << field.bitwidth) - 1 else Range(low, high)
        case kind:
            raise ValueError(f"match kind {kind} is not used by this data plane")


def decode(message: p4r.TableEntry, schema: P4Schema) -> Entry:
    """A message as entry, fields and parameters in the program's order.

    ValueError if the program has no such thing.
    """
    table = schema.tables[message.table_id]
    match: list[tuple[str, Match]] = []
    for item in sorted(message.match, key=lambda item: item.field_id):
        field = table.match_fields[item.field_id]
        value = _decode_match(item, field)
        if value is not None:
            match.append((field.name, value))
    action = table.actions[message.action.action.action_id]
    params = sorted(message.action.action.params, key=lambda param: param.param_id)
    return Entry(
        table.name,
        tuple(match),
        action.name,
        tuple((action.params[param.param_id].name, _number(param.value)) for param in params),
        message.priority,
    )
