// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Tables that begin with entries: constant ones, and ones that controllers may change.

#include <core.p4>
#include <v1model.p4>

header body_t {
    bit<8> fixed_key;
    bit<8> open_key;
}

struct headers_t {
    body_t body;
}

struct meta_t { }

parser InParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.body);
        transition accept;
    }
}

control InVerify(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control InIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action forward(bit<9> port) {
        std.egress_spec = port;
    }
    action mark(bit<8> value) {
        hdr.body.open_key = value;
    }

    table fixed {
        key = { hdr.body.fixed_key: ternary @name("key"); }
        actions = { forward; NoAction; }
        const default_action = NoAction();
        const entries = {
            0x10 &&& 0xff: forward(1);
            0x10 &&& 0xf0: forward(2);
            _: forward(3);
        }
    }
    table open {
        key = { hdr.body.open_key: range @name("key"); }
        actions = { mark; NoAction; }
        default_action = NoAction();
        size = 8;
        entries = {
            priority = 20: 1..5: mark(50);
            priority = 10: 3..9: mark(90);
        }
    }

    apply {
        fixed.apply();
        open.apply();
    }
}

control InEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply { }
}

control InCompute(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control InDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.body);
    }
}

V1Switch(InParser(), InVerify(), InIngress(), InEgress(), InCompute(), InDeparser()) main;
