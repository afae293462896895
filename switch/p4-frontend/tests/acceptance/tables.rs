// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Tables: keys, entries, actions, properties.

use super::{PLAIN, Parts, Programs};

pub const PROGRAMS: &Programs = &[
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
        "hidden_table",
        Parts {
            locals: "@hidden table t { actions = { NoAction; } }",
            body: "t.apply();",
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
        "egress_tables",
        Parts {
            egress_locals: "table t { key = { hdr.h.a: exact; } actions = { NoAction; } } counter(512, CounterType.packets) ec;",
            egress: "t.apply(); ec.count((bit<32>)sm.egress_port); if (sm.instance_type == 1) { mark_to_drop(sm); }",
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
        "tern_action",
        Parts {
            body: "hdr.h.a = hdr.h.b == 1 ? (hdr.h.c == 2 ? 8w1 : 8w2) : 8w3;",
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
        "action_anno_order",
        Parts {
            locals: "@brief(\"x\") @id(0x01000010) @other(\"y\") action a() { } @id(33554434) table t { actions = { a; NoAction; } }",
            body: "t.apply();",
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
        "many_keys",
        Parts {
            locals: "table t { key = { hdr.h.a: ternary @name(\"x\"); hdr.h.a[3:0]: exact; hdr.h.a[7:4] : exact; } actions = { NoAction; } }",
            body: "t.apply();",
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
];
