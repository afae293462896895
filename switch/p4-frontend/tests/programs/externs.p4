// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Parsers, stacks, unions, externs of v1model and loops: the tests compile it whole and in pieces.

#include <core.p4>
#define V1MODEL_VERSION 20200408
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
header lab_t { bit<8> v; bit<8> bos; }
header opt_t { bit<8> k; varbit<320> data; }
header a_t { bit<32> x; }
header b_t { bit<16> y; bit<16> z; }
header_union u_t { a_t a; b_t b; }
@controller_header("packet_in") header cpu_in_t { bit<9> port; @id(7) bit<7> pad; }
@controller_header("packet_out") header cpu_out_t { bit<16> port; }
struct H { cpu_in_t ci; cpu_out_t co; eth_t eth; lab_t[4] labs; u_t u; u_t[3] us; opt_t o; }
enum bit<8> FL { none = 0, one = 1 }
struct inner_t { bit<8> p; @field_list(2) bit<8> q; }
struct M { @field_list(FL.one, 2) bit<16> f1; @field_list(1) inner_t in_; bit<8> i; bit<8> j; bit<4> cnt; }
struct dig_t { bit<48> mac; bit<9> port; FL fl; bool b; }
parser P(packet_in p, out H h, inout M m, inout standard_metadata_t sm) {
  value_set<bit<16>>(4) pvs;
  state start { p.extract(h.eth); m.i = 0; transition select(h.eth.type) {
     0x1234: labs; 0x5000 .. 0x50ff: un; 0x8000 &&& 0xf000: uns; pvs: opts; 0x7777: look; _: accept; } }
  state labs { p.extract(h.labs.next); m.i = m.i + 1; transition select(h.labs.last.bos, m.i) { (0, _): labs; (1, 3 &&& 3): accept; default: accept; } }
  state un { transition select(p.lookahead<bit<8>>()) { 0: ua; default: ub; } }
  state ua { p.extract(h.u.a); transition accept; }
  state ub { p.extract(h.u.b); verify(h.u.b.y != 0, error.NoMatch); transition accept; }
  state uns { p.extract(h.us.next.a); transition select(h.us.last.a.x[7:0], h.us.lastIndex) { (0, 0): uns; (1, _): unb; default: accept; } }
  state unb { p.extract(h.us.next.b); transition accept; }
  state opts { p.advance(8); p.extract(h.o, (bit<32>)(p.lookahead<bit<8>>()) << 3); transition accept; }
  state look { lab_t l = p.lookahead<lab_t>(); if (l.v == 3) { p.extract(h.labs[0]); } else { p.extract(h.labs[m.i]); } transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t sm) {
  action_selector(HashAlgorithm.crc16, 32w128, 32w16) sel;
  action_profile(64) prof;
  counter<bit<8>>(10, CounterType.packets) c;
  direct_meter<bit<8>>(MeterType.bytes) dm;
  action fwd(bit<9> p) { sm.egress_spec = p; dm.read(m.j); }
  action drop() { mark_to_drop(sm); }
  action cond(bit<8> a) { if (a == 3) { c.count(a); return; } if (m.j == 1) { mark_to_drop(sm); exit; } m.j = a; h.u.a.setValid(); }
  table t { key = { h.eth.dst: exact; h.eth.src: selector; m.f1: selector; } actions = { fwd; drop; } implementation = sel; meters = dm; }
  table t2 { key = { h.eth.src: ternary; m.i: optional; } actions = { drop; cond; } implementation = prof; size = 99; }
  table t3 { key = { m.i: exact; } actions = { cond; drop; } default_action = drop(); }
  apply {
    if (t.apply().hit) { digest<dig_t>(1, { h.eth.src, sm.ingress_port, FL.one, true }); }
    switch (t2.apply().action_run) { drop: { return; } default: { } }
    t3.apply();
    clone(CloneType.I2E, 5); clone_preserving_field_list(CloneType.I2E, (bit<32>)m.j, FL.one);
    resubmit_preserving_field_list(2);
    h.labs[m.i].v = h.labs[m.j].v + 1;
    h.labs.push_front(1); h.labs[0].setValid(); h.labs[0] = { 3, 4 };
    h.labs.pop_front(2);
    h.labs[m.j].setInvalid();
    if (h.u.isValid() && h.us[1].a.isValid()) { h.u.b = { 1, 2 }; }
    h.us[0] = h.u; h.us.push_front(1);
    for (bit<8> i = 0; i < 4; i = i + 1) { if (h.labs[i].v == 9) { break; } if (i == m.j) { continue; } m.cnt = m.cnt + 1; }
    for (bit<8> i in 0..3) { m.i = m.i + h.labs[i].v; }
    for (bit<16> x in (list<bit<16>>){1, 2, 5}) { m.f1 = m.f1 ^ x; }
    m.f1[m.j+:1] = 1; m.i = m.f1[m.j+:8];
    sm.mcast_grp = 3; 
  }
}
control E(inout H h, inout M m, inout standard_metadata_t sm) { apply { if (sm.instance_type == 0) { recirculate_preserving_field_list(9); clone_preserving_field_list(CloneType.E2E, 3, 1); truncate(60); } varbit<320> vb = h.o.data; h.o.data = vb; } }
control C(inout H h, inout M m) { apply { if (h.eth.isValid()) { update_checksum_with_payload(h.labs[0].isValid(), { h.eth.dst, 16w0 }, h.eth.type, HashAlgorithm.csum16); } } }
control D(packet_out p, in H h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
