// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What programs for Tofino are made of; for checking only.

#include <core.p4>
#include <tna.p4>
header eth_t { bit<48> d; bit<48> s; bit<16> t; }
header ipv4_t { bit<8> vihl; bit<6> dscp; bit<2> ecn; bit<16> len; bit<64> rest; bit<16> csum; bit<64> a; }
header bridged_t { bit<8> k; }
struct H { bridged_t b; eth_t eth; ipv4_t ip; }
struct M { bit<16> depth; bit<8> pid; bit<1> x; MirrorId_t sess; }
struct pair { bit<32> lo; bit<32> hi; }
struct dg { bit<48> a; PortId_t p; }
parser IP(packet_in pkt, out H hdr, out M md, out ingress_intrinsic_metadata_t ig) {
  Checksum() cs;
  state start { pkt.extract(ig); pkt.advance(PORT_METADATA_SIZE); transition eth; }
  state eth { pkt.extract(hdr.eth); transition select(hdr.eth.t) { 0x800: ip; default: accept; } }
  state ip { pkt.extract(hdr.ip); cs.add(hdr.ip); md.x = (bit<1>)cs.verify(); transition accept; }
}
control IG(inout H hdr, inout M md, in ingress_intrinsic_metadata_t ig, in ingress_intrinsic_metadata_from_parser_t pr, inout ingress_intrinsic_metadata_for_deparser_t dp, inout ingress_intrinsic_metadata_for_tm_t tm) {
  Register<pair, bit<9>>(512, {0, 0}) reg;
  RegisterAction<pair, bit<9>, bit<32>>(reg) upd = { void apply(inout pair v, out bit<32> rv) { v.lo = v.lo + 1; rv = v.hi; } };
  Hash<bit<16>>(HashAlgorithm_t.CRC16) h; Random<bit<16>>() rnd; Lpf<bit<19>, bit<9>>(512) lpf;
  Counter<bit<32>, bit<9>>(512, CounterType_t.PACKETS_AND_BYTES) ctr; DirectCounter<bit<64>>(CounterType_t.BYTES) dc;
  ActionProfile(32) ap; Hash<bit<14>>(HashAlgorithm_t.CRC32) sh; ActionSelector(ap, sh, SelectorMode_t.FAIR, 16, 4) sel;
  action fwd(PortId_t p) { tm.ucast_egress_port = p; dc.count(); }
  action drop() { dp.drop_ctl = 1; }
  table t { key = { hdr.eth.d: exact; ig.ingress_port: ternary; } actions = { fwd; drop; NoAction; } counters = dc; default_action = drop(); size = 64; }
  table s { key = { hdr.eth.s: exact; hdr.eth.d: selector; } actions = { fwd; } implementation = sel; }
  apply { t.apply(); s.apply(); bit<32> r = upd.execute(ig.ingress_port); md.depth = h.get({ hdr.eth.d, r }) |-| rnd.get(); ctr.count(ig.ingress_port); hdr.b.setValid(); bit<19> avg = lpf.execute(19w3, ig.ingress_port); md.pid = (bit<8>)avg[7:0]; tm.mcast_grp_a = 1; invalidate(hdr.b.k); md.depth = max(md.depth, 16w3); }
}
control ID(packet_out pkt, inout H hdr, in M md, in ingress_intrinsic_metadata_for_deparser_t dp) {
  Mirror() m; Digest<dg>() d; Resubmit() rs; Checksum() c;
  apply { if (dp.mirror_type == 1) { m.emit<bridged_t>(md.sess, { 3 }); } if (dp.digest_type == 1) { d.pack({ hdr.eth.d, 3 }); } hdr.ip.csum = c.update({ hdr.ip.len, hdr.ip.rest }); pkt.emit(hdr); }
}
parser EP(packet_in pkt, out H hdr, out M md, out egress_intrinsic_metadata_t eg) { state start { pkt.extract(eg); pkt.extract(hdr.b); transition accept; } }
control EG(inout H hdr, inout M md, in egress_intrinsic_metadata_t eg, in egress_intrinsic_metadata_from_parser_t pr, inout egress_intrinsic_metadata_for_deparser_t dp, inout egress_intrinsic_metadata_for_output_port_t op) { apply { md.depth = (bit<16>)eg.deq_qdepth[15:0]; } }
control ED(packet_out pkt, inout H hdr, in M md, in egress_intrinsic_metadata_for_deparser_t dp) { apply { pkt.emit(hdr); } }
Pipeline(IP(), IG(), ID(), EP(), EG(), ED()) pipe;
Switch(pipe) main;
