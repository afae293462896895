// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Types, constants, expressions.

use super::{PLAIN, Parts, Programs};

pub const PROGRAMS: &Programs = &[
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
        "arith",
        Parts {
            body: "hdr.h.a = hdr.h.a |-| 5; hdr.h.b = ~hdr.h.b ^ (hdr.h.a << 2); hdr.h.s = -hdr.h.s >> 1; hdr.h.c = hdr.h.a ++ hdr.h.b; hdr.h.d[15:8] = hdr.h.a; hdr.h.d = hdr.h.d * 3 - (bit<32>)hdr.h.c; bool q = !(hdr.h.a < 3) && hdr.h.b >= 2 || hdr.h.isValid(); hdr.h.a = q ? 8w1 : 2; hdr.h.b = (bit<8>)(int<8>)hdr.h.a; bit<1> f = (bit<1>)q; hdr.h.a = 8w255 / 2 % 7;",
            ..PLAIN
        },
    ),
    (
        "division_by_what_assignments_settle",
        Parts {
            body: "bit<8> k = 4; k = k + 4; hdr.h.a = hdr.h.b % k; k = k << 1; hdr.h.b = hdr.h.a / k; hdr.h.c = 1 << 8s1;",
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
        "static_assert_constants",
        Parts {
            types: "const bool OK = static_assert(V1MODEL_VERSION >= 20180101, \"old\"); const bool OK2 = static_assert(1 == 1);\n",
            body: "static_assert(4 > 3, \"x\"); bool q = static_assert(true);",
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
];
