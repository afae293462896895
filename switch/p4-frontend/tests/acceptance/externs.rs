// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The externs of v1model, the architecture, and packets to the controller.

use super::{PLAIN, Parts, Programs};

pub const PROGRAMS: &Programs = &[
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
        "reg_types",
        Parts {
            types: "type bit<32> ip_t; enum bit<8> se { A = 0, B = 255 }\n",
            locals: "register<ip_t>(4) r1; register<int<8>>(4) r2; register<bit<1>>(1) r3;",
            body: "ip_t i; r1.read(i, 0); r1.write(1, i);",
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
        "nop_main",
        Parts {
            main: "",
            p4info_only: true,
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
        "const_param",
        Parts {
            top: "control K(inout bit<8> x, bit<8> c) { apply { x = c; } }\n",
            locals: "K() k;",
            body: "k.apply(hdr.h.a, 5);",
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
        "minmax",
        Parts {
            body: "bit<32> n = (bit<32>)hdr.h.minSizeInBits(); hdr.h.d = n; hdr.h.d = (bit<32>)hdr.h.maxSizeInBytes();",
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
        "action_extern",
        Parts {
            locals: "register<bit<32>>(16) r; counter(16, CounterType.packets) c; action a(bit<32> i) { bit<32> v; r.read(v, i); v = v + 1; r.write(i, v); c.count(i); meta.z = v; } table t { key = { hdr.h.a: exact; } actions = { a; NoAction; } }",
            body: "t.apply();",
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
        "string_extern",
        Parts {
            body: "log_msg(\"x\" ++ \"y\");",
            ..PLAIN
        },
    ),
];
