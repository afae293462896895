// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Small programs with a header stack, a union, a variable-length field, meters and digests.

#![allow(dead_code)]

use serde_json::{Value as Json, json};

pub fn field(h: &str, f: &str) -> Json {
    json!({"type": "field", "value": [h, f]})
}

pub fn std_field(f: &str) -> Json {
    field("standard_metadata", f)
}

pub fn hex(v: u64) -> Json {
    json!({"type": "hexstr", "value": format!("{v:#x}")})
}

pub fn header(h: &str) -> Json {
    json!({"type": "header", "value": h})
}

pub fn stack(s: &str) -> Json {
    json!({"type": "header_stack", "value": s})
}

pub fn op(op: &str, left: Json, right: Json) -> Json {
    json!({"type": "expression", "value": {"op": op, "left": left, "right": right}})
}

pub fn call(op: &str, parameters: &[Json]) -> Json {
    json!({"op": op, "parameters": parameters})
}

pub fn assign(d: Json, a: Json) -> Json {
    call("assign", &[d, a])
}

pub fn extract(kind: &str, value: Json) -> Json {
    call("extract", &[json!({"type": kind, "value": value})])
}

pub fn state(name: &str, ops: &[Json], key: &[Json], transitions: &[Json]) -> Json {
    json!({"name": name, "id": 0, "parser_ops": ops, "transition_key": key, "transitions": transitions})
}

pub fn to(next: Option<&str>) -> Json {
    json!({"type": "default", "value": null, "mask": null, "next_state": next})
}

pub fn on(value: &str, next: Option<&str>) -> Json {
    json!({"type": "hexstr", "value": value, "mask": null, "next_state": next})
}

pub fn element(index: Json) -> Json {
    op("dereference_header_stack", stack("s"), index)
}

pub fn label_of(index: Json) -> Json {
    op("access_field", element(index), json!(0))
}

/// A program of headers a (x, y: 8 bits each), a stack s of 3 (label 7 bits, bos 1 bit), a union u
/// of ua and ub (v: 8 bits), o (n: 8 bits, v: at most 32 bits), and metadata m (p, q, color: 8
/// bits). Packets leave by port 1.
pub fn program(states: Json, ingress: &[Json], egress: &[Json]) -> Json {
    let mut ingress = ingress.to_vec();
    ingress.insert(0, assign(std_field("egress_spec"), hex(1)));
    let action = |id: u32, name: &str, primitives: &[Json]| json!({"name": name, "id": id, "runtime_data": [], "primitives": primitives});
    let pipeline = |id: u32, name: &str| {
        json!({"name": name, "id": id, "init_table": format!("t{id}"), "conditionals": [], "tables": [{
            "name": format!("t{id}"), "id": id, "key": [], "match_type": "exact", "type": "simple",
            "max_size": 16, "with_counters": false, "support_timeout": false, "direct_meters": null,
            "action_ids": [id], "actions": [name], "base_default_next": null, "next_tables": {name: null},
            "default_entry": {"action_id": id, "action_const": true, "action_data": [], "action_entry_const": true},
        }]})
    };
    let h = |name: &str, id: u32, kind: &str| json!({"name": name, "id": id, "header_type": kind, "metadata": false});
    json!({
        "header_types": [
            {"name": "standard_metadata", "id": 0, "fields": [
                ["ingress_port", 9, false], ["egress_spec", 9, false], ["egress_port", 9, false],
                ["instance_type", 32, false], ["packet_length", 32, false], ["parser_error", 32, false],
                ["mcast_grp", 16, false], ["egress_rid", 16, false], ["priority", 3, false], ["_padding", 2, false]]},
            {"name": "a_t", "id": 1, "fields": [["x", 8, false], ["y", 8, false]]},
            {"name": "s_t", "id": 2, "fields": [["label", 7, false], ["bos", 1, false]]},
            {"name": "u_t", "id": 3, "fields": [["v", 8, false]]},
            {"name": "o_t", "id": 4, "fields": [["n", 8, false], ["v", "*"]], "max_length": 5},
            {"name": "m_t", "id": 5, "fields": [["p", 8, false], ["q", 8, false], ["color", 8, false]]},
        ],
        "headers": [
            {"name": "standard_metadata", "id": 0, "header_type": "standard_metadata", "metadata": true},
            h("a", 1, "a_t"), h("s[0]", 2, "s_t"), h("s[1]", 3, "s_t"), h("s[2]", 4, "s_t"),
            h("ua", 5, "u_t"), h("ub", 6, "u_t"), h("o", 7, "o_t"),
            {"name": "m", "id": 8, "header_type": "m_t", "metadata": true},
        ],
        "header_stacks": [{"name": "s", "id": 0, "header_type": "s_t", "size": 3, "header_ids": [2, 3, 4]}],
        "header_union_types": [{"name": "u_ut", "id": 0, "headers": [["a", "u_t"], ["b", "u_t"]]}],
        "header_unions": [{"name": "u", "id": 0, "union_type": "u_ut", "header_ids": [5, 6]}],
        "errors": [["NoError", 0], ["PacketTooShort", 1], ["NoMatch", 2], ["StackOutOfBounds", 3],
                   ["HeaderTooShort", 4], ["ParserTimeout", 5], ["ParserInvalidArgument", 6]],
        "parsers": [{"name": "parser", "id": 0, "init_state": "start", "parse_states": states}],
        "parse_vsets": [{"name": "vs", "id": 0, "compressed_bitwidth": 8}],
        "deparsers": [{"name": "deparser", "id": 0,
                       "order": ["a", "s[0]", "s[1]", "s[2]", "ua", "ub", "o"]}],
        "meter_arrays": [
            {"name": "mt", "id": 0, "type": "packets", "rate_count": 2, "size": 2, "is_direct": false},
            {"name": "dm", "id": 1, "type": "bytes", "rate_count": 2, "is_direct": true,
             "binding": "t2", "result_target": ["m", "color"]}],
        "learn_lists": [{"name": "news", "id": 1, "elements": [field("a", "x"), field("m", "p")]}],
        "field_lists": [{"name": "kept", "id": 1, "elements": [field("m", "p")]}],
        "actions": [action(0, "ingress", &ingress), action(1, "egress", egress),
            {"name": "set", "id": 2, "runtime_data": [{"name": "v", "bitwidth": 8}], "primitives": [
                assign(field("a", "y"), json!({"type": "runtime_data", "value": 0}))]},
            action(3, "no", &[])],
        "pipelines": [pipeline(0, "ingress"), pipeline(1, "egress")],
        "field_aliases": [
            ["intrinsic_metadata.mcast_grp", ["standard_metadata", "mcast_grp"]],
            ["intrinsic_metadata.egress_rid", ["standard_metadata", "egress_rid"]],
            ["intrinsic_metadata.priority", ["standard_metadata", "priority"]]],
        "__meta__": {"version": [2, 23]},
    })
}

/// Extracts a only.
pub fn just_a() -> Json {
    json!([state(
        "start",
        &[extract("regular", json!("a"))],
        &[],
        &[to(None)]
    )])
}

/// Extracts a, then labels until one has bos set.
pub fn labels() -> Json {
    json!([
        state(
            "start",
            &[extract("regular", json!("a"))],
            &[],
            &[to(Some("label"))]
        ),
        state(
            "label",
            &[extract("stack", json!("s"))],
            &[json!({"type": "stack_field", "value": ["s", "bos"]})],
            &[on("0x00", Some("label")), to(None)],
        ),
    ])
}
