// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Sub-parsers, sub-controls, functions, initialisers and statements.

#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; int<16> s; }
struct in_t { bit<8> x; bit<4> y; }
struct H { h_t h; h_t g; }
struct M { in_t s; tuple<bit<8>, bool> t; }
T pick<T>(in bool c, in T a, in T b) { if (c) { return a; } return b; }
void inc<T>(inout T x) { T y = x; x = y; }
bit<8> loop(in bit<8> n) { bit<8> r = 0; for (bit<8> i = 0; i < 5; i = i + 1) { if (i == n) { return r; } r = r + i; } return r; }
parser Sub(packet_in p, out h_t h, in bit<8> k)(bit<8> cc) {
  state start { p.extract(h); transition select(h.a) { 0: more; cc: accept; default: reject; } }
  state more { h.b = k; transition accept; }
}
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t sm) {
  Sub(4) s1; Sub(5) s2;
  bit<8> loc = 3;
  state start { s1.apply(p, h.h, 1); loc = loc + pick<bit<8>>(h.h.a == 1, 1, 2); if (loc == 4) { s2.apply(p, h.g, loc); } transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control Cc(inout bit<8> v, out bit<8> w)(bit<8> k, bit<8> q = 7) {
  action set(inout bit<8> z, bit<8> d) { z = z + d + k; }
  table t { key = { v: ternary; } actions = { set(v); NoAction; } entries = { priority = 1: 1: set(v, 3); priority = 10: 5: set(v, 4); } largest_priority_wins = false; priority_delta = 5; }
  apply { w = q; t.apply(); if (v == 3) { exit; } w = w |+| 3; }
}
control I(inout H h, inout M m, inout standard_metadata_t sm) {
  Cc(3) c1; Cc(q = 2, k = 9) c2;
  action a(in bit<8> x, out bit<8> y, inout bit<8> z) { y = x; z = y + z; }
  apply {
    c1.apply(h.h.a, h.h.b); c2.apply(w = m.s.x, v = h.h.a);
    a(h.h.a, h.h.a, h.h.a);
    in_t z = { y = 3, ... }; in_t w = ...; m.s = z; if (m.s == w) { h.h = {#}; }
    h_t hh = (h_t) { 1, ... }; h.g = hh; h.g = pick(m.s.x == 1, h.h, hh);
    m.s = pick(true, z, w); inc(m.s);
    h.h.b = loop(h.h.a);
    m.t = { 3, true }; if (m.t[1]) { h.h.a = m.t[0]; }
    h.h.s = h.h.s |-| 16s3; h.h.s = h.h.s >> 2; h.h.a[3:0] = 4w3; h.h.a = h.h.a ++ h.h.b == 3 ? 8w1 : 8w2;
    switch (h.h.a) { 1: 2: { h.h.b = 1; } 3: { return; } default: { exit; } }
    assert(h.h.a > 0); assume(true); log_msg("x {} {}", { h.h.a, h.h.b });
    bit<8> rr; random(rr, 0, 10); hash(h.h.b, HashAlgorithm.crc32, 8w0, { h.h.a, rr }, 8w16);
    h.h.a += 3; h.h.a <<= 2;
  }
}
control E(inout H h, inout M m, inout standard_metadata_t sm) { apply { } }
control C(inout H h, inout M m) { apply { } }
control D(packet_out p, in H h) { apply { p.emit(h.h); p.emit(h.g); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
