// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! BMv2 JSON of small programs.

mod common;

use common::{compiled, expression, primitives, program};
use serde_json::{Value, json};

/// The primitives that the ingress body becomes.
fn body(locals: &str, body: &str) -> Vec<String> {
    primitives(&compiled(&program("", locals, body)).0)
}

fn ingress(j: &Value) -> &Value {
    &j["pipelines"][0]
}

#[test]
fn results_are_masked_where_they_might_not_fit() {
    assert_eq!(
        body("", "hdr.h.a = hdr.h.a + hdr.h.b;"),
        ["assign(h.a, ((h.a + h.b) & 0xff))"]
    );
    assert_eq!(
        body("", "hdr.h.a = hdr.h.a - 1;"),
        ["assign(h.a, ((h.a - 0x01) & 0xff))"]
    );
    assert_eq!(
        body("", "hdr.h.a = ~hdr.h.a;"),
        ["assign(h.a, (~(h.a) & 0xff))"]
    );
    assert_eq!(
        body("", "hdr.h.a = hdr.h.a & hdr.h.b;"),
        ["assign(h.a, (h.a & h.b))"]
    );
    assert_eq!(
        body("", "hdr.h.c = (bit<16>)hdr.h.a * 255;"),
        ["assign(h.c, (h.a * 0x00ff))"]
    );
    assert_eq!(
        body("", "hdr.h.c = (bit<16>)hdr.h.a * 300;"),
        ["assign(h.c, ((h.a * 0x012c) & 0xffff))"]
    );
    assert_eq!(
        body("", "hdr.h.a = (bit<8>)hdr.h.c;"),
        ["assign(h.a, (h.c & 0xff))"]
    );
    assert_eq!(
        body("", "hdr.h.s = hdr.h.s + 1;"),
        ["assign(h.s, ((h.s + 0x01) two_comp_mod 0x8))"]
    );
    assert_eq!(
        body("", "hdr.h.a = hdr.h.a |+| 1;"),
        ["assign(h.a, ((h.a + 0x01) usat_cast 0x08))"]
    );
    assert_eq!(
        body("", "hdr.h.s = hdr.h.s |-| 1;"),
        ["assign(h.s, ((h.s - 0x01) sat_cast 0x08))"]
    );
}

#[test]
fn slices_and_concatenation() {
    assert_eq!(
        body("", "hdr.h.a = hdr.h.c[15:8];"),
        ["assign(h.a, (h.c >> 0x08))"]
    );
    assert_eq!(
        body("", "hdr.h.a = hdr.h.d[15:8];"),
        ["assign(h.a, ((h.d >> 0x08) & 0xff))"]
    );
    assert_eq!(
        body("", "hdr.h.c = hdr.h.a ++ hdr.h.b;"),
        ["assign(h.c, ((h.a << 0x08) | h.b))"]
    );
    assert_eq!(
        body("", "hdr.h.c[7:4] = 4w3;"),
        ["assign(h.c, ((h.c & 0xff0f) | 0x0030))"]
    );
}

#[test]
fn truth_values_are_stored_as_bits() {
    assert_eq!(
        body("", "meta.y = true;"),
        ["assign(scalars.userMetadata.y, 0x01)"]
    );
    assert_eq!(
        body("", "meta.y = hdr.h.a == 1;"),
        ["assign(scalars.userMetadata.y, b2d((h.a == 0x01)))"]
    );
    assert_eq!(
        body("", "meta.y = meta.y && hdr.g.isValid();"),
        ["assign(scalars.userMetadata.y, b2d((d2b(scalars.userMetadata.y) and d2b(g.$valid$))))"]
    );
}

#[test]
fn parameters_are_bound_without_copies_where_that_is_safe() {
    let swap =
        "control Swap(inout bit<8> x, inout bit<8> y) { apply { bit<8> t = x; x = y; y = t; } }";
    let text = program(swap, "Swap() s;", "s.apply(hdr.h.a, hdr.h.b);");
    assert_eq!(
        primitives(&compiled(&text).0),
        [
            "assign(scalars.I.s.t, h.a)",
            "assign(h.a, h.b)",
            "assign(h.b, scalars.I.s.t)"
        ]
    );
}

#[test]
fn parameters_are_copied_where_they_overlap() {
    // x is read after z, which is the same place, was written.
    let add = "control Add(in bit<8> x, inout bit<8> z) { apply { z = z + 1; z = z + x; } }";
    let text = program(add, "Add() s;", "s.apply(hdr.h.a, hdr.h.a);");
    assert_eq!(
        primitives(&compiled(&text).0),
        [
            "assign(scalars.I.s.x, h.a)",
            "assign(h.a, ((h.a + 0x01) & 0xff))",
            "assign(h.a, ((h.a + scalars.I.s.x) & 0xff))"
        ]
    );
}

#[test]
fn instances_have_their_own_state_and_names() {
    let count = "control Count(in bit<8> i) { counter(8, CounterType.packets) c; apply { c.count((bit<32>)i); } }";
    let text = program(
        count,
        "Count() one; @name(\"two\") Count() other;",
        "one.apply(hdr.h.a); other.apply(hdr.h.b);",
    );
    let (j, info) = compiled(&text);
    let names: Vec<&str> = j["counter_arrays"]
        .as_array()
        .expect("array")
        .iter()
        .filter_map(|c| c["name"].as_str())
        .collect();
    assert_eq!(names, ["I.one.c", "I.two.c"]);
    assert!(info.contains("alias: \"one.c\""), "{info}");
    assert_eq!(
        primitives(&j),
        ["count(I.one.c, h.a)", "count(I.two.c, h.b)"]
    );
}

#[test]
fn constructor_parameters_are_constants() {
    let add = "control Add(inout bit<8> v)(bit<8> n) { apply { v = v + n; } }";
    let text = program(
        add,
        "Add(3) three; Add(4) four;",
        "three.apply(hdr.h.a); four.apply(hdr.h.a);",
    );
    assert_eq!(
        primitives(&compiled(&text).0),
        [
            "assign(h.a, ((h.a + 0x03) & 0xff))",
            "assign(h.a, ((h.a + 0x04) & 0xff))"
        ]
    );
}

#[test]
fn ifs_in_actions_become_choices() {
    let locals = "action a(bit<8> v) { if (hdr.h.a == v) { hdr.h.b = 1; return; } hdr.h.b = 2; }
        table t { actions = { a; NoAction; } }";
    assert_eq!(
        body(locals, "t.apply();")[0],
        "assign(h.b, ((h.a == $0) ? 0x01 : 0x02))"
    );
    let swap =
        "action a() { if (hdr.h.a == 1) { hdr.h.a = 2; hdr.h.b = 3; } else { hdr.h.b = 4; } }
        table t { actions = { a; NoAction; } }";
    // The condition is kept: its operand changes in between.
    assert_eq!(
        body(swap, "t.apply();"),
        [
            "assign(scalars.I.a.cond, b2d((h.a == 0x01)))",
            "assign(h.a, (d2b(scalars.I.a.cond) ? 0x02 : h.a))",
            "assign(h.b, (d2b(scalars.I.a.cond) ? 0x03 : h.b))",
            "assign(h.b, (not(d2b(scalars.I.a.cond)) ? 0x04 : h.b))"
        ]
    );
}

#[test]
fn atomic_blocks_are_one_action() {
    let (j, _) = compiled(&program(
        "",
        "register<bit<8>>(4) r;",
        "bit<8> v; @atomic { r.read(v, 0); if (v == 0) { v = 7; } else { v = v - 1; } r.write(0, v); }",
    ));
    assert_eq!(
        primitives(&j),
        [
            "register_read(scalars.I.v, I.r, 0x00000000)",
            "assign(scalars.I.v, ((scalars.I.v == 0x00) ? 0x07 : ((scalars.I.v - 0x01) & 0xff)))",
            "register_write(I.r, 0x00000000, scalars.I.v)"
        ]
    );
    assert_eq!(ingress(&j)["conditionals"], json!([]));
}

#[test]
fn hit_and_miss_are_edges() {
    let locals = "action a() { } table t { key = { hdr.h.a: exact; } actions = { a; NoAction; } }";
    let (j, _) = compiled(&program(
        "",
        locals,
        "if (t.apply().hit) { hdr.h.a = 1; } else { hdr.h.a = 2; }",
    ));
    let t = &ingress(&j)["tables"][0];
    assert_eq!(t["name"], "I.t");
    assert_eq!(t["base_default_next"], Value::Null);
    assert!(t["next_tables"]["__HIT__"].is_string() && t["next_tables"]["__MISS__"].is_string());
    assert_ne!(t["next_tables"]["__HIT__"], t["next_tables"]["__MISS__"]);
}

#[test]
fn switches_on_actions_are_edges() {
    let locals = "action a() { } action b() { } action c() { }
        table t { actions = { a; b; c; } default_action = c(); }";
    let (j, _) = compiled(&program(
        "",
        locals,
        "switch (t.apply().action_run) { a: b: { hdr.h.a = 1; } default: { hdr.h.a = 2; } }",
    ));
    let next = &ingress(&j)["tables"][0]["next_tables"];
    assert_eq!(next["I.a"], next["I.b"]);
    assert_ne!(next["I.a"], next["I.c"]);
}

#[test]
fn exit_ends_the_pipeline_and_return_the_control() {
    let inner = "control Inner(inout bit<8> v) { apply { if (v == 1) { return; } if (v == 2) { exit; } v = 9; } }";
    let (j, _) = compiled(&program(
        inner,
        "Inner() i;",
        "i.apply(hdr.h.a); hdr.h.b = 5;",
    ));
    let p = ingress(&j);
    let node = |name: &Value| {
        let all = p["conditionals"]
            .as_array()
            .expect("array")
            .iter()
            .chain(p["tables"].as_array().expect("array"));
        all.into_iter()
            .find(|n| n["name"] == *name)
            .cloned()
            .unwrap_or(Value::Null)
    };
    let first = node(&p["init_table"]);
    assert_eq!(expression(&first["expression"]), "(h.a == 0x01)");
    let second = node(&first["false_next"]);
    assert_eq!(expression(&second["expression"]), "(h.a == 0x02)");
    assert_eq!(second["true_next"], Value::Null);
    assert_ne!(first["true_next"], Value::Null);
}

#[test]
fn tables_in_p4cs_form() {
    let locals = "action set(bit<8> v) { hdr.h.b = v; }
        table t {
            key = { hdr.h.a: exact; hdr.h.c: lpm; hdr.h.b: ternary @name(\"b\"); }
            actions = { set; @defaultonly NoAction; }
            const default_action = NoAction();
            size = 64;
        }";
    let (j, _) = compiled(&program("", locals, "t.apply();"));
    let mut t = ingress(&j)["tables"][0].clone();
    assert_eq!(
        t["source_info"],
        json!({"filename": "test.p4", "line": 13, "column": 14, "source_fragment": "t"})
    );
    t.as_object_mut().expect("object").remove("source_info");
    assert_eq!(
        t,
        json!({
            "name": "I.t", "id": 0,
            "key": [
                {"match_type": "exact", "name": "hdr.h.a", "target": ["h", "a"], "mask": null},
                {"match_type": "lpm", "name": "hdr.h.c", "target": ["h", "c"], "mask": null},
                {"match_type": "ternary", "name": "b", "target": ["h", "b"], "mask": null}
            ],
            "match_type": "ternary", "type": "simple", "max_size": 64, "with_counters": false,
            "support_timeout": false, "direct_meters": null,
            "action_ids": [0, 1], "actions": ["I.set", "NoAction"],
            "base_default_next": null, "next_tables": {"I.set": null, "NoAction": null},
            "default_entry": {"action_id": 1, "action_const": true, "action_data": [], "action_entry_const": true}
        })
    );
}

#[test]
fn entries_in_p4cs_form() {
    let locals = "action set(bit<8> v) { hdr.h.b = v; }
        table t {
            key = { hdr.h.a: exact; hdr.h.c: range; }
            actions = { set; NoAction; }
            const entries = { (1, 2 .. 3): set(4); (5, _): NoAction(); }
        }";
    let (j, _) = compiled(&program("", locals, "t.apply();"));
    let entries = &ingress(&j)["tables"][0]["entries"];
    assert_eq!(
        entries[0]["match_key"],
        json!([
            {"match_type": "exact", "key": "0x01"},
            {"match_type": "range", "start": "0x0002", "end": "0x0003"}
        ])
    );
    assert_eq!(
        entries[0]["action_entry"],
        json!({"action_id": 0, "action_data": ["0x4"]})
    );
    assert_eq!(
        entries[1]["match_key"][1],
        json!({"match_type": "range", "start": "0x0000", "end": "0xffff"})
    );
    assert_eq!(ingress(&j)["tables"][0]["max_size"], 2);
}

#[test]
fn select_compares_bytes_and_masks() {
    let text = program("", "", "").replace(
        "transition accept;",
        "transition select(hdr.h.a, hdr.h.d[11:0]) { (1, 5): accept; (2, _): next; (3 .. 4, 0x100 &&& 0xf00): next; } }
         state next { p.extract(hdr.g); transition accept;",
    );
    let (j, _) = compiled(&text);
    let states = &j["parsers"][0]["parse_states"];
    let cases: Vec<(Value, Value)> = states[0]["transitions"]
        .as_array()
        .expect("array")
        .iter()
        .map(|t| (t["value"].clone(), t["mask"].clone()))
        .collect();
    let wanted = [
        (json!("0x010005"), Value::Null),
        (json!("0x020000"), json!("0xff0000")),
        (json!("0x030100"), json!("0xff0f00")),
        (json!("0x040100"), json!("0xff0f00")),
        (Value::Null, Value::Null),
    ];
    assert_eq!(cases, wanted);
    // What matches nothing is an error of the parser.
    assert_eq!(states[0]["transitions"][4]["next_state"], "noMatch");
}

#[test]
fn standard_metadata_is_v1models() {
    let (j, _) = compiled(&program("", "", ""));
    let t = j["header_types"]
        .as_array()
        .expect("array")
        .iter()
        .find(|t| t["name"] == "standard_metadata")
        .expect("there");
    let fields: Vec<(String, i64)> = t["fields"]
        .as_array()
        .expect("array")
        .iter()
        .map(|f| {
            (
                f[0].as_str().unwrap_or("").to_string(),
                f[1].as_i64().unwrap_or(0),
            )
        })
        .collect();
    let names: Vec<&str> = fields.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(
        names[..16],
        [
            "ingress_port",
            "egress_spec",
            "egress_port",
            "instance_type",
            "packet_length",
            "enq_timestamp",
            "enq_qdepth",
            "deq_timedelta",
            "deq_qdepth",
            "ingress_global_timestamp",
            "egress_global_timestamp",
            "mcast_grp",
            "egress_rid",
            "checksum_error",
            "parser_error",
            "priority"
        ]
    );
    assert_eq!(fields.iter().map(|(_, w)| w).sum::<i64>() % 8, 0);
    assert!(
        j["field_aliases"]
            .as_array()
            .expect("array")
            .contains(&json!([
                "queueing_metadata.deq_qdepth",
                ["standard_metadata", "deq_qdepth"]
            ]))
    );
}

#[test]
fn checksums_in_p4cs_form() {
    let text = program("", "", "").replace(
        "control C(inout headers_t hdr, inout meta_t meta) { apply { } }",
        "control C(inout headers_t hdr, inout meta_t meta) {
            apply { update_checksum(hdr.h.isValid(), { hdr.h.a, 8w1 }, hdr.h.c, HashAlgorithm.csum16); }
        }",
    );
    let (j, _) = compiled(&text);
    assert_eq!(j["calculations"][0]["algo"], "csum16");
    assert_eq!(
        j["calculations"][0]["input"],
        json!([{"type": "field", "value": ["h", "a"]}, {"type": "hexstr", "value": "0x01", "bitwidth": 8}])
    );
    let c = &j["checksums"][0];
    assert_eq!(c["target"], json!(["h", "c"]));
    assert_eq!((&c["verify"], &c["update"]), (&json!(false), &json!(true)));
    assert_eq!(
        c["if_cond"],
        json!({"type": "expression", "value": {"op": "d2b", "left": null,
            "right": {"type": "field", "value": ["h", "$valid$"]}}})
    );
}

#[test]
fn the_same_program_gives_the_same_bytes() {
    let text = program(
        "",
        "action a() { } table t { key = { hdr.h.a: exact; } actions = { a; NoAction; } }",
        "t.apply();",
    );
    let first = common::compile_text(&text).expect("no errors");
    for _ in 0..5 {
        assert_eq!(common::compile_text(&text).expect("no errors"), first);
    }
}
