// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Stacks, unions, loops, functions, initialisers and the externs of v1model, as BMv2 JSON and P4Info.

mod common;

use common::{compile_text, compiled, primitives, program};
use serde_json::Value;

const EXTERNS: &str = include_str!("programs/externs.p4");
const CONTROL: &str = include_str!("programs/control.p4");

fn warnings(text: &str) -> Vec<String> {
    match compile_text(text) {
        Ok(c) => c
            .warnings
            .iter()
            .map(|w| w.lines().next().unwrap_or("").to_string())
            .collect(),
        Err(e) => panic!("{e}"),
    }
}

/// The action of this name.
fn action<'a>(j: &'a Value, name: &str) -> &'a Value {
    j["actions"]
        .as_array()
        .and_then(|l| l.iter().find(|a| a["name"] == name))
        .expect("an action")
}

fn ops(a: &Value) -> Vec<&str> {
    a["primitives"]
        .as_array()
        .expect("primitives")
        .iter()
        .filter_map(|p| p["op"].as_str())
        .collect()
}

#[test]
fn whole_programs_compile() {
    compiled(EXTERNS);
    compiled(CONTROL);
}

#[test]
fn action_profiles_and_selectors_are_listed() {
    let (j, info) = compiled(EXTERNS);
    let profiles = j["pipelines"][0]["action_profiles"]
        .as_array()
        .expect("profiles");
    assert_eq!(profiles.len(), 2);
    assert_eq!(profiles[0]["name"], "I.sel");
    assert_eq!(profiles[0]["selector"]["algo"], "crc16");
    assert_eq!(
        profiles[0]["selector"]["input"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(profiles[1]["max_size"], 64);
    let tables = j["pipelines"][0]["tables"].as_array().expect("tables");
    let t = tables.iter().find(|t| t["name"] == "I.t").expect("I.t");
    assert_eq!(
        (t["type"].as_str(), t["action_profile"].as_str()),
        (Some("indirect_ws"), Some("I.sel"))
    );
    assert_eq!(
        t["key"].as_array().map(Vec::len),
        Some(1),
        "selector keys are no keys"
    );
    assert!(t.get("default_entry").is_none());
    assert!(
        info.contains("  with_selector: true\n  size: 128\n"),
        "{info}"
    );
    assert!(info.contains("implementation_id: "));
}

#[test]
fn field_lists_and_learn_lists_count_from_one() {
    let (j, info) = compiled(EXTERNS);
    let names: Vec<&str> = j["field_lists"]
        .as_array()
        .expect("lists")
        .iter()
        .filter_map(|l| l["name"].as_str())
        .collect();
    assert_eq!(names, ["field_list1", "field_list2", "fl", "field_list9"]);
    let first = &j["field_lists"][0];
    assert_eq!(first["id"], 1);
    let fields: Vec<&str> = first["elements"]
        .as_array()
        .expect("elements")
        .iter()
        .filter_map(|e| e["value"][1].as_str())
        .collect();
    assert_eq!(
        fields,
        [
            "userMetadata.f1",
            "userMetadata.in_.p",
            "userMetadata.in_.q"
        ]
    );
    assert_eq!(j["learn_lists"][0]["id"], 1);
    assert_eq!(j["learn_lists"][0]["name"], "dig_t");
    assert_eq!(
        j["learn_lists"][0]["elements"].as_array().map(Vec::len),
        Some(4)
    );
    assert!(info.contains("digests {\n"), "{info}");
    assert!(
        info.contains("    struct {\n      name: \"dig_t\"\n"),
        "{info}"
    );
    assert!(info.contains("      name: \"FL\"\n"), "{info}");
}

#[test]
fn packet_headers_of_the_controller_are_told() {
    let (_, info) = compiled(EXTERNS);
    let at = info
        .find("controller_packet_metadata {")
        .expect("packet metadata");
    assert!(
        info[at..].contains("    name: \"packet_in\"\n    alias: \"packet_in\"\n"),
        "{info}"
    );
    assert!(
        info[at..].contains("    id: 7\n    name: \"pad\"\n    bitwidth: 7\n"),
        "{info}"
    );
}

#[test]
fn actions_jump_where_values_cannot_be_chosen() {
    let (j, _) = compiled(EXTERNS);
    let cond = action(&j, "I.cond");
    let list = ops(cond);
    assert!(
        list.contains(&"_jump_if_zero") && list.contains(&"count"),
        "{list:?}"
    );
    // Every target is a primitive, or the end.
    for p in cond["primitives"].as_array().expect("primitives") {
        let target = match p["op"].as_str() {
            Some("_jump") => &p["parameters"][0],
            Some("_jump_if_zero") => &p["parameters"][1],
            _ => continue,
        };
        let hex = target["value"]
            .as_str()
            .and_then(|s| s.strip_prefix("0x"))
            .expect("a number");
        assert!(usize::from_str_radix(hex, 16).expect("hexadecimal") <= list.len());
    }
    let exit = list.iter().position(|o| *o == "exit").expect("exit");
    assert_eq!(
        list.get(exit + 1),
        Some(&"_jump"),
        "nothing runs after exit"
    );
}

#[test]
fn loops_are_unrolled() {
    let text = program("", "", "for (bit<8> i in 1..3) { hdr.h.a = hdr.h.a + i; }");
    let (j, _) = compiled(&text);
    let list = primitives(&j);
    assert_eq!(
        list,
        [
            "assign(hdr.h.a".replace("hdr.", "") + ", ((h.a + 0x01) & 0xff))",
            "assign(h.a, ((h.a + 0x02) & 0xff))".to_string(),
            "assign(h.a, ((h.a + 0x03) & 0xff))".to_string(),
        ]
    );
    let text = program(
        "",
        "",
        "bit<8> i; for (i = 0; i < 9; i = i + 4) { } hdr.h.a = i;",
    );
    let list = primitives(&compiled(&text).0);
    assert!(list.iter().any(|p| p.ends_with(", 0x0c)")), "{list:?}");
}

#[test]
fn a_stack_index_at_run_time_is_a_choice() {
    let text = program(
        "header l_t { bit<8> v; }",
        "l_t[2] s;",
        "hdr.h.a = s[hdr.h.b].v;",
    );
    let list = primitives(&compiled(&text).0);
    let read = list
        .iter()
        .find(|p| p.starts_with("assign(h.a"))
        .expect("an assignment");
    assert!(read.contains(" ? I.s[0].v : I.s[1].v)"), "{read}");
    let text = program("header l_t { bit<8> v; }", "l_t[3] s;", "s[hdr.h.b].v = 7;");
    let (j, _) = compiled(&text);
    assert_eq!(
        j["pipelines"][0]["conditionals"].as_array().map(Vec::len),
        Some(3)
    );
}

#[test]
fn one_header_of_a_union_is_valid() {
    let text = program(
        "header x_t { bit<8> v; } header y_t { bit<16> v; } header_union u_t { x_t x; y_t y; }",
        "u_t u;",
        "u.y.setValid(); if (u.isValid()) { hdr.h.a = 1; }",
    );
    let (j, _) = compiled(&text);
    let list = primitives(&j);
    let add = list
        .iter()
        .position(|p| p == "add_header(I.u.y)")
        .expect("setValid");
    assert_eq!(
        list.get(add + 1).map(String::as_str),
        Some("remove_header(I.u.x)")
    );
    let condition = j["pipelines"][0]["conditionals"][0]["expression"].to_string();
    assert!(
        condition.contains("I.u.x") && condition.contains("I.u.y"),
        "{condition}"
    );
}

#[test]
fn generic_functions_are_made_for_each_type() {
    let text = program(
        "T same<T>(in T x) { T y = x; return y; }",
        "",
        "hdr.h.a = same(hdr.h.b); hdr.h.c = same(hdr.h.c); bool b = same(true); if (b) { hdr.h.b = 1; }",
    );
    let (j, _) = compiled(&text);
    let widths: Vec<u64> = j["header_types"][0]["fields"]
        .as_array()
        .expect("fields")
        .iter()
        .filter(|f| f[0].as_str().is_some_and(|n| n.starts_with("I.y")))
        .filter_map(|f| f[1].as_u64())
        .collect();
    assert_eq!(widths, [8, 16, 1]);
}

#[test]
fn default_values_are_zero_and_invalid() {
    let text = program(
        "struct p_t { bit<8> x; bool y; error e; }",
        "",
        "p_t p = { y = true, ... }; p_t q = ...; hdr.h = ...; if (p == q) { hdr.h.a = p.x; }",
    );
    let list = primitives(&compiled(&text).0);
    assert!(
        list.contains(&"assign(scalars.I.p.x, 0x00)".to_string()),
        "{list:?}"
    );
    assert!(list.contains(&"remove_header(h)".to_string()), "{list:?}");
}

#[test]
fn priorities_follow_the_rules_of_the_language() {
    let (j, _) = compiled(&program(
        "",
        "action x(bit<8> q) { hdr.h.a = q; }
         table t { key = { hdr.h.b: ternary; } actions = { x; NoAction; } largest_priority_wins = false; priority_delta = 10;
             entries = { priority = 20: 1: x(1); 3: x(2); priority = 5: 7: x(3); _: x(4); } }",
        "t.apply();",
    ));
    let entries = j["pipelines"][0]["tables"][0]["entries"]
        .as_array()
        .expect("entries");
    let order: Vec<u64> = entries
        .iter()
        .filter_map(|e| e["priority"].as_u64())
        .collect();
    // 20, 30, 5, 15; the least wins.
    assert_eq!(order, [3, 4, 1, 2]);
}

/// The members `priority` and `p4runtime_priority` of the entries of a ternary table.
fn entry_priorities(table: &str) -> (Vec<i64>, Vec<i64>) {
    let (j, _) = compiled(&program(
        "",
        &format!(
            "action x(bit<8> q) {{ hdr.h.a = q; }}
             table t {{ key = {{ hdr.h.b: ternary; }} actions = {{ x; NoAction; }} {table} }}"
        ),
        "t.apply();",
    ));
    let entries = j["pipelines"][0]["tables"][0]["entries"].clone();
    let entries = entries.as_array().cloned().unwrap_or_default();
    let all = |name: &str| entries.iter().filter_map(|e| e[name].as_i64()).collect();
    (all("priority"), all("p4runtime_priority"))
}

#[test]
fn entries_are_numbered_as_p4c_does() {
    let three = "entries = { 1: x(1); 2: x(2); _: x(3); }";
    // By position; P4Runtime's are 3, 2, 1, which need not be written.
    let counted = (vec![1, 2, 3], vec![]);
    assert_eq!(entry_priorities(&format!("const {three}")), counted);
    assert_eq!(entry_priorities(three), counted);
    // 14.2.1.4: the last has 1.
    let apart = (vec![1, 2, 3], vec![21, 11, 1]);
    assert_eq!(
        entry_priorities(&format!("priority_delta = 10; {three}")),
        apart
    );
    let given = "entries = { priority = 100: 1: x(1); 2: x(2); priority = 7: _: x(3); }";
    assert_eq!(entry_priorities(given), (vec![1, 2, 3], vec![100, 99, 7]));
    let mixed =
        "entries = { priority = 7: 1: x(1); priority = 9: 2: x(2); priority = 9: _: x(3); }";
    assert_eq!(entry_priorities(mixed), (vec![3, 1, 2], vec![7, 9, 9]));
    // Where the least wins, P4Runtime's cannot be the same numbers.
    let least = format!("largest_priority_wins = false; {three}");
    assert_eq!(entry_priorities(&least), counted);
    // The annotation is written as it is, for BMv2.
    let noted = "const entries = { 1: x(1) @priority(30); 2: x(2); _: x(3) @priority(20); }";
    assert_eq!(entry_priorities(noted), (vec![30, 2, 20], vec![]));
}

#[test]
fn what_is_unused_or_has_no_value_is_warned_about() {
    let w = warnings(&program(
        "bit<8> f(in bit<8> x, out bit<8> y) { if (x == 1) { y = 2; } return x; }",
        "action a() { } action b() { } table t { actions = { a; } default_action = a(); } bit<8> nothing;",
        "bit<8> v; bit<8> w; if (hdr.h.a == 1) { v = 1; w = 1; } else { v = 2; } hdr.h.b = v + w; f(1, w);",
    ));
    let has = |end: &str| assert!(w.iter().any(|l| l.ends_with(end)), "{end}: {w:?}");
    has("warning: out parameter 'y' may be uninitialized when 'f' terminates");
    has("warning: w may be uninitialized");
    has("warning: table 't' is unused");
    has("warning: 'b' is unused");
    has("warning: 'nothing' is unused");
    assert!(!w.iter().any(|l| l.contains("v may be")), "{w:?}");
}

#[test]
fn deprecated_calls_and_doubtful_selects_are_warned_about() {
    let text = program("", "", "clone3(CloneType.I2E, 1, hdr.h.a);").replace(
        "state start { p.extract(hdr.h); transition accept; }",
        "state start { p.extract(hdr.h); transition select(hdr.h.a) { 1: accept; 1: other; default: accept; } }
         state other { transition accept; } state lost { transition accept; }",
    );
    let w = warnings(&text);
    assert!(w.iter().any(|l| l.contains("clone3: deprecated")), "{w:?}");
    assert!(
        w.iter().any(|l| l.contains("unreachable select case")),
        "{w:?}"
    );
    assert!(
        w.iter().any(|l| l.ends_with("state lost is unreachable")),
        "{w:?}"
    );
}

#[test]
fn unknown_uses_of_externs_are_errors() {
    let error = |locals: &str, body: &str, wanted: &str| {
        let e = compile_text(&program("", locals, body)).expect_err("an error");
        assert!(e.contains(wanted), "{e}");
    };
    error(
        "",
        "recirculate_preserving_field_list(1);",
        "'recirculate' can only be invoked in egress",
    );
    error(
        "",
        "clone(CloneType.E2E, 1);",
        "'clone(E2E, ...)' not invoked in egress",
    );
    error(
        "action_profile(8) s; table t { key = { hdr.h.a: exact; } actions = { NoAction; } implementation = s; const entries = { 1: NoAction(); } }",
        "t.apply();",
        "entries cannot be given where an action profile is in use",
    );
}
