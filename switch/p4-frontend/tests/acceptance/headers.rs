// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Headers, stacks, unions, structs, and what is done with them.

use super::{PLAIN, Parts, Programs};

pub const PROGRAMS: &Programs = &[
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
        "long_stack",
        Parts {
            headers: "header h_t { bit<8> a; }\n",
            hdr: "struct headers { h_t[4096] h; }\n",
            states: "state start { pkt.extract(hdr.h.next); transition select(hdr.h.last.a) { 0: accept; default: start; } }",
            deparser: "pkt.emit(hdr.h);",
            body: "hdr.h[4095].a = 1;",
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
        "generic_struct",
        Parts {
            types: "struct G<T> { T a; bit<8> b; } header GH<T> { T a; }\n",
            body: "G<bit<8>> g = { 1, 2 }; hdr.h.a = g.a; GH<bit<16>> x; x.setValid(); x.a = 3; hdr.h.c = x.a;",
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
        "fieldname_anno",
        Parts {
            headers: "header h_t { @name(\"aa\") bit<8> a; @name(\".glob\") bit<8> b; }\n",
            locals: "table t { key = { hdr.h.a: exact; hdr.h.b: exact; } actions = { NoAction; } }",
            body: "t.apply();",
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
        "typedef_hdr",
        Parts {
            types: "",
            headers: "header h0_t { bit<8> a; bit<8> b; bit<16> c; int<8> s; bit<32> d; } typedef h0_t h_t;\n",
            body: "h_t x = hdr.h; hdr.g = x;",
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
];
