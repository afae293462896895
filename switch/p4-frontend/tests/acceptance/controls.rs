// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Controls, actions, functions, statements.

use super::{PLAIN, Parts, Programs};

pub const PROGRAMS: &Programs = &[
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
        "if_expr",
        Parts {
            types: "#if (1 ? 2 : 0) == 2 && 0x10 == 16 && (3 << 2) == 12 && -1 < 0 && ~0 == -1\n#else\n#error x\n#endif\n",
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
        "shadow_meta",
        Parts {
            meta: "struct metadata { bit<8> x; standard_metadata_t smcopy; h_t hcopy; }\n",
            body: "meta.smcopy = sm; meta.hcopy = hdr.h; hdr.g = meta.hcopy;",
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
        "local_const_action",
        Parts {
            locals: "action a() { const bit<8> K = 4; bit<8> v = K; hdr.h.a = v; } table t { actions = { a; } default_action = a; }",
            body: "t.apply();",
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
        "switch_in_if",
        Parts {
            locals: "action a() { hdr.h.b = 1; } action b() { exit; } table t { key = { hdr.h.a: exact; } actions = { a; b; NoAction; } default_action = NoAction(); }",
            body: "if (hdr.h.isValid()) { switch (t.apply().action_run) { a: { hdr.h.c = 1; } b: { } NoAction: { hdr.h.c = 2; } } }",
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
];
