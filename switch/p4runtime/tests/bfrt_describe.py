# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A bf-rt.json of a v1model program, made of what the engine says of it.

So every table of BF Runtime can be tested on programs that are tested over P4Runtime as well. Programs for
Tofino have theirs from mecn-p4c.
"""

import itertools
import json
from collections.abc import Iterator
from typing import Any, TypeAlias

import mecn_native

MATCHES = {"exact": "Exact", "lpm": "LPM", "ternary": "Ternary", "range": "Range", "optional": "Optional"}
Wire: TypeAlias = Any
"""A part of the JSON."""
METER = ("CIR", "PIR", "CBS", "PBS")
UNLIMITED = (1 << 64) - 1


def _type(width: int) -> dict[str, Any]:
    return {"type": "bytes", "width": width}


def _key(number: int, name: str, match: str, kind: dict[str, Any], *, mandatory: bool = False) -> Wire:
    return {"id": number, "name": name, "match_type": match, "type": kind, "mandatory": mandatory}


def _data(number: int, name: str, kind: dict[str, Any], **more: Wire) -> Wire:
    flags = {"mandatory": more.pop("mandatory", False), "read_only": False}
    return {**flags, "singleton": {"id": number, "name": name, "repeated": False, "type": kind, **more}}


def _index(name: str) -> Wire:
    return _key(1, f"${name}_INDEX", "Exact", {"type": "uint32"}, mandatory=True)


def _counts() -> list[Any]:
    kind = {"type": "uint64", "default_value": 0}
    return [_data(65553, "$COUNTER_SPEC_BYTES", kind), _data(65554, "$COUNTER_SPEC_PKTS", kind)]


def _rates(octets: bool) -> list[Any]:
    units = ("KBPS", "KBPS", "KBITS", "KBITS") if octets else ("PPS", "PPS", "PKTS", "PKTS")
    kind = {"type": "uint64", "default_value": UNLIMITED}
    return [
        _data(65545 + i, f"$METER_SPEC_{name}_{unit}", kind)
        for i, (name, unit) in enumerate(zip(METER, units, strict=True))
    ]


class Describer:
    """Makes the description; ids are given out in order."""

    def __init__(self, switch: mecn_native.Switch) -> None:
        self._switch = switch
        self._ids = itertools.count(1)
        self._actions: dict[str, int] = {}
        self._profiles = {p.name: (next(self._ids), next(self._ids)) for p in switch.action_profiles()}

    def text(self) -> bytes:
        """The bf-rt.json."""
        tables = [*map(self._table, self._switch.tables()), *self._others()]
        learns = [
            {
                "name": f"pipe.{digest.name}",
                "id": next(self._ids),
                "fields": [
                    {"id": i, "name": f"f{i}", "repeated": False, "type": _type(width)}
                    for i, width in enumerate(digest.widths, 1)
                ],
            }
            for digest in self._switch.digests()
        ]
        return json.dumps({"schema_version": "1.0.0", "tables": tables, "learn_filters": learns}).encode()

    def _entry(self, name: str, kind: str, size: int, key: list[Any], data: list[Any], **more: Wire) -> Wire:
        number = more.pop("id", None) or next(self._ids)
        return {
            "name": f"pipe.{name}", "id": number, "table_type": kind, "size": size, "key": key, "data": data,
            "attributes": [], "supported_operations": ["Sync"], **more,
        }  # fmt: skip

    def _specs(self, table: mecn_native.TableInfo) -> list[Any]:
        return [
            {
                "id": self._actions.setdefault(action.name, 0x01000000 + len(self._actions) + 1),
                "name": action.name,
                "data": [
                    {"id": i, "name": p.name, "repeated": False, "mandatory": True, "type": _type(p.width)}
                    for i, p in enumerate(action.params, 1)
                ],
            }
            for action in {a.name: a for a in table.actions}.values()
        ]

    def _table(self, table: mecn_native.TableInfo) -> Wire:
        keys = [_key(i, k.name, MATCHES[k.match], _type(k.width)) for i, k in enumerate(table.keys, 1)]
        if any(k.match in ("ternary", "range", "optional") for k in table.keys):
            keys.append(_key(65537, "$MATCH_PRIORITY", "Exact", {"type": "uint32"}))
        data: list[Any] = []
        more: dict[str, Any] = {"action_specs": self._specs(table)}
        kind = "MatchAction_Direct"
        if table.action_profile is not None:
            member, group = self._profiles[table.action_profile]
            kind, more = "MatchAction_Indirect", {"depends_on": [member, group]}
            fields = [(65539, "$ACTION_MEMBER_ID"), (65540, "$SELECTOR_GROUP_ID")]
            data += [_data(number, name, {"type": "uint32"}) for number, name in fields]
        if table.has_direct_counter:
            data += _counts()
        if table.has_direct_meter:
            (meter,) = (m for m in self._switch.meters() if m.table == table.name)
            data += _rates(meter.bytes)
        if table.idle_timeout:
            states = {"type": "string", "choices": ["ENTRY_IDLE", "ENTRY_ACTIVE"]}
            data += [_data(65543, "$ENTRY_TTL", {"type": "uint32"}), _data(65544, "$ENTRY_HIT_STATE", states)]
            more["attributes"] = ["IdleTimeout"]
        if table.const_entries:
            more["attributes"] = ["ConstTable"]
        return self._entry(table.name, kind, table.size, keys, data, **more)

    def _others(self) -> Iterator[Wire]:
        switch = self._switch
        for counter in switch.counters():
            if counter.size:
                yield self._entry(counter.name, "Counter", counter.size, [_index("COUNTER")], _counts())
        for register in switch.registers():
            field = _data(1, f"{register.name}.f1", _type(register.width), mandatory=True)
            yield self._entry(register.name, "Register", register.size, [_index("REGISTER")], [field])
        for meter in switch.meters():
            if meter.size:
                yield self._entry(meter.name, "Meter", meter.size, [_index("METER")], _rates(meter.bytes))
        for values in switch.value_sets():
            keys = [_key(i, f"f{i}", "Ternary", _type(w)) for i, w in enumerate(values.widths, 1)]
            yield self._entry(values.name, "ParserValueSet", values.size, keys, [])
        for profile in switch.action_profiles():
            yield from self._profile(profile)

    def _profile(self, profile: mecn_native.ActionProfileInfo) -> Iterator[Wire]:
        member, group = self._profiles[profile.name]
        table = next(t for t in self._switch.tables() if t.action_profile == profile.name)
        number = {"type": "uint32"}
        key = [_key(65539, "$ACTION_MEMBER_ID", "Exact", number, mandatory=True)]
        specs = self._specs(table)
        yield self._entry(profile.name, "Action", profile.size, key, [], id=member, action_specs=specs)
        if profile.with_selector:
            key = [_key(65540, "$SELECTOR_GROUP_ID", "Exact", number, mandatory=True)]
            data = [
                _data(65539, "$ACTION_MEMBER_ID", number, repeated=True),
                _data(65564, "$ACTION_MEMBER_STATUS", {"type": "bool"}, repeated=True),
                _data(65565, "$MAX_GROUP_SIZE", {"type": "uint32", "default_value": 4}),
            ]
            yield self._entry(f"{profile.name}_sel", "Selector", 16, key, data, id=group, depends_on=[member])


def describe(device_config: bytes) -> bytes:
    """The bf-rt.json of a v1model program."""
    return Describer(mecn_native.Switch.from_json(device_config)).text()
