// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// As many constructs of the language as a small program holds: what edits of it reach.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<8> b;
    bit<16> c;
    int<8> s;
    bit<24> d;
}

struct headers_t {
    h_t h;
    h_t g;
}

struct meta_t {
    bit<8> x;
    bit<48> wide;
    bool y;
}

enum bit<8> kind_t {
    A = 1,
    B = 2
}

const bit<16> LIMIT = 1000 * 2 + 4;
typedef bit<9> port_t;

bit<8> twice(in bit<8> x) {
    if (x > 100) {
        return 255;
    }
    return x << 1;
}

parser P(packet_in p, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        p.extract(hdr.h);
        transition select(hdr.h.a, hdr.h.c[3:0]) {
            (1, _): second;
            (0x10 &&& 0xf0, 3): second;
            (kind_t.B, 4w2): accept;
            default: last;
        }
    }
    state second {
        p.extract(hdr.g);
        meta.x = hdr.g.a + 1;
        transition accept;
    }
    state last {
        transition select(hdr.h.b) {
            5: second;
            default: accept;
        }
    }
}

control V(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control Inner(inout bit<8> v, in bit<16> w)(bit<8> n) {
    register<bit<8>>(4) r;
    action put(bit<8> x) {
        v = x;
        if (w == 3) {
            v = v |+| 1;
        }
    }
    table t {
        key = {
            v: exact;
            w: lpm;
        }
        actions = { put; NoAction; }
        const entries = {
            (1, 2 &&& 0xfffe): put(3);
        }
        size = 8;
    }
    apply {
        bit<8> old;
        @atomic {
            r.read(old, (bit<32>)w);
            r.write((bit<32>)w, old + n);
        }
        if (t.apply().hit && old[3:0] != 0) {
            return;
        }
        v = old > 5 ? v : (n ++ 4w1 == 12w5 ? 8w1 : 8w2);
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    Inner(3) first;
    Inner(250) second;
    counter(8, CounterType.bytes) c;
    direct_counter(CounterType.packets) d;
    action drop() {
        mark_to_drop(sm);
        exit;
    }
    action forward(port_t port) {
        sm.egress_spec = port;
    }
    table u {
        key = {
            hdr.h.a: ternary;
            sm.ingress_port: range;
            hdr.g.isValid(): exact;
        }
        actions = { drop; forward; }
        counters = d;
        default_action = forward(1);
    }
    apply {
        first.apply(hdr.h.a, hdr.h.c);
        switch (u.apply().action_run) {
            drop: {
                c.count(1);
            }
            default: {
                hdr.g.setValid();
            }
        }
        hdr.g = { 1, 2, 3, -4, 5 };
        hdr.h.d[15:8] = twice(hdr.h.b);
        second.apply(hdr.h.b, (bit<16>)hdr.h.a * LIMIT);
        meta.wide = (bit<48>)(int<48>)(int<8>)hdr.h.s >> 3;
        meta.y = hdr.h.s < 0 || meta.wide != 0 && hdr.h.c & 0xf0 == 16;
        if (hdr.h == hdr.g) {
            random(hdr.h.c, 0, 9);
        } else {
            hash(hdr.h.c, HashAlgorithm.crc16, 16w0, { hdr.h.a, hdr.h.b }, 32w8);
        }
        if (meta.y) {
            log_msg("wide {}", { meta.wide });
        }
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.enq_qdepth > 3) {
            hdr.h.b = (bit<8>)sm.deq_qdepth;
        } else if (sm.packet_length == 0) {
            mark_to_drop(sm);
        }
    }
}

control C(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum(hdr.h.isValid(), { hdr.h.a, hdr.h.b }, hdr.h.c, HashAlgorithm.csum16);
    }
}

control D(packet_out p, in headers_t hdr) {
    apply {
        p.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
