# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Wire entries <-> engine entries, strictly by the P4Info (section 9.1)."""

from collections.abc import Sequence

from finsy.proto import p4r, rpc_code
from mecn_native import ActionCall, GroupRef, MatchField, MemberRef

from . import bytestring, translation
from .schema import Action, Field, Table
from .status import StatusError, invalid_argument

Target = ActionCall | MemberRef | GroupRef


def fields_from_wire(
    what: str, fields: Sequence[Field], matches: Sequence[p4r.FieldMatch]
) -> tuple[MatchField, ...]:
    """One match for each field of a table or value set, which `what` names."""
    given: dict[int, p4r.FieldMatch] = {}
    ids = {field.id for field in fields}
    for match in matches:
        if match.field_id not in ids:
            raise invalid_argument(f"{what} has no match field with id {match.field_id}")
        if match.field_id in given:
            raise invalid_argument(f"{what}: match field id {match.field_id} is given twice")
        given[match.field_id] = match
    return tuple(_field_from_wire(what, field, given.get(field.id)) for field in fields)


def fields_to_wire(fields: Sequence[Field], key: Sequence[MatchField]) -> list[p4r.FieldMatch]:
    """Matches in canonical form: in the order of their fields' ids, "don't care" omitted."""
    matches = [_field_to_wire(field, match) for field, match in zip(fields, key, strict=True)]
    return sorted((match for match in matches if match is not None), key=lambda match: match.field_id)


def key_from_wire(table: Table, entry: p4r.TableEntry) -> tuple[tuple[MatchField, ...], int]:
    """The match key and priority of an entry that is not the default entry."""
    key = fields_from_wire(f"table {table.name}", table.fields, entry.match)
    if table.needs_priority and entry.priority <= 0:
        raise invalid_argument(
            f"table {table.name}: an entry needs a priority greater than 0, not {entry.priority}"
        )
    if not table.needs_priority and entry.priority != 0:
        raise invalid_argument(
            f"table {table.name}: priority {entry.priority} is given, but entries of this table have none"
        )
    return key, entry.priority


def key_to_wire(table: Table, key: Sequence[MatchField]) -> list[p4r.FieldMatch]:
    """The match of an entry in canonical form."""
    return fields_to_wire(table.fields, key)


def target_from_wire(table: Table, action: p4r.TableAction) -> Target:
    """What an entry runs on a hit, but for sets of actions, which `profiles` sees to."""
    kind = action.WhichOneof("type")
    if table.implementation_id:
        if kind == "action_profile_member_id" and action.action_profile_member_id:
            return MemberRef(action.action_profile_member_id)
        if kind == "action_profile_group_id" and action.action_profile_group_id:
            return GroupRef(action.action_profile_group_id)
        raise invalid_argument(
            f"table {table.name}: the entry's action must be a member, a group or a set of actions"
        )
    if kind != "action":
        raise invalid_argument(f"table {table.name}: the entry's action must be a single action")
    return call_from_wire(table, action.action, default=False)


def default_from_wire(table: Table, action: p4r.TableAction) -> ActionCall:
    """The action of the default entry."""
    if table.implementation_id:
        raise StatusError(
            rpc_code.PERMISSION_DENIED,
            f"table {table.name}: the default action of tables with an action profile is constant",
        )
    if action.WhichOneof("type") != "action":
        raise invalid_argument(f"table {table.name}: the entry's action must be a single action")
    return call_from_wire(table, action.action, default=True)


def call_from_wire(table: Table, action: p4r.Action, *, default: bool) -> ActionCall:
    """An action that the table allows for entries or, with `default`, for the default entry."""
    ref = table.actions.get(action.action_id)
    if ref is None:
        raise invalid_argument(f"table {table.name} has no action with id {action.action_id:#x}")
    if default and not ref.as_default:
        raise StatusError(
            rpc_code.PERMISSION_DENIED,
            f"table {table.name}: action {ref.action.name} is not allowed as default action",
        )
    if not default and not ref.for_entries:
        raise StatusError(
            rpc_code.PERMISSION_DENIED,
            f"table {table.name}: action {ref.action.name} is allowed as default action only",
        )
    return ActionCall(ref.action.name, _params_from_wire(ref.action, action.params))


def call_to_wire(table: Table, call: ActionCall) -> p4r.Action:
    """An action and its arguments."""
    action = table.action_named(call.name)
    params = [
        p4r.Action.Param(param_id=param.id, value=translation.encode(param.translation, value))
        for param, value in zip(action.params, call.args, strict=True)
    ]
    return p4r.Action(action_id=action.id, params=params)


def _params_from_wire(action: Action, params: Sequence[p4r.Action.Param]) -> list[int]:
    given: dict[int, bytes] = {}
    ids = {param.id for param in action.params}
    for param in params:
        if param.param_id not in ids:
            raise invalid_argument(f"action {action.name} has no parameter with id {param.param_id}")
        if param.param_id in given:
            raise invalid_argument(f"action {action.name}: parameter id {param.param_id} is given twice")
        given[param.param_id] = param.value
    values = []
    for info in action.params:
        if info.id not in given:
            raise invalid_argument(f"action {action.name}: parameter {info.name} is missing")
        values.append(
            translation.decode(
                info.translation,
                given[info.id],
                info.bitwidth,
                f"parameter {info.name} of action {action.name}",
            )
        )
    return values


def _field_from_wire(owner: str, field: Field, match: p4r.FieldMatch | None) -> MatchField:
    what = f"match field {field.name} of {owner}"
    if match is None:
        if field.match == "exact":
            raise invalid_argument(f"{what}: a value is required, the field is exact")
        return MatchField.Any()
    kind = match.WhichOneof("field_match_type")
    if kind != field.match:
        raise invalid_argument(f"{what}: the field is {field.match}, the request has {kind or 'no match'}")
    if kind == "exact":
        return MatchField.Exact(_value_from_wire(what, field, match.exact.value))
    if kind != "optional" and not _same_bits(field):
        return _translated_from_wire(what, field, match)
    if kind == "lpm":
        return _lpm_from_wire(what, field, match.lpm)
    if kind == "ternary":
        return _ternary_from_wire(what, field, match.ternary)
    if kind == "range":
        return _range_from_wire(what, field, match.range)
    value = _value_from_wire(what, field, match.optional.value)
    return MatchField.Ternary(value, _ones(field)) if field.as_ternary else MatchField.Optional(value)


def _ones(field: Field) -> int:
    return (1 << field.bitwidth) - 1


def _same_bits(field: Field) -> bool:
    """Whether masks and ranges mean the same to controllers as to packets."""
    of = field.translation
    return of is None or (isinstance(of, translation.Numbers) and of.sdn_bitwidth == field.bitwidth)


def _translated_from_wire(what: str, field: Field, match: p4r.FieldMatch) -> MatchField:
    """A match of a translated type: exact in fact, whatever its kind (section 18.1.3)."""
    of = field.translation
    if not isinstance(of, translation.Numbers):
        raise StatusError(rpc_code.UNIMPLEMENTED, f"{what}: strings have no {field.match} match")
    ones = (1 << of.sdn_bitwidth) - 1
    if field.match == "lpm":
        string, exact = match.lpm.value, match.lpm.prefix_len == of.sdn_bitwidth
    elif field.match == "ternary":
        string, mask = match.ternary.value, bytestring.decode(match.ternary.mask, of.sdn_bitwidth, what)
        exact = mask == ones
    else:
        string, high = match.range.low, bytestring.decode(match.range.high, of.sdn_bitwidth, what)
        exact = bytestring.decode(string, of.sdn_bitwidth, what) == high
    if not exact:
        raise StatusError(
            rpc_code.UNIMPLEMENTED,
            f"{what}: of a type with another width for packets one value is matched, or any",
        )
    value = of.decode(string, field.bitwidth, what)
    if field.match == "lpm":
        return MatchField.Lpm(value, field.bitwidth)
    if field.match == "ternary":
        return MatchField.Ternary(value, _ones(field))
    return MatchField.Range(value, value)


def _value_from_wire(what: str, field: Field, string: bytes) -> int:
    return translation.decode(field.translation, string, field.bitwidth, what)


def _lpm_from_wire(what: str, field: Field, match: p4r.FieldMatch.LPM) -> MatchField:
    value = bytestring.decode(match.value, field.bitwidth, what)
    if match.prefix_len == 0:
        raise invalid_argument(f"{what}: a prefix length of 0 matches anything; the field must be omitted")
    if not 0 < match.prefix_len <= field.bitwidth:
        raise invalid_argument(f"{what}: prefix length {match.prefix_len} is not in 1..{field.bitwidth}")
    if value & ((1 << (field.bitwidth - match.prefix_len)) - 1):
        raise invalid_argument(
            f"{what}: {value:#x} has bits set beyond its prefix length of {match.prefix_len}"
        )
    return MatchField.Lpm(value, match.prefix_len)


def _ternary_from_wire(what: str, field: Field, match: p4r.FieldMatch.Ternary) -> MatchField:
    value = bytestring.decode(match.value, field.bitwidth, what)
    mask = bytestring.decode(match.mask, field.bitwidth, f"mask of {what}")
    if mask == 0:
        raise invalid_argument(f"{what}: a mask of 0 matches anything; the field must be omitted")
    if value & ~mask:
        raise invalid_argument(f"{what}: {value:#x} has bits set that its mask {mask:#x} ignores")
    return MatchField.Ternary(value, mask)


def _range_from_wire(what: str, field: Field, match: p4r.FieldMatch.Range) -> MatchField:
    low = bytestring.decode(match.low, field.bitwidth, f"low end of {what}")
    high = bytestring.decode(match.high, field.bitwidth, f"high end of {what}")
    if low > high:
        raise invalid_argument(f"{what}: the range's low end {low:#x} is above its high end {high:#x}")
    if _is_dont_care(field, MatchField.Range(low, high)):
        raise invalid_argument(f"{what}: the range of all values matches anything; the field must be omitted")
    return MatchField.Range(low, high)


def _is_dont_care(field: Field, match: MatchField) -> bool:
    """Whether an engine's match lets anything through, in whatever form constant entries say so."""
    if isinstance(match, MatchField.Lpm):
        return match.prefix_len == 0
    if isinstance(match, MatchField.Ternary):
        return match.mask == 0
    if isinstance(match, MatchField.Range):
        return match.low == 0 and match.high == (1 << field.bitwidth) - 1
    return isinstance(match, MatchField.Any)


def canonical_key(table: Table, key: Sequence[MatchField]) -> tuple[MatchField, ...]:
    """The key as `key_from_wire` gives it: one form of "don't care"."""
    return tuple(
        MatchField.Any() if _is_dont_care(field, match) else match
        for field, match in zip(table.fields, key, strict=True)
    )


def _field_to_wire(field: Field, match: MatchField) -> p4r.FieldMatch | None:
    if _is_dont_care(field, match):
        return None
    wire = p4r.FieldMatch(field_id=field.id)
    if field.as_ternary and isinstance(match, MatchField.Ternary):
        match = MatchField.Optional(match.value)
    if isinstance(field.translation, translation.Numbers) and not _same_bits(field):
        _translated_to_wire(field.translation, match, wire)
    elif isinstance(match, MatchField.Exact):
        wire.exact.value = translation.encode(field.translation, match.value)
    elif isinstance(match, MatchField.Lpm):
        wire.lpm.value = bytestring.encode(match.value)
        wire.lpm.prefix_len = match.prefix_len
    elif isinstance(match, MatchField.Ternary):
        wire.ternary.value = bytestring.encode(match.value)
        wire.ternary.mask = bytestring.encode(match.mask)
    elif isinstance(match, MatchField.Range):
        wire.range.low = bytestring.encode(match.low)
        wire.range.high = bytestring.encode(match.high)
    elif isinstance(match, MatchField.Optional):
        wire.optional.value = translation.encode(field.translation, match.value)
    return wire


def _translated_to_wire(of: translation.Numbers, match: MatchField, wire: p4r.FieldMatch) -> None:
    """What `_translated_from_wire` has read."""
    if isinstance(match, MatchField.Exact):
        wire.exact.value = of.encode(match.value)
    elif isinstance(match, MatchField.Lpm):
        wire.lpm.value, wire.lpm.prefix_len = of.encode(match.value), of.sdn_bitwidth
    elif isinstance(match, MatchField.Ternary):
        wire.ternary.value, wire.ternary.mask = (
            of.encode(match.value),
            bytestring.encode((1 << of.sdn_bitwidth) - 1),
        )
    elif isinstance(match, MatchField.Range):
        wire.range.low, wire.range.high = of.encode(match.low), of.encode(match.high)
    elif isinstance(match, MatchField.Optional):
        wire.optional.value = of.encode(match.value)
