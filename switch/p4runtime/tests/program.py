# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A small program with a table of every match kind, as BMv2 JSON and P4Info.

One header `h` and, in ingress, in this order:

    route     lpm addr                         forward(port), drop; default drop; direct counter; 4 entries
    classify  exact kind, ternary port, range mark    set_mark(mark), @defaultonly NoAction
    choose    optional kind                    @tableonly set_mark(mark), NoAction
    wide      exact addr6                      set_mark(mark), NoAction
    fixed     exact kind, const entries        set_mark(mark), NoAction
    always    no key                           set_mark(mark), NoAction; const default

`set_mark` writes h.mark and counts in cell `mark` of the counter `seen` (8 cells).
"""

import json
from typing import Any

from finsy.proto import p4i, p4r

FORWARD, DROP, SET_MARK, NO_ACTION = 0x01000001, 0x01000002, 0x01000003, 0x01000004
ROUTE, CLASSIFY, CHOOSE, WIDE, FIXED, ALWAYS = (0x02000000 + i for i in range(1, 7))
SEEN = 0x12000001
ROUTE_STATS = 0x13000001
MARKS = 0x16000001

STANDARD_METADATA = (
    ("ingress_port", 9),
    ("egress_spec", 9),
    ("egress_port", 9),
    ("instance_type", 32),
    ("packet_length", 32),
    ("enq_timestamp", 32),
    ("enq_qdepth", 19),
    ("deq_timedelta", 32),
    ("deq_qdepth", 19),
    ("ingress_global_timestamp", 48),
    ("egress_global_timestamp", 48),
    ("mcast_grp", 16),
    ("egress_rid", 16),
    ("checksum_error", 1),
    ("parser_error", 32),
    ("priority", 3),
    ("_padding", 3),
)
HEADER = (("kind", 8), ("addr", 32), ("port", 16), ("mark", 8), ("addr6", 128))

_FIELD_WIDTHS = dict(HEADER)
_ACTION_PARAMS = {"forward": (("port", 9),), "drop": (), "set_mark": (("mark", 8),), "NoAction": ()}
_ACTION_IDS = {"forward": FORWARD, "drop": DROP, "set_mark": SET_MARK, "NoAction": NO_ACTION}
_MATCH_TYPES = {
    "exact": p4i.MatchField.EXACT,
    "lpm": p4i.MatchField.LPM,
    "ternary": p4i.MatchField.TERNARY,
    "range": p4i.MatchField.RANGE,
    "optional": p4i.MatchField.OPTIONAL,
}

# Name, P4Info id, size, key, actions, default action.
_TABLES: tuple[tuple[str, int, int, tuple[tuple[str, str], ...], tuple[str, ...], str], ...] = (
    ("route", ROUTE, 4, (("addr", "lpm"),), ("forward", "drop"), "drop"),
    (
        "classify",
        CLASSIFY,
        16,
        (("kind", "exact"), ("port", "ternary"), ("mark", "range")),
        ("set_mark", "NoAction"),
        "NoAction",
    ),
    ("choose", CHOOSE, 16, (("kind", "optional"),), ("set_mark", "NoAction"), "NoAction"),
    ("wide", WIDE, 16, (("addr6", "exact"),), ("set_mark", "NoAction"), "NoAction"),
    ("fixed", FIXED, 16, (("kind", "exact"),), ("set_mark", "NoAction"), "NoAction"),
    ("always", ALWAYS, 1, (), ("set_mark", "NoAction"), "NoAction"),
)


def _full(action: str) -> str:
    return action if action == "NoAction" else f"Ingress.{action}"


def _primitives(action: str) -> list[dict[str, Any]]:
    data = {"type": "runtime_data", "value": 0}
    if action == "forward":
        target = {"type": "field", "value": ["standard_metadata", "egress_spec"]}
        return [{"op": "assign", "parameters": [target, data]}]
    if action == "drop":
        return [{"op": "mark_to_drop", "parameters": [{"type": "header", "value": "standard_metadata"}]}]
    if action == "set_mark":
        return [
            {"op": "assign", "parameters": [{"type": "field", "value": ["h", "mark"]}, data]},
            {"op": "count", "parameters": [{"type": "counter_array", "value": "Ingress.seen"}, data]},
        ]
    return []


def _fixed_entries(action_id: int) -> list[dict[str, Any]]:
    return [
        {
            "match_key": [{"match_type": "exact", "key": f"0x{kind:02x}"}],
            "action_entry": {"action_id": action_id, "action_data": [f"0x{mark:x}"]},
            "priority": priority,
        }
        for priority, (kind, mark) in enumerate(((0xF0, 6), (0xF1, 7)), start=1)
    ]


def bmv2_json() -> dict[str, Any]:
    """As p4c writes it: each table has its own copies of its actions."""
    actions: list[dict[str, Any]] = []
    tables: list[dict[str, Any]] = []
    for number, (name, _, size, key, names, default) in enumerate(_TABLES):
        ids = {}
        for action in names:
            ids[action] = len(actions)
            params = [{"name": param, "bitwidth": width} for param, width in _ACTION_PARAMS[action]]
            actions.append(
                {
                    "name": _full(action),
                    "id": ids[action],
                    "runtime_data": params,
                    "primitives": _primitives(action),
                }
            )
        following = f"Ingress.{_TABLES[number + 1][0]}" if number + 1 < len(_TABLES) else None
        kinds = [kind for _, kind in key]
        whole = "exact"
        if "range" in kinds:
            whole = "range"
        elif "optional" in kinds:
            whole = "ternary"
        elif "lpm" in kinds:
            whole = "lpm"
        table: dict[str, Any] = {
            "name": f"Ingress.{name}",
            "id": number,
            "key": [
                {"match_type": kind, "name": field, "target": ["h", field], "mask": None}
                for field, kind in key
            ],
            "match_type": whole,
            "type": "simple",
            "max_size": size,
            "with_counters": name == "route",
            "support_timeout": False,
            "direct_meters": None,
            "action_ids": list(ids.values()),
            "actions": [_full(action) for action in names],
            "base_default_next": following,
            "next_tables": {_full(action): following for action in names},
            "default_entry": {
                "action_id": ids[default],
                "action_const": name == "always",
                "action_data": [],
                "action_entry_const": name == "always",
            },
        }
        if name == "fixed":
            table["entries"] = _fixed_entries(ids["set_mark"])
        tables.append(table)
    return {
        "program": "probe.p4",
        "__meta__": {"version": [2, 23], "compiler": "hand-written"},
        "header_types": [
            {"name": "scalars_0", "id": 0, "fields": []},
            {
                "name": "standard_metadata",
                "id": 1,
                "fields": [[name, width, False] for name, width in STANDARD_METADATA],
            },
            {"name": "h_t", "id": 2, "fields": [[name, width, False] for name, width in HEADER]},
        ],
        "headers": [
            {"name": "scalars", "id": 0, "header_type": "scalars_0", "metadata": True, "pi_omit": True},
            {
                "name": "standard_metadata",
                "id": 1,
                "header_type": "standard_metadata",
                "metadata": True,
                "pi_omit": True,
            },
            {"name": "h", "id": 2, "header_type": "h_t", "metadata": False, "pi_omit": True},
        ],
        "header_stacks": [],
        "header_union_types": [],
        "header_unions": [],
        "header_union_stacks": [],
        "field_lists": [],
        "errors": [["NoError", 0], ["PacketTooShort", 1], ["NoMatch", 2], ["StackOutOfBounds", 3]],
        "enums": [],
        "parsers": [
            {
                "name": "parser",
                "id": 0,
                "init_state": "start",
                "parse_states": [
                    {
                        "name": "start",
                        "id": 0,
                        "parser_ops": [{"op": "extract", "parameters": [{"type": "regular", "value": "h"}]}],
                        "transitions": [{"type": "default", "value": None, "mask": None, "next_state": None}],
                        "transition_key": [],
                    }
                ],
            }
        ],
        "parse_vsets": [],
        "deparsers": [{"name": "deparser", "id": 0, "order": ["h"]}],
        "meter_arrays": [],
        "counter_arrays": [
            {"name": "Ingress.seen", "id": 0, "size": 8, "is_direct": False},
            {"name": "Ingress.route_stats", "id": 1, "is_direct": True, "binding": "Ingress.route"},
        ],
        "register_arrays": [{"name": "Ingress.marks", "id": 0, "size": 4, "bitwidth": 96}],
        "calculations": [],
        "learn_lists": [],
        "actions": actions,
        "pipelines": [
            {
                "name": "ingress",
                "id": 0,
                "init_table": "Ingress.route",
                "tables": tables,
                "action_profiles": [],
                "conditionals": [],
            },
            {
                "name": "egress",
                "id": 1,
                "init_table": None,
                "tables": [],
                "action_profiles": [],
                "conditionals": [],
            },
        ],
        "checksums": [],
        "force_arith": [],
        "extern_instances": [],
        "field_aliases": [],
    }


def p4info() -> p4i.P4Info:
    """What p4c would write beside it."""
    info = p4i.P4Info(pkg_info=p4i.PkgInfo(arch="v1model"))
    for name, params in _ACTION_PARAMS.items():
        action = info.actions.add()
        action.preamble.id = _ACTION_IDS[name]
        action.preamble.name = _full(name)
        action.preamble.alias = name
        for number, (param, width) in enumerate(params, start=1):
            action.params.add(id=number, name=param, bitwidth=width)
    for name, table_id, size, key, names, _ in _TABLES:
        table = info.tables.add(size=size, is_const_table=name == "fixed")
        table.preamble.id = table_id
        table.preamble.name = f"Ingress.{name}"
        table.preamble.alias = name
        for number, (field, kind) in enumerate(key, start=1):
            table.match_fields.add(
                id=number, name=field, bitwidth=_FIELD_WIDTHS[field], match_type=_MATCH_TYPES[kind]
            )
        for action_name in names:
            scope = p4i.ActionRef.TABLE_AND_DEFAULT
            if (name, action_name) == ("classify", "NoAction"):
                scope = p4i.ActionRef.DEFAULT_ONLY
            if (name, action_name) == ("choose", "set_mark"):
                scope = p4i.ActionRef.TABLE_ONLY
            table.action_refs.add(id=_ACTION_IDS[action_name], scope=scope)
        if name == "route":
            table.direct_resource_ids.append(ROUTE_STATS)
        if name == "always":
            table.const_default_action_id = NO_ACTION
    seen = info.counters.add(size=8)
    seen.preamble.id, seen.preamble.name, seen.preamble.alias = SEEN, "Ingress.seen", "seen"
    seen.spec.unit = p4i.CounterSpec.BOTH
    stats = info.direct_counters.add(direct_table_id=ROUTE)
    stats.preamble.id, stats.preamble.name, stats.preamble.alias = (
        ROUTE_STATS,
        "Ingress.route_stats",
        "route_stats",
    )
    stats.spec.unit = p4i.CounterSpec.BOTH
    marks = info.registers.add(size=4)
    marks.preamble.id, marks.preamble.name, marks.preamble.alias = MARKS, "Ingress.marks", "marks"
    marks.type_spec.bitstring.bit.bitwidth = 96
    return info


def config(*, cookie: int | None = None) -> p4r.ForwardingPipelineConfig:
    """The pipeline config of this program."""
    result = p4r.ForwardingPipelineConfig(
        p4info=p4info(), p4_device_config=json.dumps(bmv2_json()).encode("utf-8")
    )
    if cookie is not None:
        result.cookie.cookie = cookie
    return result


def frame(kind: int = 0, addr: int = 0, port: int = 0, mark: int = 0, addr6: int = 0) -> bytes:
    """A packet: header `h`."""
    value = 0
    for (_, width), field in zip(HEADER, (kind, addr, port, mark, addr6), strict=True):
        value = value << width | field
    return value.to_bytes(sum(_FIELD_WIDTHS.values()) // 8, "big")
