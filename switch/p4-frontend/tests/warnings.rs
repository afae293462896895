// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Warnings: each case was given to p4c once, and kinds and lines are those of its warnings. Lines count in the text of the
//! case, the first being 1.

mod common;

use common::compile_text;

/// Declarations, lines of ingress, and the warnings as `kind line`.
type Case = (&'static str, &'static str, &'static [&'static str]);

/// Declarations come first, the ingress control after them.
fn text(declarations: &str, ingress: &str) -> String {
    format!(
        "{declarations}
control I(inout H h, inout M m, inout standard_metadata_t s) {{
{ingress}
}}
control V(inout H h, inout M m) {{ apply {{ }} }}
control G(inout H h, inout M m, inout standard_metadata_t s) {{ apply {{ }} }}
control C(inout H h, inout M m) {{ apply {{ }} }}
control D(packet_out p, in H h) {{ apply {{ p.emit(h); }} }}
V1Switch(P(), V(), I(), G(), C(), D()) main;
"
    )
}

const HEAD: &str = "#include <core.p4>
#include <v1model.p4>
header E { bit<8> a; bit<8> b; }
header_union U { E x; E y; }
struct H { E e; E f; E[2] l; }
struct M { bit<8> x; bit<8> y; }
";

const PARSER: &str = "parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
state start { p.extract(h.e); transition accept; } }
";

/// `kind line` of each warning, lines counted from after `offset`, sorted.
fn warnings(text: &str, offset: usize) -> Vec<String> {
    let compiled = compile_text(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut out: Vec<String> = compiled
        .warnings
        .iter()
        .filter_map(|w| {
            let (place, rest) = w.split_once(": [--Wwarn=")?;
            let line: usize = place.split(':').nth(1)?.parse().ok()?;
            let (kind, _) = rest.split_once(']')?;
            Some(format!("{kind} {}", line - offset))
        })
        .collect();
    out.sort();
    out.dedup();
    out
}

fn check(declarations: &str, ingress: &str, wanted: &[&str]) {
    let head = HEAD.lines().count() + PARSER.lines().count();
    let all = format!("{HEAD}{PARSER}{}", text(declarations, ingress));
    let found = warnings(&all, head);
    assert_eq!(found, wanted, "{declarations}\n{ingress}");
}

const CASES: &[Case] = &[
    // Names that nothing refers to; not what is declared for types of fields, and nothing that only the unused use.
    (
        "const bit<8> A = 1;\nconst bit<8> B = A;\n@noWarn(\"unused\") const bit<8> Q = 1;\ntypedef bit<8> t;\nenum X { Y }\nstruct Z { bit<8> x; }",
        "apply { }",
        &["unused 2", "unused 4"],
    ),
    (
        "bit<8> f(in bit<8> x) { bit<8> y;\nreturn 1; }\nvoid g<T>(in bit<8> z) { }\nextern void k<T>(in bit<8> z);\nextern O<T> { O(); void n<W>(in T x); }",
        "apply { m.x = f(1); }",
        &["unused 1", "unused 3", "unused 4"],
    ),
    (
        "control S(inout bit<8> x)(bit<8> y) { apply { } }\ncontrol N(inout bit<8> x) { bit<8> q;\ntable t { actions = { NoAction; } } apply { } }",
        "S(1) v;\nS(2) w;\nregister<bit<8>>(1) r;\ncounter(1, CounterType.packets) c;\napply { v.apply(m.x); c.count(0); }",
        &["unused 2", "unused 3", "unused 6", "unused 7"],
    ),
    (
        "",
        "action a(bit<8> p,\nbit<8> q) { m.x = p; }\naction b() { }\n@noWarn(\"unused\") action c(bit<8> z) { bit<8> y; }\ntable t { actions = { a; } }\ntable u { actions = { NoAction; } }\ndirect_counter(CounterType.packets) d;\napply { t.apply(); }",
        &["unused 4", "unused 5", "unused 8", "unused 9"],
    ),
    // Names that hide others.
    (
        "const bit<8> x = 1; control S(inout bit<8> v) {\nbit<8> x = 2; apply { v = x;\n{ bit<8> x = 3; v = x; } } }",
        "S() w; action a(bit<8> x) { h.e.b = x; }\ntable hash { actions = { a; } }\napply { hash.apply(); w.apply(m.x); m.y = x; }",
        &["shadow 2", "shadow 3", "shadow 5", "shadow 6"],
    ),
    // Headers that are not valid.
    (
        "",
        "apply { E e;\ne.a = 1;\ne.setValid(); e.a = 1;\nh.e = e; h.e.setInvalid();\nh.e.a = 1;\nif (h.e.isValid()) { h.e.a = 1; }\nh.e.b = 1;\nif (m.x == 1) { h.e.setValid(); }\nh.e.a = 1;\nh.f = { 1, 2 };\nh.f.a = 2; }",
        &[
            "invalid-header 11",
            "invalid-header 4",
            "invalid-header 7",
            "invalid-header 9",
            "uninitialized-use 6",
        ],
    ),
    (
        "control S(inout H k) { apply {\nk.e.setInvalid(); } }",
        "S() w; action a() { h.f.a = 1; }\naction b() { h.f.setValid(); }\ntable t { key = { m.x: exact; } actions = { a; b; NoAction; } }\napply { h.f.setInvalid();\nt.apply();\nw.apply(h);\nh.e.a = 1;\nif (m.y == 1) { return; }\nh.f.a = 2; }",
        &["invalid-header 10", "invalid-header 12", "invalid-header 4"],
    ),
    // Values that may not be there.
    (
        "void f(out M k, out bit<8> b) { k.x = 1; }",
        "apply { bit<8> u; bit<8> v; M w;\nif (m.x == 1) { u = 1; }\nm.x = u;\nif (m.x == 1) { v = 1; } else { v = 2; }\nm.x = v;\nw.x = 1; m.x = w.x;\nm.y = w.y;\nm = w;\nf(m, m.y); }",
        &[
            "ordering 11",
            "uninitialized-out-param 1",
            "uninitialized-use 10",
            "uninitialized-use 5",
            "uninitialized-use 9",
        ],
    ),
    // Arguments that have something in common.
    (
        "bit<8> r(inout bit<8> a) { return a; }\nvoid f(inout bit<8> a, in bit<8> b) { a = b; }\nvoid g(in bit<8> a, out bit<8> b) { b = a; }\nvoid k(inout bit<8> a, inout bit<8> b) { a = b; }",
        "apply { f(m.x, m.y);\nf(m.x, m.x + 1);\nf(m.x, r(m.x));\ng(m.x, m.x);\nk(m.x, m.x); }",
        &["ordering 10", "ordering 8"],
    ),
    // Entries of tables, and keys.
    (
        "",
        "action a() { }\ntable t { key = { m.x: ternary; } actions = { a; } }\ntable u { key = { m.x: ternary; } actions = { a; } entries = {\npriority = 1: 1: a();\npriority = 2: 3: a(); } }\ntable v { key = {\n8w5: exact @name(\"five\"); } actions = { a; } }\napply { t.apply(); u.apply(); v.apply(); }",
        &[
            "entries-out-of-priority-order 6",
            "ignore-prop 9",
            "mismatch 9",
        ],
    ),
];

#[test]
fn warnings_are_p4cs() {
    for (declarations, ingress, wanted) in CASES {
        check(declarations, ingress, wanted);
    }
}

/// Ways into a state come together: what only one of them makes valid may not be.
#[test]
fn states_of_parsers_are_followed() {
    let parser = "parser P(packet_in p, out H h, inout M m, inout standard_metadata_t s) {
state start { m.x = h.f.a;
p.extract(h.e); transition select(h.e.a) { 1: one; 2: two; default: accept; } }
state one { p.extract(h.f); transition two; }
state two { m.x = h.f.b;
m.y = h.e.b; transition accept; } }
";
    let head = HEAD.lines().count();
    let all = format!("{HEAD}{parser}{}", text("", "apply { }"));
    let wanted = [
        "invalid-header 2",
        "invalid-header 5",
        "uninitialized-use 2",
        "uninitialized-use 5",
    ];
    assert_eq!(warnings(&all, head), wanted);
}
