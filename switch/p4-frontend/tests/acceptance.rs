// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Programs that must be accepted: what the language and v1model allow, be it unusual. Each is compiled to code and P4Info,
//! the latter also by itself.

mod common;

use common::{compile_text, p4info};

/// What a program differs in from the plain one.
#[derive(Clone, Copy)]
struct Parts {
    before: &'static str,
    includes: &'static str,
    types: &'static str,
    headers: &'static str,
    hdr: &'static str,
    meta: &'static str,
    top: &'static str,
    parser_locals: &'static str,
    states: &'static str,
    verify: &'static str,
    locals: &'static str,
    body: &'static str,
    egress_locals: &'static str,
    egress: &'static str,
    compute: &'static str,
    deparser: &'static str,
    main: &'static str,
    /// BMv2 cannot run it: there is P4Info, but no code.
    p4info_only: bool,
}

const PLAIN: Parts = Parts {
    before: "",
    includes: "#include <core.p4>\n#include <v1model.p4>\n",
    types: "",
    headers: "header h_t { bit<8> a; bit<8> b; bit<16> c; int<8> s; bit<32> d; }\n",
    hdr: "struct headers { h_t h; h_t g; }\n",
    meta: "struct metadata { bit<8> x; bool y; bit<32> z; }\n",
    top: "",
    parser_locals: "",
    states: "state start { pkt.extract(hdr.h); transition accept; }",
    verify: "",
    locals: "",
    body: "",
    egress_locals: "",
    egress: "",
    compute: "",
    deparser: "pkt.emit(hdr.h);",
    main: "V1Switch(P(), V(), I(), E(), C(), D()) main;",
    p4info_only: false,
};

impl Parts {
    fn text(&self) -> String {
        let Parts {
            before,
            includes,
            types,
            headers,
            hdr,
            meta,
            top,
            parser_locals,
            states,
            verify,
            locals,
            body,
            egress_locals,
            egress,
            compute,
            deparser,
            main,
            p4info_only: _,
        } = self;
        format!(
            "{before}{includes}{types}{headers}{hdr}{meta}{top}
parser P(packet_in pkt, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    {parser_locals}
    {states}
}}
control V(inout headers hdr, inout metadata meta) {{ apply {{ {verify} }} }}
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    {locals}
    apply {{ {body} }}
}}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    {egress_locals}
    apply {{ {egress} }}
}}
control C(inout headers hdr, inout metadata meta) {{ apply {{ {compute} }} }}
control D(packet_out pkt, in headers hdr) {{ apply {{ {deparser} }} }}
{main}
"
        )
    }
}

#[test]
fn programs_are_accepted() {
    let mut refused = Vec::new();
    for (name, parts) in PROGRAMS {
        match compile_text(&parts.text()) {
            Ok(c) if parts.p4info_only => {
                refused.push(format!("{name}: has code\n{}", c.bmv2_json))
            }
            Ok(c) if c.p4info_text.is_empty() => refused.push(format!("{name}: {:?}", c.warnings)),
            Ok(_) => {}
            Err(e) if parts.p4info_only => {
                assert!(!e.is_empty(), "{name}");
                assert!(p4info(&parts.text()).starts_with("# proto-file"), "{name}");
            }
            Err(e) => refused.push(format!("{name}:\n{e}")),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// One program each; the names say what it is about.
const PROGRAMS: &[(&str, Parts)] = &[
    ("minimal", Parts { ..PLAIN }),
    (
        "empty_h",
        Parts {
            headers: "",
            hdr: "struct headers {}\n",
            meta: "struct metadata {}\n",
            states: "state start { transition accept; }",
            deparser: "",
            ..PLAIN
        },
    ),
    (
        "implicit_reject",
        Parts {
            states: "state start { pkt.extract(hdr.h); }",
            ..PLAIN
        },
    ),
    (
        "parser_loop",
        Parts {
            hdr: "struct headers { h_t h; h_t[4] s; }\n",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a) { 0: accept; default: loop; } } state loop { pkt.extract(hdr.s.next); transition select(hdr.s.last.a) { 0: accept; _: loop; } }",
            deparser: "pkt.emit(hdr.h); pkt.emit(hdr.s);",
            ..PLAIN
        },
    ),
    (
        "select_mix",
        Parts {
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a, hdr.h.c) {\n (0x10 &&& 0xf0, _): a; (1..5, 0x0800): b; (default, 16w5): c; (_, _): accept; default: reject; } }\n state a { transition accept; } state b { transition c; } state c { verify(hdr.h.a != 7, error.NoMatch); transition reject; }",
            ..PLAIN
        },
    ),
    (
        "user_errors",
        Parts {
            types: "error { BadThing, Worse }\n",
            states: "state start { pkt.extract(hdr.h); verify(hdr.h.a == 1, error.BadThing); transition accept; }",
            body: "if (sm.parser_error == error.Worse) { mark_to_drop(sm); }",
            ..PLAIN
        },
    ),
    (
        "value_set",
        Parts {
            parser_locals: "@name(\"pvs\") value_set<bit<8>>(4) vs;",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a) { vs: more; default: accept; } } state more { pkt.extract(hdr.g); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "value_set_struct",
        Parts {
            types: "struct k_t { @match(ternary) bit<8> a; @match(lpm) bit<16> c; bit<8> e; }\n",
            parser_locals: "value_set<k_t>(4) vs;",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a, hdr.h.c, hdr.h.b) { vs: accept; default: accept; } }",
            ..PLAIN
        },
    ),
    (
        "subparser",
        Parts {
            top: "parser Sub(packet_in pkt, out h_t h, in bit<8> k) { state start { transition select(k) { 0: q; default: accept; } } state q { pkt.extract(h); transition accept; } }\n",
            parser_locals: "Sub() sub;",
            states: "state start { pkt.extract(hdr.h); sub.apply(pkt, hdr.g, hdr.h.a); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "lookahead",
        Parts {
            states: "state start { bit<8> x = pkt.lookahead<bit<8>>(); transition select(pkt.lookahead<bit<16>>()[15:8]) { 1: accept; default: q; } } state q { pkt.advance(8); pkt.extract(hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "lookahead_hdr",
        Parts {
            types: "",
            states: "state start { h_t t = pkt.lookahead<h_t>(); hdr.g = t; pkt.extract(hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "extract_underscore",
        Parts {
            states: "state start { pkt.extract<h_t>(_); pkt.extract(hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "parser_const",
        Parts {
            parser_locals: "const bit<8> K = 5; bit<8> t = 3; h_t tmp;",
            states: "state start { pkt.extract(tmp); hdr.h = tmp; transition select(hdr.h.a) { K: accept; default: accept; } }",
            ..PLAIN
        },
    ),
    (
        "parser_if",
        Parts {
            states: "state start { pkt.extract(hdr.h); if (hdr.h.a == 1) { pkt.extract(hdr.g); } else { hdr.h.b = 3; } transition accept; }",
            ..PLAIN
        },
    ),
    (
        "parser_block",
        Parts {
            states: "state start { { bit<8> q; pkt.extract(hdr.h); q = hdr.h.a; meta.x = q; } transition accept; }",
            ..PLAIN
        },
    ),
    (
        "varbit",
        Parts {
            headers: "header h_t { bit<8> a; varbit<320> v; }\n",
            hdr: "struct headers { h_t h; }\n",
            states: "state start { pkt.extract(hdr.h, (bit<32>)(pkt.lookahead<bit<8>>()) * 8); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "union",
        Parts {
            headers: "header h_t { bit<8> a; } header i_t { bit<16> b; } header_union u_t { h_t h; i_t i; }\n",
            hdr: "struct headers { h_t h; u_t u; }\n",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a) { 1: p1; default: p2; } } state p1 { pkt.extract(hdr.u.h); transition accept; } state p2 { pkt.extract(hdr.u.i); transition accept; }",
            deparser: "pkt.emit(hdr.h); pkt.emit(hdr.u);",
            body: "if (hdr.u.h.isValid()) { hdr.u.i.setValid(); } if (hdr.u.isValid()) { hdr.h.a = 1; }",
            ..PLAIN
        },
    ),
    (
        "union_stack",
        Parts {
            headers: "header h_t { bit<8> a; } header i_t { bit<16> b; } header_union u_t { h_t h; i_t i; }\n",
            hdr: "struct headers { h_t h; u_t[3] u; }\n",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a) { 1: p1; default: accept; } } state p1 { pkt.extract(hdr.u.next.h); transition accept; }",
            deparser: "pkt.emit(hdr.h); pkt.emit(hdr.u);",
            ..PLAIN
        },
    ),
    (
        "stack_ops",
        Parts {
            hdr: "struct headers { h_t h; h_t[4] s; }\n",
            body: "hdr.s.push_front(1); hdr.s[0].setValid(); hdr.s[0].a = 1; hdr.s.pop_front(2); hdr.s[1] = hdr.h; bit<32> n = 3; hdr.s[2].a = hdr.s[3].a;",
            deparser: "pkt.emit(hdr.s);",
            ..PLAIN
        },
    ),
    (
        "stack_idx_rt",
        Parts {
            hdr: "struct headers { h_t h; h_t[4] s; }\n",
            body: "hdr.s[(bit<32>)hdr.h.a].b = 1; hdr.h.b = hdr.s[hdr.h.a].a;",
            ..PLAIN
        },
    ),
    (
        "version_20180101",
        Parts {
            before: "#define V1MODEL_VERSION 20180101\n",
            locals: "counter(10, CounterType.packets) c; meter(5, MeterType.bytes) m; register<bit<16>>(16) r;",
            body: "c.count((bit<32>)hdr.h.a); bit<16> t; r.read(t, 3); r.write(4, t + 1); bit<2> col; m.execute_meter(hdr.h.d, col);",
            ..PLAIN
        },
    ),
    (
        "version_20200408",
        Parts {
            before: "#define V1MODEL_VERSION 20200408\n",
            locals: "counter<bit<8>>(10, CounterType.packets) c; meter<bit<32>>(5, MeterType.bytes) m; register<bit<16>, bit<4>>(16) r;",
            body: "c.count(hdr.h.a); bit<16> t; r.read(t, 3); r.write(4, t + 1); bit<2> col; m.execute_meter(hdr.h.d, col);",
            ..PLAIN
        },
    ),
    (
        "portid",
        Parts {
            before: "#define V1MODEL_VERSION 20200408\n",
            body: "PortId_t p = sm.ingress_port; sm.egress_spec = p;",
            ..PLAIN
        },
    ),
    (
        "entries_exact",
        Parts {
            locals: "action a(bit<8> v) { hdr.h.b = v; } action d() { }\n    table t { key = { hdr.h.a: exact; } actions = { a; d; } default_action = d; const entries = { 5 : a(1); 7 : d(); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "entries_lpm",
        Parts {
            locals: "action a(bit<8> v) { hdr.h.b = v; } action d() { }\n    table t { key = { hdr.h.a: lpm; } actions = { a; d; } default_action = d; const entries = { 0x50 &&& 0xf0 : a(1); _ : d(); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "entries_ternary",
        Parts {
            locals: "action a(bit<8> v) { hdr.h.b = v; } action d() { }\n    table t { key = { hdr.h.a: ternary; } actions = { a; d; } default_action = d; const entries = { 0x3 &&& 0x7 : a(1); _ : d(); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "entries_range",
        Parts {
            locals: "action a(bit<8> v) { hdr.h.b = v; } action d() { }\n    table t { key = { hdr.h.a: range; } actions = { a; d; } default_action = d; const entries = { 3..9 : a(1); _ : d(); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "entries_optional",
        Parts {
            locals: "action a(bit<8> v) { hdr.h.b = v; } action d() { }\n    table t { key = { hdr.h.a: optional; } actions = { a; d; } default_action = d; const entries = { 5 : a(1); _ : d(); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "entries_prio",
        Parts {
            locals: "action a(bit<8> v) { hdr.h.b = v; } action d() { }\n table t { key = { hdr.h.a: ternary; hdr.h.b: exact; } actions = { a; d; NoAction; } size = 64; largest_priority_wins = false; priority_delta = 10;\n entries = { const priority=10: (0x1 &&& 0xf, 5) : a(1); priority=5: (_, 6): d(); (7, 7): d; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "entries_anno2",
        Parts {
            locals: "action d() { } table t { key = { hdr.h.a: exact; } actions = { d; } default_action = d(); const entries = { 1 : d() @name(\"one\") @foo(1, \"x\"); 2 : d() @priority(3); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "match_all",
        Parts {
            locals: "action d() { } table t { key = { hdr.h.a: exact @name(\"k1\"); hdr.h.b: ternary; hdr.h.d: lpm; hdr.h.c: range; hdr.g.isValid(): exact; meta.y: exact; hdr.h.c[7:0]: exact; hdr.h.d & 0xff: exact @name(\"mm\"); hdr.h.a ++ hdr.h.b : exact @name(\"cc\"); (bit<4>)hdr.h.a : exact @name(\"cst\"); hdr.h.s: exact; sm.ingress_port: exact; sm.parser_error: exact; hdr.h.a + 1: exact @name(\"plus\"); } actions = { d; @defaultonly NoAction; } const default_action = NoAction; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "key_mask",
        Parts {
            locals: "table t { key = { hdr.h.d & 0xff0: exact; hdr.h.d & 32w5: ternary; } actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "key_const_slice",
        Parts {
            types: "const int HI = 7; const bit<32> LO = 0;\n",
            locals: "table t { key = { hdr.h.d[HI:0]: exact; } actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "key_stack",
        Parts {
            hdr: "struct headers { h_t h; h_t g; h_t[3] s; }\n",
            locals: "table t { key = { hdr.s[1].a: exact; hdr.s[2].isValid(): exact; } actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "table_noaction_only",
        Parts {
            locals: "table t { actions = { } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "table_empty_key",
        Parts {
            locals: "table t { key = { } actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "table_noprops",
        Parts {
            locals: "table t { actions = { NoAction; } const size = 100; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "hit_miss2",
        Parts {
            locals: "action a() {} action b() {} table t { key = { hdr.h.a: exact; } actions = { a; b; } } table u { key = { hdr.h.a: exact; } actions = { a; b; } } table v { key = { hdr.h.a: exact; } actions = { a; b; } }",
            body: "if (t.apply().hit) { hdr.h.b = 1; } else if (u.apply().miss) { hdr.h.b = 2; } switch (v.apply().action_run) { a: { return; } b: { hdr.h.c = 1; } default: { } }",
            ..PLAIN
        },
    ),
    (
        "switch_fall",
        Parts {
            locals: "action a() {} action b() {} table t { key = { hdr.h.a: exact; } actions = { a; b; } }",
            body: "switch (t.apply().action_run) { a: b: { hdr.h.c = 1; } }",
            ..PLAIN
        },
    ),
    (
        "switch_expr",
        Parts {
            body: "switch (hdr.h.a) { 1: { hdr.h.b = 1; } 2: 3: { hdr.h.b = 2; } default: { hdr.h.b = 3; } }",
            ..PLAIN
        },
    ),
    (
        "switch_enum",
        Parts {
            types: "enum bit<8> K { A = 1, B = 2 } enum P2 { X, Y }\n",
            body: "K k = (K)hdr.h.a; switch (k) { K.A: { hdr.h.b = 1; } default: { } } P2 p = P2.X; if (hdr.h.a == 2) { p = P2.Y; } switch (p) { P2.X: { hdr.h.b = 4; } P2.Y: { hdr.h.b = 5; } }",
            ..PLAIN
        },
    ),
    (
        "funcs",
        Parts {
            top: "bit<8> f(in bit<8> a, out bit<8> b) { b = a; if (a == 1) { return 2; } return a + 1; } void g(inout bit<8> q) { q = q |+| 1; return; } bit<8> max2(in bit<8> a, in bit<8> b) { return a > b ? a : b; }\n",
            body: "bit<8> t; hdr.h.b = f(hdr.h.a, t); g(hdr.h.a); hdr.h.a = max2(hdr.h.a, t);",
            ..PLAIN
        },
    ),
    (
        "generic_func",
        Parts {
            top: "T id<T>(in T x) { return x; }\n",
            body: "hdr.h.a = id<bit<8>>(hdr.h.b); hdr.h.c = id(hdr.h.c);",
            ..PLAIN
        },
    ),
    (
        "overload",
        Parts {
            top: "bit<8> f(in bit<8> a) { return a; } bit<8> f(in bit<8> a, in bit<8> b) { return a + b; }\n",
            body: "hdr.h.a = f(hdr.h.b); hdr.h.b = f(1, 2);",
            ..PLAIN
        },
    ),
    (
        "default_args",
        Parts {
            top: "bit<8> f(in bit<8> a, in bit<8> b = 5) { return a + b; }\n",
            body: "hdr.h.a = f(hdr.h.b); hdr.h.b = f(b = 1, a = 2);",
            ..PLAIN
        },
    ),
    (
        "action_dirs",
        Parts {
            locals: "action a(inout bit<8> x, in bit<8> y, out bit<8> z, bit<8> w) { z = x + y; x = w; } table t { key = { hdr.h.a: exact; } actions = { a(hdr.h.a, hdr.h.b, meta.x); NoAction; } default_action = a(hdr.h.a, hdr.h.b, meta.x, 5); }",
            body: "t.apply(); a(hdr.h.a, 1, hdr.h.b, 2);",
            ..PLAIN
        },
    ),
    (
        "global_action",
        Parts {
            top: "action gl(inout bit<8> x) { x = 1; } action gz() { } @name(\"renamed\") action gn() { }\n",
            locals: "table t { actions = { gl(hdr.h.a); gz; gn; } default_action = gz; }",
            body: "t.apply(); gl(hdr.h.b);",
            egress_locals: "table t { actions = { gz; gn; } default_action = gn(); }",
            egress: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "action_calls",
        Parts {
            locals: "action in1(inout bit<8> q) { q = q + 1; } action out1() { in1(hdr.h.a); in1(hdr.h.b); } table t { actions = { out1; } default_action = out1; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "subcontrol",
        Parts {
            top: "control Sub(inout h_t h)(bit<8> n, bool flag) { action s(bit<8> v) { h.a = v + n; } table t { key = { h.b: exact; } actions = { s; NoAction; } size = 16; } apply { if (flag) { t.apply(); } else { h.b = n; } } }\n",
            locals: "Sub(5, true) one; @name(\"zwei\") Sub(8w6, false) two;",
            body: "one.apply(hdr.h); two.apply(hdr.g); one.apply(hdr.g);",
            p4info_only: true,
            ..PLAIN
        },
    ),
    (
        "direct_apply",
        Parts {
            top: "control Sub(inout h_t h) { action s() { h.a = 1; } table t { key = { h.b: exact; } actions = { s; NoAction; } } apply { t.apply(); } }\n",
            body: "Sub.apply(hdr.h);",
            ..PLAIN
        },
    ),
    (
        "nested_control",
        Parts {
            top: "control L2(inout bit<8> x) { counter(4, CounterType.bytes) c; apply { c.count(1); x = x + 1; } } control L1(inout h_t h) { L2() l2; table t { actions = { NoAction; } } apply { l2.apply(h.a); t.apply(); } }\n",
            locals: "L1() l1; L1() l1b;",
            body: "l1.apply(hdr.h); l1b.apply(hdr.g);",
            ..PLAIN
        },
    ),
    (
        "externs_top",
        Parts {
            top: "register<bit<32>>(8) topreg; counter(8, CounterType.packets_and_bytes) topcnt;\n",
            body: "topcnt.count(1); bit<32> v; topreg.read(v, 0); topreg.write(0, v);",
            ..PLAIN
        },
    ),
    (
        "direct_res2",
        Parts {
            meta: "struct metadata { bit<8> x; bool y; bit<32> z; bit<2> col; }\n",
            locals: "direct_counter(CounterType.packets) dc; direct_meter<bit<2>>(MeterType.packets) dm; action a() { dc.count(); dm.read(meta.col); } table t { key = { hdr.h.a: exact; } actions = { a; } default_action = a; counters = dc; meters = dm; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "profile",
        Parts {
            locals: "action a(bit<8> v) { hdr.h.b = v; } action_profile(32) ap; @max_group_size(8) @selector_size_semantics(\"sum_of_weights\") action_selector(HashAlgorithm.crc16, 32w128, 32w10) asel; table t { key = { hdr.h.a: exact; } actions = { a; NoAction; } implementation = ap; } table u { key = { hdr.h.a: exact; hdr.h.b: selector; } actions = { a; NoAction; } implementation = asel; }  table v { key = { hdr.h.a: exact; } actions = { a; NoAction; } implementation = ap; }",
            body: "t.apply(); u.apply(); v.apply();",
            ..PLAIN
        },
    ),
    (
        "profile_inline",
        Parts {
            locals: "action a(bit<8> v) { hdr.h.b = v; } table t { key = { hdr.h.a: exact; } actions = { a; NoAction; } @name(\"apx\") implementation = action_profile(32); }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "digests",
        Parts {
            types: "struct dg { bit<8> a; bit<16> c; bool f; }\n",
            body: "digest<dg>(1, { hdr.h.a, hdr.h.c, true }); digest(2, {hdr.h.a, hdr.h.b}); dg s = {hdr.h.a, 1, false}; digest(3, s);",
            ..PLAIN
        },
    ),
    (
        "hashes",
        Parts {
            body: "bit<16> r; hash(r, HashAlgorithm.crc32, 16w0, {hdr.h.a, hdr.h.c}, 32w100); hash(meta.z, HashAlgorithm.csum16, 32w1, {hdr.h.d, 8w3}, 32w65536); bit<32> q; random(q, 32w0, 32w9);",
            ..PLAIN
        },
    ),
    (
        "checksums",
        Parts {
            verify: "verify_checksum(hdr.h.isValid(), {hdr.h.a, hdr.h.b}, hdr.h.c, HashAlgorithm.csum16); verify_checksum_with_payload(true, {hdr.h.d}, hdr.h.c, HashAlgorithm.csum16);",
            compute: "update_checksum(hdr.h.isValid(), {hdr.h.a, hdr.h.b}, hdr.h.c, HashAlgorithm.csum16); update_checksum_with_payload(true, {hdr.h.d}, hdr.g.c, HashAlgorithm.csum16);",
            ..PLAIN
        },
    ),
    (
        "clone_etc",
        Parts {
            meta: "struct metadata { @field_list(1, 2) bit<8> x; @field_list(2) bool y; bit<32> z; }\n",
            body: "clone(CloneType.I2E, 5); clone_preserving_field_list(CloneType.I2E, 32w3, 8w1); resubmit_preserving_field_list(2); truncate(32w64);",
            egress: "recirculate_preserving_field_list(1); clone_preserving_field_list(CloneType.E2E, 32w3, 2);",
            ..PLAIN
        },
    ),
    (
        "log",
        Parts {
            body: "log_msg(\"hello\"); log_msg(\"a={} b={}\", {hdr.h.a, hdr.h.b}); assert(hdr.h.a == 1 || true); assume(hdr.h.isValid());",
            ..PLAIN
        },
    ),
    (
        "drop_old",
        Parts {
            body: "mark_to_drop(sm);",
            ..PLAIN
        },
    ),
    (
        "packetio",
        Parts {
            headers: "@controller_header(\"packet_in\") header pin_t { bit<9> port; @padding bit<7> _pad; } @controller_header(\"packet_out\") header pout_t { bit<9> port; bit<7> _pad; } header h_t { bit<8> a; bit<8> b; bit<16> c; int<8> s; bit<32> d; }\n",
            hdr: "struct headers { pin_t pin; pout_t pout; h_t h; h_t g; }\n",
            ..PLAIN
        },
    ),
    (
        "newtypes",
        Parts {
            types: "type bit<32> ip_t; @p4runtime_translation(\"u/x\", 32) type bit<9> port_t; @p4runtime_translation(\"u/s\", string) type bit<16> str_t; @p4runtime_translation(\"u/y\", bit<8>) type bit<4> y_t; typedef ip_t ip2_t; enum bit<8> se { A = 0, B = 255 }\n",
            headers: "header h_t { bit<8> a; bit<8> b; ip_t i; port_t p; bit<7> q; str_t s; se e; }\n",
            locals: "action a(port_t p, str_t s, ip2_t i, se e, bool b, int<8> n) { hdr.h.p = p; hdr.h.s = s; hdr.h.e = e; } table t { key = { hdr.h.i: exact; hdr.h.p: exact; hdr.h.s: exact; hdr.h.e: exact; } actions = { a; NoAction; } default_action = a((port_t)(bit<9>)3, (str_t)16w5, (ip_t)32w7, se.B, true, -1); }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "reg_types",
        Parts {
            types: "type bit<32> ip_t; enum bit<8> se { A = 0, B = 255 }\n",
            locals: "register<ip_t>(4) r1; register<int<8>>(4) r2; register<bit<1>>(1) r3;",
            body: "ip_t i; r1.read(i, 0); r1.write(1, i);",
            ..PLAIN
        },
    ),
    (
        "anno_everywhere",
        Parts {
            before: "",
            includes: "#include <core.p4>\n#include <v1model.p4>\n",
            types: "@t1 @t2(\"x\") struct st { @f1 bit<8> a; @f2[1, \"s\", true] @f3[k=1, j=\"v\"] bit<8> b; }\n@e enum en { A, B }\n@c const bit<8> K = 1;\n@td typedef bit<8> b8;\n",
            locals: "@a1(1 + 2, {x: y}) @a2[] action a(@p1(\"q\") @id(7) bit<8> v, @name(\"other\") bit<8> w) { @s1 { hdr.h.a = v; } } @hidden action hid() { } @t1 @t2(@inner(x), y) table t { key = { hdr.h.a: exact @k1 @k2(3) @name(\"K\") @id(9); } actions = { @r1 a; @tableonly @r2(\"x\") hid; @defaultonly NoAction; } @p const default_action = NoAction; @sz size = 10; } @v bit<8> var = 1;",
            body: "@atomic { t.apply(); }",
            main: "@pkginfo(name = \"x\", version = \"1.0\", organization = \"o\") @brief(\"b\") @description(\"d\\\"q\") @mm[a=1] V1Switch(P(), V(), I(), E(), C(), D()) main;",
            ..PLAIN
        },
    ),
    (
        "pragma",
        Parts {
            types: "@pragma foo bar baz\n@pragma empty\nconst bit<8> PP = 1;\n",
            locals: "@pragma stage 3\n table t { actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "hidden_table",
        Parts {
            locals: "@hidden table t { actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "structs",
        Parts {
            types: "struct inner { bit<8> a; bit<8> b; } struct outer { inner i; bit<8> c; }\n",
            body: "outer o = { { 1, 2 }, 3 }; outer p = { i = { a = 1, b = 2 }, c = 4 }; o.i = p.i; inner q = { ... }; if (o == p) { hdr.h.a = o.i.a; } hdr.h.b = q.b; tuple<bit<8>, bool> t = { 1, true }; hdr.h.a = t[0]; outer z = (outer){ i = (inner){ a = 3, b = 4 }, c = 5 }; hdr.h.c = (bit<16>)z.i.b;",
            ..PLAIN
        },
    ),
    (
        "hdr_init",
        Parts {
            body: "hdr.h = { 1, 2, 3, 4, 5 }; hdr.g = { a = 1, b = 2, c = 3, s = -1, d = 6 }; hdr.g = (h_t){#}; h_t loc = { ... }; loc.setInvalid(); if (hdr.h == hdr.g) { hdr.h.a = 0; }",
            ..PLAIN
        },
    ),
    (
        "arith",
        Parts {
            body: "hdr.h.a = hdr.h.a |-| 5; hdr.h.b = ~hdr.h.b ^ (hdr.h.a << 2); hdr.h.s = -hdr.h.s >> 1; hdr.h.c = hdr.h.a ++ hdr.h.b; hdr.h.d[15:8] = hdr.h.a; hdr.h.d = hdr.h.d * 3 - (bit<32>)hdr.h.c; bool q = !(hdr.h.a < 3) && hdr.h.b >= 2 || hdr.h.isValid(); hdr.h.a = q ? 8w1 : 2; hdr.h.b = (bit<8>)(int<8>)hdr.h.a; bit<1> f = (bit<1>)q; hdr.h.a = 8w255 / 2 % 7;",
            ..PLAIN
        },
    ),
    (
        "bigconst",
        Parts {
            types: "const bit<512> BIG = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff; const int HUGE = 1 << 200; const bit<128> V6 = 128w0x2001_0db8_0000_0000_0000_0000_0000_0001;\n",
            headers: "header h_t { bit<8> a; bit<8> b; bit<16> c; int<8> s; bit<32> d; bit<512> big; bit<128> v6; }\n",
            body: "hdr.h.big = BIG; hdr.h.v6 = V6; if (HUGE > 5) { hdr.h.a = 1; }",
            ..PLAIN
        },
    ),
    (
        "opassign",
        Parts {
            body: "hdr.h.a += 1; hdr.h.b |= 3; hdr.h.c <<= 2; hdr.h.d ^= 5; hdr.h.a -= 1; hdr.h.b &= 1; hdr.h.a |+|= 1;",
            ..PLAIN
        },
    ),
    (
        "forloops",
        Parts {
            body: "for (bit<8> i = 0; i < 4; i = i + 1) { hdr.h.a = hdr.h.a + i; if (i == 2) break; else continue; } for (bit<8> j in 0..3) { hdr.h.b = j; } for (bit<8> k in (list<bit<8>>){1,2,3}) { hdr.h.b = k; }",
            ..PLAIN
        },
    ),
    (
        "typedefs",
        Parts {
            types: "typedef bit<8> b8; typedef b8 b8b; typedef tuple<bit<8>, bit<8>> tt;\n",
            body: "b8b x = 1; tt y = {1, 2}; hdr.h.a = x + y[1];",
            ..PLAIN
        },
    ),
    (
        "static_assert",
        Parts {
            types: "const bool OK = static_assert(1 == 1, \"no\"); \n",
            ..PLAIN
        },
    ),
    (
        "string_concat",
        Parts {
            locals: "@name(\"ab\") table t { actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "preproc",
        Parts {
            before: "#define CAT(a,b) a##b\n#define STR(x) #x\n#define VARIA(f, ...) f(__VA_ARGS__)\n#define FOUR 4\n#if defined(FOUR) && (FOUR > 3) && !defined(NOPE)\n#define OKAY 1\n#elif 1\n#error no\n#else\n#error no2\n#endif\n#ifdef __p4c__\n#endif\n#ifndef OKAY\n#error missing\n#endif\n#undef FOUR\n#if FOUR\n#error four\n#endif\n#pragma something else\n#line 100 \"other.p4\"\n",
            types: "const bit<8> CAT(K,1) = OKAY; // comment \\\n continued\n/* block */ const bit<8> K2 = 0x0_f;\n",
            ..PLAIN
        },
    ),
    (
        "if_expr",
        Parts {
            types: "#if (1 ? 2 : 0) == 2 && 0x10 == 16 && (3 << 2) == 12 && -1 < 0 && ~0 == -1\n#else\n#error x\n#endif\n",
            ..PLAIN
        },
    ),
    (
        "include_quotes",
        Parts {
            includes: "#include \"core.p4\"\n#include \"v1model.p4\"\n",
            ..PLAIN
        },
    ),
    (
        "include_twice",
        Parts {
            includes: "#include <core.p4>\n#include <v1model.p4>\n#include <core.p4>\n#include <v1model.p4>\n",
            ..PLAIN
        },
    ),
    (
        "ident_keywords",
        Parts {
            headers: "header h_t { bit<8> a; bit<8> b; bit<16> c; int<8> s; bit<32> d; bit<8> key; bit<8> actions; bit<8> entries; bit<8> apply; bit<8> state; bit<8> type; bit<8> list; bit<8> priority; }\n",
            body: "hdr.h.key = hdr.h.actions + hdr.h.entries + hdr.h.apply + hdr.h.state + hdr.h.type + hdr.h.priority;",
            ..PLAIN
        },
    ),
    (
        "scopes",
        Parts {
            top: "const bit<8> X = 1; bit<8> sc(in bit<8> X2) { return .X + X2; }\n",
            body: "bit<8> X = 3; { bit<8> X = 4; hdr.h.a = X; } hdr.h.b = X + .X + sc(1);",
            ..PLAIN
        },
    ),
    (
        "unused_all",
        Parts {
            top: "control Unused(inout bit<8> x) { table t { actions = { NoAction; } } apply { t.apply(); } } parser UP(packet_in p) { state start { transition accept; } } action unus() { }\n",
            locals: "table never { actions = { NoAction; } } action nev() { } register<bit<8>>(3) r; Unused() uu;",
            body: "",
            ..PLAIN
        },
    ),
    (
        "dead",
        Parts {
            locals: "table t1 { actions = { NoAction; } } table t2 { actions = { NoAction; } } table t3 { actions = { NoAction; } }",
            body: "if (false) { t1.apply(); } t2.apply(); return; t3.apply();",
            ..PLAIN
        },
    ),
    (
        "exit_action",
        Parts {
            locals: "action ex() { exit; } action rt() { return; } table t { key = { hdr.h.a: exact; } actions = { ex; rt; } default_action = rt; }",
            body: "t.apply(); hdr.h.a = 1;",
            ..PLAIN
        },
    ),
    (
        "cond_action",
        Parts {
            locals: "action c() { if (hdr.h.a == 1) { hdr.h.b = 1; } else { hdr.h.b = 2; } } table t { actions = { c; } default_action = c; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "type_in_ctrl",
        Parts {
            locals: "const bit<8> L = 3; bit<8> v = L; h_t hh;",
            body: "hdr.h.a = v; hh.setValid(); hh.a = 3; hdr.g = hh;",
            ..PLAIN
        },
    ),
    (
        "same_names",
        Parts {
            locals: "action h() { } table hdr_t { actions = { h; } default_action = h; } bit<8> a;",
            body: "a = 1; hdr_t.apply(); hdr.h.a = a;",
            ..PLAIN
        },
    ),
    (
        "named_pkg",
        Parts {
            main: "V1Switch<headers, metadata>(p = P(), vr = V(), ig = I(), eg = E(), ck = C(), dep = D()) main;",
            ..PLAIN
        },
    ),
    (
        "generic_struct",
        Parts {
            types: "struct G<T> { T a; bit<8> b; } header GH<T> { T a; }\n",
            body: "G<bit<8>> g = { 1, 2 }; hdr.h.a = g.a; GH<bit<16>> x; x.setValid(); x.a = 3; hdr.h.c = x.a;",
            ..PLAIN
        },
    ),
    (
        "enum_val",
        Parts {
            types: "enum bit<16> et { V4 = 0x0800, V6 = 0x86dd } \n",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.c) { et.V4: accept; et.V6: accept; default: reject; } }",
            body: "et e = et.V4; hdr.h.c = e; if ((et)hdr.h.c == et.V6) { hdr.h.a = 1; } hdr.h.c = et.V6 + 1;",
            ..PLAIN
        },
    ),
    (
        "int_args",
        Parts {
            body: "bit<32> q; random(q, 0, 100); hash(q, HashAlgorithm.identity, 32w0, {hdr.h.a}, 32w16); truncate(5);",
            ..PLAIN
        },
    ),
    (
        "shadow_meta",
        Parts {
            meta: "struct metadata { bit<8> x; standard_metadata_t smcopy; h_t hcopy; }\n",
            body: "meta.smcopy = sm; meta.hcopy = hdr.h; hdr.g = meta.hcopy;",
            ..PLAIN
        },
    ),
    (
        "nested_meta",
        Parts {
            types: "struct n1 { bit<8> q; } struct n2 { n1 a; bit<4> w; }\n",
            meta: "struct metadata { n2 n; bit<8> x; tuple<bit<8>, bit<8>> t; }\n",
            body: "meta.n.a.q = 1; meta.t = {1, 2};",
            locals: "table t { key = { meta.n.a.q: exact; } actions = { NoAction; } }",
            ..PLAIN
        },
    ),
    (
        "hdr_nested_struct",
        Parts {
            types: "struct n1 { bit<8> q; bit<8> r; }\n",
            headers: "header h_t { n1 n; bit<8> a; }\n",
            body: "hdr.h.n.q = 1;",
            locals: "table t { key = { hdr.h.n.q: exact; } actions = { NoAction; } }",
            ..PLAIN
        },
    ),
    (
        "bool_hdr",
        Parts {
            headers: "header h_t { bool f; bit<7> p; bit<8> a; }\n",
            body: "hdr.h.f = !hdr.h.f; if (hdr.h.f) { hdr.h.a = 1; }",
            ..PLAIN
        },
    ),
    (
        "fieldname_anno",
        Parts {
            headers: "header h_t { @name(\"aa\") bit<8> a; @name(\".glob\") bit<8> b; }\n",
            locals: "table t { key = { hdr.h.a: exact; hdr.h.b: exact; } actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "abs_names",
        Parts {
            locals: "@name(\".abs.t\") table t { actions = { @name(\"x\") NoAction; } } @name(\".top\") action ta() { } table u { actions = { ta; } default_action = ta; } @name(\".cc\") counter(3, CounterType.bytes) c;",
            body: "t.apply(); u.apply(); c.count(0);",
            ..PLAIN
        },
    ),
    (
        "deprecated",
        Parts {
            types: "@deprecated(\"old\") action dep_a() { }\n",
            locals: "table t { actions = { dep_a; } default_action = dep_a; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "nop_main",
        Parts {
            main: "",
            p4info_only: true,
            ..PLAIN
        },
    ),
    (
        "multi_ret",
        Parts {
            top: "bit<8> f(in bit<8> x) { if (x == 0) { return 1; } else if (x == 1) { return 2; } else { return 3; } }\n",
            body: "hdr.h.a = f(hdr.h.b); if (hdr.h.a == 1) { return; } hdr.h.b = 2; if (hdr.h.c == 1) exit; hdr.h.c = 3;",
            ..PLAIN
        },
    ),
    (
        "empty_stmt",
        Parts {
            body: ";; { } if (hdr.h.a == 1) ; else ; {;}",
            ..PLAIN
        },
    ),
    (
        "trailing_commas",
        Parts {
            types: "enum X { A, B, } error { E1 }\nstruct tc { bit<8> a; }\n",
            body: "tc q = { 1, }; tc r = { a = 1, }; hdr.h.a = q.a + r.a;",
            ..PLAIN
        },
    ),
    (
        "match_kind_new",
        Parts {
            types: "match_kind { mykind, other, }\n",
            ..PLAIN
        },
    ),
    (
        "extern_decl",
        Parts {
            types: "extern Foo { Foo(bit<8> x); bit<8> get(); } extern void bar(in bit<8> a); extern T baz<T>(in T x);\n",
            ..PLAIN
        },
    ),
    (
        "comment_ends",
        Parts {
            types: "/**/ const bit<8> Z = 1; /* a * / b */ // x\n",
            ..PLAIN
        },
    ),
    (
        "line_cont",
        Parts {
            before: "#define LONG \\\n  1 + \\\n 2\n",
            types: "const bit<8> Z = LONG;\n",
            ..PLAIN
        },
    ),
    (
        "unicode_comment",
        Parts {
            types: "// é中\n/* € */ const bit<8> Z = 1;\n",
            ..PLAIN
        },
    ),
    (
        "crlf",
        Parts {
            types: "const bit<8> Z = 1;\r\nconst bit<8> Y = 2;\r\n",
            ..PLAIN
        },
    ),
    (
        "neg_slices",
        Parts {
            body: "hdr.h.c[3:0] = hdr.h.a[7:4]; hdr.h.c[8+:4] = 3; hdr.h.a = hdr.h.c[7:0][7:0];",
            ..PLAIN
        },
    ),
    (
        "int_width_expr",
        Parts {
            types: "const int W = 4 * 2; typedef bit<(W + 8)> w16;\n",
            body: "w16 q = 1; hdr.h.c = q; bit<(W)> r = 3; hdr.h.a = r;",
            ..PLAIN
        },
    ),
    (
        "concat_varied",
        Parts {
            body: "hdr.h.d = hdr.h.a ++ hdr.h.b ++ hdr.h.c; hdr.h.d = 16w0 ++ hdr.h.c; hdr.h.c = (bit<16>)(4w3 ++ 12w5);",
            ..PLAIN
        },
    ),
    (
        "list_type",
        Parts {
            types: "const list<bit<8>> L = {1, 2, 3};\n",
            ..PLAIN
        },
    ),
    (
        "sm_in_parser",
        Parts {
            states: "state start { pkt.extract(hdr.h); meta.x = (bit<8>)sm.ingress_port; transition select(sm.ingress_port) { 1: accept; default: accept; } }",
            ..PLAIN
        },
    ),
    (
        "length",
        Parts {
            states: "state start { meta.z = pkt.length(); pkt.extract(hdr.h); transition accept; }",
            p4info_only: true,
            ..PLAIN
        },
    ),
    (
        "egress_tables",
        Parts {
            egress_locals: "table t { key = { hdr.h.a: exact; } actions = { NoAction; } } counter(512, CounterType.packets) ec;",
            egress: "t.apply(); ec.count((bit<32>)sm.egress_port); if (sm.instance_type == 1) { mark_to_drop(sm); }",
            ..PLAIN
        },
    ),
    (
        "const_param",
        Parts {
            top: "control K(inout bit<8> x, bit<8> c) { apply { x = c; } }\n",
            locals: "K() k;",
            body: "k.apply(hdr.h.a, 5);",
            ..PLAIN
        },
    ),
    (
        "noname_args",
        Parts {
            locals: "action a(bit<8> v) { hdr.h.a = v; } table t { key = { hdr.h.a: exact; } actions = { a; } default_action = a(v = 3); const entries = { 1 : a(v = 2); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "dup_default",
        Parts {
            locals: "action a(bit<8> v, bit<8> w) { hdr.h.a = v; } table t { key = { hdr.h.a: exact; } actions = { a; } default_action = a(w = 3, v = 1); }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "psa_like_names",
        Parts {
            types: "struct ingress_t { bit<8> x; } typedef bit<9> egressSpec_t;\n",
            ..PLAIN
        },
    ),
    (
        "tern_action",
        Parts {
            body: "hdr.h.a = hdr.h.b == 1 ? (hdr.h.c == 2 ? 8w1 : 8w2) : 8w3;",
            ..PLAIN
        },
    ),
    (
        "copy_headers",
        Parts {
            top: "void swap(inout h_t a, inout h_t b) { h_t t = a; a = b; b = t; }\n",
            body: "swap(hdr.h, hdr.g);",
            ..PLAIN
        },
    ),
    (
        "minmax",
        Parts {
            body: "bit<32> n = (bit<32>)hdr.h.minSizeInBits(); hdr.h.d = n; hdr.h.d = (bit<32>)hdr.h.maxSizeInBytes();",
            ..PLAIN
        },
    ),
    (
        "table_in_func_like",
        Parts {
            locals: "table t { key = { hdr.h.a: exact; } actions = { NoAction; } }",
            body: "bool b = t.apply().hit; if (b && hdr.h.a == 1) { hdr.h.a = 2; }",
            ..PLAIN
        },
    ),
    (
        "default_noaction_explicit",
        Parts {
            locals: "table t { key = { hdr.h.a: exact; } actions = { NoAction(); } default_action = NoAction(); }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "support_timeout",
        Parts {
            locals: "table t { key = { hdr.h.a: exact; } actions = { NoAction; } support_timeout = true; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "unknown_prop",
        Parts {
            locals: "table t { key = { hdr.h.a: exact; } actions = { NoAction; } my_property = 5; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "static_assert_constants",
        Parts {
            types: "const bool OK = static_assert(V1MODEL_VERSION >= 20180101, \"old\"); const bool OK2 = static_assert(1 == 1);\n",
            body: "static_assert(4 > 3, \"x\"); bool q = static_assert(true);",
            ..PLAIN
        },
    ),
    (
        "typedef_hdr",
        Parts {
            types: "",
            headers: "header h0_t { bit<8> a; bit<8> b; bit<16> c; int<8> s; bit<32> d; } typedef h0_t h_t;\n",
            body: "h_t x = hdr.h; hdr.g = x;",
            ..PLAIN
        },
    ),
    (
        "type_of_typedef",
        Parts {
            types: "typedef bit<32> t0; type t0 t1; typedef t1 t2;\n",
            headers: "header h_t { bit<8> a; t2 q; }\n",
            body: "hdr.h.q = (t1)(t0)5;",
            ..PLAIN
        },
    ),
    (
        "local_const_action",
        Parts {
            locals: "action a() { const bit<8> K = 4; bit<8> v = K; hdr.h.a = v; } table t { actions = { a; } default_action = a; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "select_struct",
        Parts {
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a, hdr.h.b, hdr.h.c) { (1, 2, 3): accept; (4 &&& 7, 5 .. 6, _): accept; default: reject; } }",
            ..PLAIN
        },
    ),
    (
        "select_nested_mask",
        Parts {
            types: "const bit<16> ETH = 0x800;\n",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.c, hdr.h.isValid()) { (ETH, true): accept; (ETH ..  0x900, _): accept; (_, false): accept; } }",
            ..PLAIN
        },
    ),
    (
        "select_bool",
        Parts {
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a == 1) { true: accept; false: reject; } }",
            ..PLAIN
        },
    ),
    (
        "entries_bool_enum",
        Parts {
            types: "enum bit<8> ek { A = 1, B = 2 }\n",
            locals: "action a() {} table t { key = { meta.y: exact; (ek)hdr.h.a: exact @name(\"e\"); hdr.h.s: exact; } actions = { a; } default_action = a; const entries = { (true, ek.A, 5): a(); (false, ek.B, -3): a(); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "entries_expr",
        Parts {
            types: "const bit<8> K = 5; const bit<32> NET = 32w10 << 24;\n",
            locals: "action a(bit<9> p) { sm.egress_spec = p; } table t { key = { hdr.h.a: ternary; hdr.h.d: lpm; } actions = { a; NoAction; } const entries = { (K + 1, NET &&& (32w0xff << 24)): a(1); (_, _): a(511); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "tuple_key",
        Parts {
            types: "struct tk { tuple<bit<8>, bit<16>> t; }\n",
            locals: "tk v; table t { key = { v.t[0]: exact; v.t[1]: ternary; } actions = { NoAction; } }",
            body: "v.t = { hdr.h.a, hdr.h.c }; t.apply();",
            ..PLAIN
        },
    ),
    (
        "bool_ops",
        Parts {
            body: "bool a = hdr.h.isValid(); bool b = a == true; bool c = a != b; if (a && !b || c) { meta.y = !meta.y; } meta.y = meta.y ? false : true; bit<1> z = (bit<1>)(hdr.h.a == 1); bool w = (bool)z; if (w) { hdr.h.a = 1; }",
            ..PLAIN
        },
    ),
    (
        "int_signed",
        Parts {
            body: "int<8> x = hdr.h.s; x = x - 8s3; x = x * 2; x = x >> 1; if (x < 0 || x > 8s10) { hdr.h.s = x |+| 8s100; } int<16> y = (int<16>)x; hdr.h.c = (bit<16>)y; int<8> z = -8s128;",
            ..PLAIN
        },
    ),
    (
        "shift_var",
        Parts {
            body: "hdr.h.d = hdr.h.d << hdr.h.a; hdr.h.d = hdr.h.d >> (bit<8>)(hdr.h.c[3:0] ++ 4w0); hdr.h.a = 8w1 << 3; hdr.h.b = 1 << 2;",
            ..PLAIN
        },
    ),
    (
        "concat_const",
        Parts {
            types: "const bit<16> X = 8w1 ++ 8w2; const string S = \"a\" ++ \"b\";\n",
            body: "hdr.h.c = X;",
            ..PLAIN
        },
    ),
    (
        "generic_infer",
        Parts {
            top: "void cp<T>(in T x, out T y) { y = x; }\n",
            body: "cp(hdr.h.a, hdr.h.b); cp(hdr.h, hdr.g);",
            ..PLAIN
        },
    ),
    (
        "return_struct",
        Parts {
            types: "struct pr { bit<8> a; bit<8> b; }\n",
            top: "pr mk(in bit<8> x) { return { x, x + 1 }; } pr mk2(in bit<8> x) { pr r; r.a = x; r.b = 0; return r; }\n",
            body: "pr q = mk(hdr.h.a); hdr.h.b = q.b; hdr.h.a = mk2(3).a;",
            ..PLAIN
        },
    ),
    (
        "inout_slices",
        Parts {
            top: "void inc(inout bit<4> x) { x = x + 1; }\n",
            body: "inc(hdr.h.a[3:0]); inc(hdr.h.a[7:4]);",
            ..PLAIN
        },
    ),
    (
        "stack_arg",
        Parts {
            hdr: "struct headers { h_t h; h_t[3] s; }\n",
            top: "control SC(inout h_t[3] st) { apply { st[0].a = 1; st.pop_front(1); } }\n",
            locals: "SC() sc;",
            body: "sc.apply(hdr.s);",
            ..PLAIN
        },
    ),
    (
        "hdr_arg",
        Parts {
            top: "control HC(inout headers h, in metadata m, out bit<8> o) { apply { o = m.x; h.h.setInvalid(); } }\n",
            locals: "HC() hc; bit<8> out_v;",
            body: "hc.apply(hdr, meta, out_v); hdr.h.a = out_v;",
            ..PLAIN
        },
    ),
    (
        "parser_two_sub",
        Parts {
            top: "parser S1(packet_in p, inout headers h) { state start { p.extract(h.g); transition accept; } } parser S2(packet_in p, inout headers h) { S1() s; state start { transition select(h.h.a) { 1: x; _: accept; } } state x { s.apply(p, h); transition accept; } }\n",
            parser_locals: "S2() s2;",
            states: "state start { pkt.extract(hdr.h); s2.apply(pkt, hdr); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "subparser_direct",
        Parts {
            top: "parser S1(packet_in p, out h_t h) { state start { p.extract(h); transition accept; } }\n",
            states: "state start { S1.apply(pkt, hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "parser_ctor",
        Parts {
            top: "parser S1(packet_in p, out h_t h)(bit<8> k) { state start { p.extract(h); transition select(h.a) { k: accept; default: reject; } } }\n",
            parser_locals: "S1(5) s;",
            states: "state start { s.apply(pkt, hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "error_enum_key",
        Parts {
            locals: "table t { key = { sm.parser_error: exact; } actions = { NoAction; } const entries = { error.NoError: NoAction(); error.PacketTooShort: NoAction(); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "action_anno_order",
        Parts {
            locals: "@brief(\"x\") @id(0x01000010) @other(\"y\") action a() { } @id(33554434) table t { actions = { a; NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "egress_clone_session",
        Parts {
            body: "clone(CloneType.I2E, (bit<32>)hdr.h.a);",
            egress: "clone(CloneType.E2E, 32w100);",
            ..PLAIN
        },
    ),
    (
        "nested_if_tables",
        Parts {
            locals: "table t { key = { hdr.h.a: exact; } actions = { NoAction; } } table u { key = { hdr.h.b: exact; } actions = { NoAction; } }",
            body: "if (hdr.h.isValid()) { if (hdr.h.a > 3) { t.apply(); } else if (hdr.h.a == 2) { u.apply(); } else { hdr.h.a = 1; } }",
            ..PLAIN
        },
    ),
    (
        "switch_in_if",
        Parts {
            locals: "action a() { hdr.h.b = 1; } action b() { exit; } table t { key = { hdr.h.a: exact; } actions = { a; b; NoAction; } default_action = NoAction(); }",
            body: "if (hdr.h.isValid()) { switch (t.apply().action_run) { a: { hdr.h.c = 1; } b: { } NoAction: { hdr.h.c = 2; } } }",
            ..PLAIN
        },
    ),
    (
        "action_extern",
        Parts {
            locals: "register<bit<32>>(16) r; counter(16, CounterType.packets) c; action a(bit<32> i) { bit<32> v; r.read(v, i); v = v + 1; r.write(i, v); c.count(i); meta.z = v; } table t { key = { hdr.h.a: exact; } actions = { a; NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "comment_styles",
        Parts {
            types: "/* multi\n line */ // c\n//*/ x\nconst bit<8> ZZ = /* in */ 3 /* out */;\n",
            ..PLAIN
        },
    ),
    (
        "anon_args",
        Parts {
            body: "digest<tuple<bit<8>, bit<16>>>(5, { hdr.h.a, hdr.h.c });",
            ..PLAIN
        },
    ),
    (
        "log_types",
        Parts {
            body: "log_msg(\"v {} {}\", { hdr.h.isValid(), hdr.h.c[3:0] }); log_msg(\"n\");",
            ..PLAIN
        },
    ),
    (
        "hash_tuple",
        Parts {
            body: "bit<32> r; tuple<bit<8>, bit<16>> t = { hdr.h.a, hdr.h.c }; hash(r, HashAlgorithm.crc32, 32w0, t, 32w1024);",
            ..PLAIN
        },
    ),
    (
        "hash_struct",
        Parts {
            types: "struct hs { bit<8> a; bit<16> b; }\n",
            body: "bit<32> r; hs s = { hdr.h.a, hdr.h.c }; hash(r, HashAlgorithm.crc16, 32w0, s, 32w1024); hash(r, HashAlgorithm.xor16, 32w0, { hdr.h.a, s.b }, 64w65536);",
            ..PLAIN
        },
    ),
    (
        "deparser_logic",
        Parts {
            deparser: "pkt.emit(hdr.h); pkt.emit<h_t>(hdr.g);",
            ..PLAIN
        },
    ),
    (
        "deparser_all",
        Parts {
            hdr: "struct headers { h_t h; h_t[2] s; h_t g; }\n",
            deparser: "pkt.emit(hdr);",
            ..PLAIN
        },
    ),
    (
        "include_psa_free",
        Parts {
            before: "#ifndef FOO\n#define FOO(x, y) ((x) > (y) ? (x) : (y))\n#endif\n",
            types: "const bit<8> MX = FOO(3, 4);\n",
            ..PLAIN
        },
    ),
    (
        "define_multi",
        Parts {
            before: "#define FIELDS bit<8> a; bit<8> b;\n#define HDR(n) header n { FIELDS }\n",
            headers: "HDR(h_t)\n",
            body: "hdr.h.a = 1;",
            ..PLAIN
        },
    ),
    (
        "ternary_mux_hdr",
        Parts {
            body: "h_t t; if (hdr.h.a == 1) { t = hdr.h; } else { t = hdr.g; } hdr.g = t;",
            ..PLAIN
        },
    ),
    (
        "chain_assign_tables",
        Parts {
            locals: "action s(bit<8> v) { meta.x = v; } table a { key = { hdr.h.a: exact; } actions = { s; } default_action = s(0); } table b { key = { meta.x: exact; } actions = { s; NoAction; } const default_action = NoAction(); }",
            body: "a.apply(); b.apply();",
            ..PLAIN
        },
    ),
    (
        "long_names",
        Parts {
            locals: "@name(\"a.b.c-d/e f\") table t { actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "unicode_string",
        Parts {
            locals: "@description(\"é中\") table t { actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "many_keys",
        Parts {
            locals: "table t { key = { hdr.h.a: ternary @name(\"x\"); hdr.h.a[3:0]: exact; hdr.h.a[7:4] : exact; } actions = { NoAction; } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "empty_switch",
        Parts {
            locals: "table t { actions = { NoAction; } }",
            body: "switch (t.apply().action_run) { }",
            ..PLAIN
        },
    ),
    (
        "switch_default_only",
        Parts {
            locals: "table t { actions = { NoAction; } }",
            body: "switch (t.apply().action_run) { default: { hdr.h.a = 1; } }",
            ..PLAIN
        },
    ),
    (
        "param_shadow",
        Parts {
            top: "control PS(inout bit<8> hdr_a) { bit<8> x = hdr_a; apply { bit<8> x2 = x; hdr_a = x2 + 1; } }\n",
            locals: "PS() p; PS() p2;",
            body: "p.apply(hdr.h.a); p2.apply(hdr.h.b);",
            ..PLAIN
        },
    ),
    (
        "noarg_struct_default",
        Parts {
            types: "struct dd { bit<8> a; bool b; }\n",
            body: "dd v = {...}; dd w = { a = 3, ... }; hdr.h.a = v.a + w.a;",
            ..PLAIN
        },
    ),
    (
        "string_extern",
        Parts {
            body: "log_msg(\"x\" ++ \"y\");",
            ..PLAIN
        },
    ),
    (
        "bitneg_const",
        Parts {
            types: "const bit<8> N = -1; const int<8> M = -5; const bit<8> O = ~8w0; const int P2 = -7;\n",
            body: "hdr.h.a = N + O;",
            ..PLAIN
        },
    ),
    (
        "div_mod",
        Parts {
            types: "const int DQ = 7 / 2; const int R = 7 % 4; const bit<8> S = 8w7 / 8w2;\n",
            body: "hdr.h.a = DQ + R + S;",
            ..PLAIN
        },
    ),
    (
        "multiple_annots",
        Parts {
            locals: "@a @b @c(1) @d(\"x\", y, 3 + 4) @e[x=1] action q() { } table t { actions = { @a @b q; } default_action = q; }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "metadata_anno",
        Parts {
            meta: "@metadata struct metadata { @alias(\"foo.bar\") bit<8> x; bool y; bit<32> z; }\n",
            ..PLAIN
        },
    ),
    (
        "user_meta_nested_hdr_stack",
        Parts {
            meta: "struct metadata { h_t[2] hs; bit<8> x; bool y; }\n",
            body: "meta.hs[0].setValid(); meta.hs[0].a = 1;",
            ..PLAIN
        },
    ),
    (
        "push_const",
        Parts {
            types: "const int N = 2;\n",
            hdr: "struct headers { h_t h; h_t[4] s; }\n",
            body: "hdr.s.push_front(N); hdr.s[0].setValid(); hdr.s.pop_front(1);",
            ..PLAIN
        },
    ),
    (
        "lastindex",
        Parts {
            hdr: "struct headers { h_t h; h_t[4] s; }\n",
            states: "state start { pkt.extract(hdr.s.next); transition select(hdr.s.lastIndex) { 0: start2; default: accept; } } state start2 { pkt.extract(hdr.s.next); meta.z = hdr.s.lastIndex; transition accept; }",
            deparser: "pkt.emit(hdr.s);",
            ..PLAIN
        },
    ),
    (
        "recursive_state",
        Parts {
            hdr: "struct headers { h_t h; h_t[8] s; }\n",
            states: "state start { pkt.extract(hdr.s.next); transition select(hdr.s.last.a[0:0]) { 1: accept; 0: start; } }",
            deparser: "pkt.emit(hdr.s);",
            ..PLAIN
        },
    ),
    (
        "big_select",
        Parts {
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.c) { 0: accept; 1: accept; 2: accept; 3: accept; 4: accept; 5: accept; 6: accept; 7: accept; 8: accept; 9: accept; 10: accept; 11: accept; 12: accept; 13: accept; 14: accept; 15: accept; 16: accept; 17: accept; 18: accept; 19: accept; 20: accept; 21: accept; 22: accept; 23: accept; 24: accept; 25: accept; 26: accept; 27: accept; 28: accept; 29: accept; 30: accept; 31: accept; 32: accept; 33: accept; 34: accept; 35: accept; 36: accept; 37: accept; 38: accept; 39: accept; 40: accept; 41: accept; 42: accept; 43: accept; 44: accept; 45: accept; 46: accept; 47: accept; 48: accept; 49: accept; 50: accept; 51: accept; 52: accept; 53: accept; 54: accept; 55: accept; 56: accept; 57: accept; 58: accept; 59: accept; 60: accept; 61: accept; 62: accept; 63: accept; 64: accept; 65: accept; 66: accept; 67: accept; 68: accept; 69: accept; 70: accept; 71: accept; 72: accept; 73: accept; 74: accept; 75: accept; 76: accept; 77: accept; 78: accept; 79: accept; 80: accept; 81: accept; 82: accept; 83: accept; 84: accept; 85: accept; 86: accept; 87: accept; 88: accept; 89: accept; 90: accept; 91: accept; 92: accept; 93: accept; 94: accept; 95: accept; 96: accept; 97: accept; 98: accept; 99: accept; 100: accept; 101: accept; 102: accept; 103: accept; 104: accept; 105: accept; 106: accept; 107: accept; 108: accept; 109: accept; 110: accept; 111: accept; 112: accept; 113: accept; 114: accept; 115: accept; 116: accept; 117: accept; 118: accept; 119: accept; 120: accept; 121: accept; 122: accept; 123: accept; 124: accept; 125: accept; 126: accept; 127: accept; 128: accept; 129: accept; 130: accept; 131: accept; 132: accept; 133: accept; 134: accept; 135: accept; 136: accept; 137: accept; 138: accept; 139: accept; 140: accept; 141: accept; 142: accept; 143: accept; 144: accept; 145: accept; 146: accept; 147: accept; 148: accept; 149: accept; 150: accept; 151: accept; 152: accept; 153: accept; 154: accept; 155: accept; 156: accept; 157: accept; 158: accept; 159: accept; 160: accept; 161: accept; 162: accept; 163: accept; 164: accept; 165: accept; 166: accept; 167: accept; 168: accept; 169: accept; 170: accept; 171: accept; 172: accept; 173: accept; 174: accept; 175: accept; 176: accept; 177: accept; 178: accept; 179: accept; 180: accept; 181: accept; 182: accept; 183: accept; 184: accept; 185: accept; 186: accept; 187: accept; 188: accept; 189: accept; 190: accept; 191: accept; 192: accept; 193: accept; 194: accept; 195: accept; 196: accept; 197: accept; 198: accept; 199: accept; 200: accept; 201: accept; 202: accept; 203: accept; 204: accept; 205: accept; 206: accept; 207: accept; 208: accept; 209: accept; 210: accept; 211: accept; 212: accept; 213: accept; 214: accept; 215: accept; 216: accept; 217: accept; 218: accept; 219: accept; 220: accept; 221: accept; 222: accept; 223: accept; 224: accept; 225: accept; 226: accept; 227: accept; 228: accept; 229: accept; 230: accept; 231: accept; 232: accept; 233: accept; 234: accept; 235: accept; 236: accept; 237: accept; 238: accept; 239: accept; 240: accept; 241: accept; 242: accept; 243: accept; 244: accept; 245: accept; 246: accept; 247: accept; 248: accept; 249: accept; 250: accept; 251: accept; 252: accept; 253: accept; 254: accept; 255: accept; 256: accept; 257: accept; 258: accept; 259: accept; 260: accept; 261: accept; 262: accept; 263: accept; 264: accept; 265: accept; 266: accept; 267: accept; 268: accept; 269: accept; 270: accept; 271: accept; 272: accept; 273: accept; 274: accept; 275: accept; 276: accept; 277: accept; 278: accept; 279: accept; 280: accept; 281: accept; 282: accept; 283: accept; 284: accept; 285: accept; 286: accept; 287: accept; 288: accept; 289: accept; 290: accept; 291: accept; 292: accept; 293: accept; 294: accept; 295: accept; 296: accept; 297: accept; 298: accept; 299: accept; default: reject; } }",
            ..PLAIN
        },
    ),
    (
        "priority_kw",
        Parts {
            body: "sm.priority = 3; sm.mcast_grp = 1; sm.egress_spec = 9w5;",
            ..PLAIN
        },
    ),
    (
        "target_macro",
        Parts {
            types: "#ifdef __TARGET_BMV2__\nconst bit<8> T = 1;\n#else\n#error \"not bmv2\"\n#endif\n",
            body: "hdr.h.a = T;",
            ..PLAIN
        },
    ),
];
