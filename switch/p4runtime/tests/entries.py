# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Shorthands for wire entries."""

from finsy.proto import p4r

from . import program


def exact(field_id: int, value: bytes) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, exact=p4r.FieldMatch.Exact(value=value))


def lpm(field_id: int, value: bytes, prefix_len: int) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, lpm=p4r.FieldMatch.LPM(value=value, prefix_len=prefix_len))


def ternary(field_id: int, value: bytes, mask: bytes) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, ternary=p4r.FieldMatch.Ternary(value=value, mask=mask))


def range_(field_id: int, low: bytes, high: bytes) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, range=p4r.FieldMatch.Range(low=low, high=high))


def optional(field_id: int, value: bytes) -> p4r.FieldMatch:
    return p4r.FieldMatch(field_id=field_id, optional=p4r.FieldMatch.Optional(value=value))


def action(action_id: int, *values: bytes) -> p4r.TableAction:
    params = [p4r.Action.Param(param_id=i, value=value) for i, value in enumerate(values, start=1)]
    return p4r.TableAction(action=p4r.Action(action_id=action_id, params=params))


FORWARD_1 = action(program.FORWARD, b"\x01")
SET_MARK_5 = action(program.SET_MARK, b"\x05")


def route(*match: p4r.FieldMatch, call: p4r.TableAction | None = FORWARD_1) -> p4r.TableEntry:
    return p4r.TableEntry(table_id=program.ROUTE, match=match, action=call)


def classify(
    *match: p4r.FieldMatch, priority: int = 10, call: p4r.TableAction | None = SET_MARK_5
) -> p4r.TableEntry:
    return p4r.TableEntry(table_id=program.CLASSIFY, match=match, priority=priority, action=call)


def choose(
    *match: p4r.FieldMatch, priority: int = 10, call: p4r.TableAction | None = SET_MARK_5
) -> p4r.TableEntry:
    return p4r.TableEntry(table_id=program.CHOOSE, match=match, priority=priority, action=call)


def wide(*match: p4r.FieldMatch, call: p4r.TableAction | None = SET_MARK_5) -> p4r.TableEntry:
    return p4r.TableEntry(table_id=program.WIDE, match=match, action=call)


NET_10 = lpm(1, b"\x0a\x00\x00\x00", 8)
"""10.0.0.0/8 as key of `route`."""
