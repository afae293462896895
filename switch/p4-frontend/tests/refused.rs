// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Programs that p4c refuses: each one was given to p4c once, and the line of its first error is p4c's. Lines count in the
//! text of the case, the first being 1.

mod common;

use common::{compile_text, p4info_problem, program};

/// What is declared and used wrongly, the line of the error, and what the error says.
type Case = (&'static str, usize, &'static str);

/// Line and message of the first error.
fn first_error(rendered: &str) -> (usize, String) {
    let line = rendered.lines().find_map(|l| {
        let (place, message) = l.split_once(": error: ")?;
        let mut place = place.rsplit(':');
        let line = place.nth(1)?.parse().ok()?;
        Some((line, message.to_string()))
    });
    line.unwrap_or_else(|| panic!("no error with a place:\n{rendered}"))
}

fn check(name: &str, rendered: &str, offset: usize, line: usize, wanted: &str) {
    let (found, message) = first_error(rendered);
    assert_eq!(found, line + offset, "{name}\n{rendered}");
    assert!(message.contains(wanted), "{name}\n{rendered}");
}

/// Programs without an architecture.
const PLAIN: &[Case] = &[
    // Directions.
    (
        "extern E { E(in bit<8> x); }",
        1,
        "constructor parameters cannot have a direction",
    ),
    // What the list of actions sets has to be repeated.
    (
        "#include <core.p4>\ncontrol c(inout bit<8> x) {\naction a(in bit<8> d) { }\ntable t { actions = { a(x); }\ndefault_action = a; }\napply { t.apply(); } }",
        5,
        "Parameter d must be bound",
    ),
    (
        "#include <core.p4>\ncontrol c(inout bit<8> x) {\naction a(in bit<8> d) { }\ntable t { key = { x: exact; } actions = { a(x); NoAction; }\nconst entries = { 1: a(x);\n2: a(); } }\napply { t.apply(); } }",
        6,
        "Parameter d must be bound",
    ),
    // Annotations.
    (
        "@pure(1) extern void f();",
        1,
        "@pure should not have any arguments",
    ),
    (
        "control c() { apply {\n@unroll(2) for (bit<8> i = 0; i < 3; i = i + 1) { } } }",
        2,
        "@unroll should not have any arguments",
    ),
    (
        "@length header H { bit<8> x; }",
        1,
        "@length: expected one expression",
    ),
    (
        "@match(1, 2) header H { bit<8> x; }",
        1,
        "@match: expected one expression",
    ),
    (
        "header H {\n@foo[1] @foo(2) bit<8> x; }",
        2,
        "duplicate name for structured annotation",
    ),
    (
        "header H {\n@foo[zz] bit<8> x; }",
        2,
        "zz: declaration not found",
    ),
    (
        "#include <core.p4>\ncontrol c(inout bit<8> x) { table t {\nkey = { x: exact @foo[{1, 2}]; } actions = { NoAction; } } apply { t.apply(); } }",
        3,
        "illegal type for structured annotation",
    ),
    (
        "parser p() {\n@foo[8w3] state start { transition accept; } }",
        2,
        "illegal type for structured annotation",
    ),
    // Default values of what a table sets.
    (
        "#include <core.p4>\ncontrol c() {\naction a(\nbit<8> y = 5) { }\ntable t { actions = { a; } default_action = a(); }\napply { t.apply(); } }",
        4,
        "y: parameter should be assigned in the call",
    ),
    // Types and constants of externs.
    (
        "extern E { E(); }\nconst E x = E();",
        2,
        "Cannot declare constants of extern types",
    ),
    (
        "extern E { E(); }\ntypedef tuple<E> T;",
        2,
        "not supported as a tuple field",
    ),
    // `main`
    (
        "struct main { bit<8> x; }",
        1,
        "must be a package declaration",
    ),
    (
        "extern main { main(); }",
        1,
        "must be a package declaration",
    ),
    ("extern void main();", 1, "must be a package declaration"),
    // Names in annotations.
    (
        "header H {\n@length(zz) bit<8> x; }",
        2,
        "zz: declaration not found",
    ),
    (
        "control c(); package p(c x); control d() { apply { } }\n@pkginfo(name)\np(d()) main;",
        2,
        "",
    ),
    (
        "control c(); package p(c x); control d() { apply { } }\n@pkginfo(name = \"x\",\nname = \"y\") p(d()) main;",
        3,
        "name: Duplicates declaration",
    ),
    // Parameters of what packages are given.
    (
        "control C(in bit<8> x); package P(C c); control q(in bit<9> x) { apply { } } P(q()) main;",
        1,
        "",
    ),
    // Places: what is declared comes before where it is used.
    (
        "struct S<T> {\nT x; }\ncontrol c() { apply {\nS s; } }",
        1,
        "Type is generic",
    ),
    (
        "extern E { E(); abstract bit<8> f(in bit<8> x); }\ncontrol c() {\nE() e = {\nbit<9> f(in bit<8> x) { return 1; } }; apply { } }",
        3,
        "signature differs",
    ),
    // Switch.
    (
        "control c(in bit<8> x) { apply {\nswitch (x) {\ntrue: { } } } }",
        2,
        "does not match switch expression type",
    ),
    (
        "control c(in bit<8> x) { apply {\nswitch (x) {\ndefault: { }\ndefault: { } } } }",
        2,
        "multiple 'default' labels",
    ),
    (
        "control c() { apply {\nswitch (1) { 1: { } } } }",
        2,
        "Type of switch expression",
    ),
    (
        "#include <core.p4>\ncontrol c() { table t { actions = { NoAction; } }\napply {\nswitch (t.apply().hit) { true: { } } } }",
        4,
        "'switch' type can't be bool",
    ),
];

/// Declarations at the top level, in the ingress control and statements of a v1model program; lines count in their order.
const V1MODEL: &[((&str, &str, &str), usize, &str)] = &[
    // Division.
    (
        ("", "", "hdr.h.a = hdr.h.a / hdr.h.b;"),
        3,
        "could not evaluate expression",
    ),
    (
        ("", "", "hdr.h.a %= 3;"),
        3,
        "could not evaluate expression",
    ),
    (
        ("", "", "hdr.h.a = 16 / hdr.h.b;"),
        3,
        "could not evaluate expression",
    ),
    (
        ("", "", "hdr.h.a = hdr.h.a / -2;"),
        3,
        "not defined on negative numbers",
    ),
    (
        ("", "", "if (hdr.h.a / 3 == 1) { hdr.h.a = 1; }"),
        3,
        "could not evaluate expression",
    ),
    (
        (
            "",
            "table t { key = { hdr.h.a / 3: exact @name(\"k\"); } actions = { NoAction; } }",
            "t.apply();",
        ),
        2,
        "could not evaluate expression",
    ),
    // Names for the control plane.
    (
        (
            "",
            "@name(\"x\") action a() { } @name(\"x\") action b() { } table t { actions = { a; b; NoAction; } }",
            "t.apply();",
        ),
        2,
        "b: conflicting control plane name: I.x",
    ),
    (
        (
            "action foo() { }",
            "@name(\".foo\") action a() { } table t { actions = { a; foo; NoAction; } }",
            "t.apply();",
        ),
        2,
        "a: conflicting control plane name: foo",
    ),
];

/// A parser's states, of a v1model program.
const STATES: &[&str] = &[
    "state start { p.extract(hdr.h); transition start; }",
    "state start { p.extract(hdr.h); transition a; } state a { transition b; } state b { transition a; }",
    "state start { p.extract(hdr.h); transition select(hdr.h.a) { 1: a; default: start; } } state a { transition start; }",
    "state start { p.extract(hdr.h); transition select(hdr.h.a) { default: start; 2: accept; } }",
    "state start { transition s; } state s { transition s; } state u { transition accept; }",
];

#[test]
fn programs_are_refused_where_p4c_refuses_them() {
    for (text, line, wanted) in PLAIN {
        check(text, &p4info_problem(text), 0, *line, wanted);
    }
}

#[test]
fn v1model_programs_are_refused_where_p4c_refuses_them() {
    for ((top, locals, body), line, wanted) in V1MODEL {
        let text = program(top, locals, body);
        let rendered = compile_text(&text).expect_err(body);
        let parts = [top, locals, body];
        let place = text
            .lines()
            .position(|l| !parts[line - 1].is_empty() && l.trim() == parts[line - 1].trim());
        check(body, &rendered, place.expect("a line"), 1, wanted);
    }
}

#[test]
fn parsers_that_never_accept_are_refused() {
    let plain = program("", "", "");
    let start = "state start { p.extract(hdr.h); transition accept; }";
    let line = plain.lines().position(|l| l.starts_with("parser P"));
    for states in STATES {
        let text = plain.replace(start, states);
        let rendered = compile_text(&text).expect_err(states);
        let wanted = "parser P: Parser never reaches accept or reject state";
        check(states, &rendered, line.expect("a line"), 1, wanted);
    }
    // Where no case fits, the parser ends.
    let open = "state start { p.extract(hdr.h); transition select(hdr.h.a) { 1: start; } }";
    compile_text(&plain.replace(start, open)).expect("accepted");
}

#[test]
fn what_is_known_at_compile_time_divides() {
    for body in [
        "hdr.h.a = hdr.h.a / 4; hdr.h.b = hdr.h.a % 8; hdr.h.s = 8s6 / 8s2;",
        "bit<8> k = 4; hdr.h.a = hdr.h.b / k;",
        "bit<8> k = 3; hdr.h.a = k / 3;",
    ] {
        compile_text(&program("", "", body)).expect(body);
    }
}
