// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The text: preprocessor, comments, names, annotations.

use super::{PLAIN, Parts, Programs};

pub const PROGRAMS: &Programs = &[
    ("minimal", Parts { ..PLAIN }),
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
        "preproc",
        Parts {
            before: "#define CAT(a,b) a##b\n#define STR(x) #x\n#define VARIA(f, ...) f(__VA_ARGS__)\n#define FOUR 4\n#if defined(FOUR) && (FOUR > 3) && !defined(NOPE)\n#define OKAY 1\n#elif 1\n#error no\n#else\n#error no2\n#endif\n#ifdef __p4c__\n#endif\n#ifndef OKAY\n#error missing\n#endif\n#undef FOUR\n#if FOUR\n#error four\n#endif\n#pragma something else\n#line 100 \"other.p4\"\n",
            types: "const bit<8> CAT(K,1) = OKAY; // comment \\\n continued\n/* block */ const bit<8> K2 = 0x0_f;\n",
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
        "trailing_commas",
        Parts {
            types: "enum X { A, B, } error { E1 }\nstruct tc { bit<8> a; }\n",
            body: "tc q = { 1, }; tc r = { a = 1, }; hdr.h.a = q.a + r.a;",
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
        "comment_styles",
        Parts {
            types: "/* multi\n line */ // c\n//*/ x\nconst bit<8> ZZ = /* in */ 3 /* out */;\n",
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
        "multiple_annots",
        Parts {
            locals: "@a @b @c(1) @d(\"x\", y, 3 + 4) @e[x=1] action q() { } table t { actions = { @a @b q; } default_action = q; }",
            body: "t.apply();",
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
