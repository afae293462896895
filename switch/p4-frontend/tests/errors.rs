// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What the type checker and the back end refuse, and where they say it is.

mod common;

use common::{compile_text, program};

/// The error that compiling gives, without the source lines: `line:column: message` for each.
fn errors(text: &str) -> Vec<String> {
    let rendered = compile_text(text).expect_err("an error");
    let places = rendered.lines().filter_map(|l| l.strip_prefix("test.p4:"));
    places
        .filter(|l| l.contains(": error: "))
        .map(str::to_string)
        .collect()
}

/// Asserts that a program with this body has one error; `column` counts in the line of the body.
fn body_error(locals: &str, body: &str, wanted: &str) {
    let text = program("", locals, body);
    let all = errors(&text);
    assert_eq!(all.len(), 1, "{all:?}\n{text}");
    assert!(all[0].ends_with(wanted), "{all:?}");
    // The place lies in the line that holds `body`.
    let line: usize = all[0]
        .split(':')
        .next()
        .and_then(|l| l.parse().ok())
        .expect("line");
    let shown = text.lines().nth(line - 1).expect("a line of the program");
    assert!(
        body.contains(shown.trim()) || locals.contains(shown.trim()),
        "{shown}"
    );
}

#[test]
fn an_unknown_name_gets_a_hint() {
    let text = program("", "", "hdr.h.a = metta.x;");
    let rendered = compile_text(&text).expect_err("an error");
    assert!(
        rendered.contains("error: metta: declaration not found"),
        "{rendered}"
    );
    assert!(rendered.contains("did you mean meta?"), "{rendered}");
    assert!(
        rendered.contains("hdr.h.a = metta.x;\n          ^~~~~\n"),
        "{rendered}"
    );
}

#[test]
fn widths_must_agree() {
    body_error(
        "",
        "hdr.h.a = hdr.h.c;",
        "error: Source expression produces a result of type 'bit<16>' which cannot be assigned to a left-value with type 'bit<8>'",
    );
    body_error(
        "",
        "hdr.h.c = hdr.h.a + hdr.h.c;",
        "error: +: Cannot operate on values with different types 'bit<8>' and 'bit<16>'",
    );
    body_error(
        "",
        "hdr.h.a = hdr.h.c[3:8];",
        "error: LSB index 8 greater than MSB index 3",
    );
    body_error(
        "",
        "hdr.h.a = hdr.h.c[16:9];",
        "error: Bit index 16 greater than width 16",
    );
    body_error(
        "",
        "hdr.h.c = hdr.h.a ++ 1;",
        "error: Please specify widths of both operands of ++",
    );
    body_error(
        "",
        "hdr.h.s = (int<8>)hdr.h.c;",
        "error: cast: Illegal cast from 'bit<16>' to 'int<8>'",
    );
}

#[test]
fn signed_literals_have_a_bit() {
    body_error(
        "",
        "hdr.h.a = (bit<8>)(bit<0>)0s0;",
        "error: 0: Illegal bit size",
    );
}

#[test]
fn a_loop_over_a_range_declares_its_variable() {
    body_error(
        "",
        "bit<8> i; for (i in 0 .. 3) { hdr.h.a = i; }",
        "error: syntax error, unexpected identifier \"i\", expecting a type: a loop over a range or a collection \
         declares its variable",
    );
    let declared = program("", "", "for (bit<8> i in 0 .. 3) { hdr.h.a = i; }");
    assert!(compile_text(&declared).is_ok());
    let three = "bit<8> i; for (i = 0; i < 3; i = i + 1) { hdr.h.a = i; }";
    assert!(compile_text(&program("", "", three)).is_ok());
}

#[test]
fn conditions_are_bool() {
    body_error(
        "",
        "if (hdr.h.a) { }",
        "error: Condition of if must be of type bool, not 'bit<8>'",
    );
    body_error(
        "",
        "meta.y = !hdr.h.a;",
        "error: Cannot apply ! to value of type 'bit<8>'",
    );
    body_error(
        "",
        "meta.y = meta.y && hdr.h.a;",
        "error: &&: not defined on type 'bit<8>'",
    );
}

#[test]
fn arguments_are_counted_and_typed() {
    body_error(
        "register<bit<8>>(4) r;",
        "r.write(0);",
        "error: write: Passing 1 arguments when 2 expected; no argument for 'value'",
    );
    body_error(
        "register<bit<8>>(4) r;",
        "r.write(0, 1, 2);",
        "error: write: Passing 3 arguments when 2 expected",
    );
    body_error(
        "register<bit<8>>(4) r;",
        "r.read(hdr.h.c, 0);",
        "error: read: argument has type 'bit<16>', parameter result expects type 'bit<8>'",
    );
    body_error(
        "register<bit<8>>(4) r;",
        "r.reed(hdr.h.a, 0);",
        "error: reed: extern register has no such method",
    );
    body_error(
        "action a(in bit<8> v) { }",
        "a(w = 1);",
        "error: a: No parameter named w",
    );
}

#[test]
fn duplicates_name_the_first_declaration() {
    let text = program("", "action a() { }\naction a() { }", "");
    let rendered = compile_text(&text).expect_err("an error");
    assert!(
        rendered.contains("test.p4:13:8: error: a: Duplicates declaration"),
        "{rendered}"
    );
    assert!(
        rendered.contains("test.p4:12:8: note: previous declaration of a"),
        "{rendered}"
    );
}

#[test]
fn only_lvalues_are_assigned_to() {
    body_error(
        "action a(in bit<8> v) { v = 1; }",
        "",
        "error: Expression cannot be the target of an assignment: it is an 'in' parameter (v)",
    );
    body_error(
        "action a(bit<8> v) { v = 1; }",
        "",
        "error: Expression cannot be the target of an assignment: it is a parameter without direction (v)",
    );
    body_error(
        "const bit<8> ONE = 1;",
        "ONE = hdr.h.a;",
        "error: Expression cannot be the target of an assignment",
    );
    body_error(
        "action a(out bit<8> v) { v = 1; }",
        "a(hdr.h.a + 1);",
        "error: Expression cannot be the target of an assignment",
    );
}

#[test]
fn tables_are_checked() {
    body_error(
        "action a() { } action b() { }\ntable t { actions = { a; } default_action = b(); }",
        "t.apply();",
        "error: b: not present in action list",
    );
    body_error(
        "action a() { }\ntable t { actions = { a; } size = sm.packet_length; }",
        "t.apply();",
        "error: size of table t: expected a compile-time constant of type int",
    );
    body_error(
        "table t { key = { hdr.h.a: exact; } }",
        "t.apply();",
        "error: Table t does not have an action list",
    );
    body_error(
        "action a() { }\ntable t { key = { hdr.h.a: fuzzy; } actions = { a; } }",
        "t.apply();",
        "error: fuzzy: declaration not found; not a match_kind",
    );
    body_error(
        "action a() { }\ntable t { key = { hdr.h.a + 1: exact; } actions = { a; } }",
        "t.apply();",
        "error: Complex key expression requires a @name annotation",
    );
    body_error(
        "action a(bit<8> v) { }\ntable t { key = { hdr.h.a: exact; } actions = { a; NoAction; } const entries = { 1: a(); } }",
        "t.apply();",
        "error: v: parameter should be assigned in the call",
    );
    body_error(
        "action a() { }\ntable t { key = { hdr.h.a: exact; hdr.h.b: exact; } actions = { a; NoAction; } const entries = { 1: a(); } }",
        "t.apply();",
        "error: keyset has 1 component, but there are 2 values to match",
    );
    body_error(
        "action a() { }\ntable t { key = { hdr.h.a: exact; } actions = { a; NoAction; } const entries = { 1 &&& 3: a(); } }",
        "t.apply();",
        "error: invalid keyset for exact key hdr.h.a",
    );
    body_error(
        "action a() { }\ntable t { actions = { a; NoAction; } }",
        "switch (t.apply().action_run) { b: { } }",
        "error: b: declaration not found",
    );
}

#[test]
fn a_control_cannot_contain_itself() {
    let text = program("control R() { R() r; apply { r.apply(); } }", "", "");
    let all = errors(&text);
    assert!(
        all[0].ends_with("error: R: a control cannot instantiate itself; recursion is not allowed"),
        "{all:?}"
    );
}

#[test]
fn tables_cannot_follow_themselves_differently() {
    body_error(
        "action a() { }\ntable t { actions = { a; NoAction; } }",
        "t.apply(); hdr.h.a = 1; t.apply();",
        "error: Program is not supported by this target, because table I.t is invoked multiple times with different successors",
    );
}

#[test]
fn ranges_of_loops_are_constant() {
    body_error(
        "",
        "for (bit<8> i in 0..hdr.h.a) { }",
        "error: a for loop whose range is not constant is not supported yet",
    );
    body_error(
        "",
        "break;",
        "error: break and continue are only allowed in loops",
    );
}

#[test]
fn several_errors_are_found_in_one_run() {
    let text = program(
        "",
        "",
        "hdr.h.a = nothing;\nhdr.h.b = hdr.h.c;\nunknown();\nhdr.h.q = 1;",
    );
    let all = errors(&text);
    assert_eq!(all.len(), 4, "{all:?}");
}

#[test]
fn header_widths_are_whole_bytes() {
    let text = program("header odd_t { bit<7> x; }", "odd_t o;", "o.setValid();");
    let rendered = compile_text(&text).expect_err("an error");
    assert!(
        rendered.contains("odd_t: Found header with fields totaling 7 bits."),
        "{rendered}"
    );
}

#[test]
fn parsers_are_checked() {
    let with = |states: &str| {
        program("", "", "").replace(
            "state start { p.extract(hdr.h); transition accept; }",
            states,
        )
    };
    let one = |states: &str, wanted: &str| {
        let all = errors(&with(states));
        assert!(all[0].ends_with(wanted), "{all:?}");
    };
    one(
        "state begin { transition accept; }",
        "error: parser P does not have a `start' state",
    );
    one(
        "state start { transition nowhere; }",
        "error: nowhere: declaration not found; no such state",
    );
    one(
        "state start { transition select(hdr.h.a) { 16w1: accept; } }",
        "error: Cannot match a value of type 'bit<8>' with a value of type 'bit<16>'",
    );
    one(
        "state start { transition select(hdr.h.a) { (1, 2): accept; } }",
        "error: keyset has 2 components, but there are 1 values to match",
    );
    one(
        "state start { sm.apply(); transition accept; }",
        "error: apply: no such method on a value of type 'struct standard_metadata_t'",
    );
}

#[test]
fn a_program_needs_main() {
    let rendered = compile_text("#include <core.p4>\n").expect_err("an error");
    assert_eq!(
        rendered,
        "error: Program does not contain a `main' module\n"
    );
}

/// Each loop in a loop must not double the work.
#[test]
fn loops_in_loops_are_not_all_unrolled() {
    let mut body = String::from("hdr.h.a = hdr.h.a + 1;");
    for i in 0..20 {
        body = format!("for (bit<8> i{i} = 0; i{i} < 2; i{i} = i{i} + 1) {{ {body} }}");
    }
    compile_text(&program("", "", &body)).expect("a pipeline with loops");
    let locals =
        format!("action a() {{ {body} }} table t {{ actions = {{ a; }} default_action = a; }}");
    compile_text(&program("", &locals, "t.apply();")).expect("an action with loops");
}

/// Controls that each have two of the one before are more than a billion instances.
#[test]
fn instances_in_instances_end_in_an_error() {
    let mut declarations = String::from(
        "control C0(inout bit<8> x) { table t { actions = { NoAction; } } apply { t.apply(); } }\n",
    );
    for i in 1..32 {
        let j = i - 1;
        declarations += &format!(
            "control C{i}(inout bit<8> x) {{ C{j}() a; C{j}() b; apply {{ a.apply(x); b.apply(x); }} }}\n"
        );
    }
    let text = program(&declarations, "C31() c;", "c.apply(hdr.h.a);");
    let problem = common::p4info_problem(&text);
    assert!(problem.contains("more than 10000 instances"), "{problem}");
    assert!(compile_text(&text).is_err());
}

#[test]
fn deep_and_wide_programs_end_in_an_error() {
    let chain = format!("hdr.h.a = {};", vec!["hdr.h.a"; 5000].join(" + "));
    let all = compile_text(&program("", "", &chain)).expect_err("too deep");
    assert!(
        all.contains("error: expression too complex"),
        "{}",
        &all[..200.min(all.len())]
    );
    let returns = "if (hdr.h.a == 1) { if (hdr.h.b == 1) { return; } }\n".repeat(40);
    let locals = format!(
        "action a() {{ {returns} hdr.h.a = 2; }}\ntable t {{ actions = {{ a; NoAction; }} }}"
    );
    // Too many paths for choices of values: such an action jumps.
    assert!(
        compile_text(&program("", &locals, "t.apply();"))
            .is_ok_and(|c| c.bmv2_json.contains("_jump_if_zero"))
    );
}
