// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// One of each thing that a controller can configure beside tables, counters and registers. The first byte of a
// packet says what it is for.

#include <core.p4>
#include <v1model.p4>

header h_t {
    bit<8>  kind;
    bit<8>  mark;
    bit<16> key;
}

struct headers_t {
    h_t h;
}

struct learn_t {
    bit<16> key;
    bit<9>  port;
}

struct meta_t {
    bit<2> color;
}

parser ExtParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<16>>(4) special;
    state start {
        packet.extract(hdr.h);
        transition select(hdr.h.key) {
            special: is_special;
            default: accept;
        }
    }
    state is_special {
        hdr.h.mark = 0xff;
        transition accept;
    }
}

control ExtVerify(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control ExtIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action_selector(HashAlgorithm.crc16, 16, 16) choices;
    action_profile(8) shared;
    meter(4, MeterType.packets) limits;
    direct_meter<bit<2>>(MeterType.packets) entry_limit;

    action forward(bit<9> port) {
        std.egress_spec = port;
    }
    action mark(bit<8> value) {
        hdr.h.mark = value;
    }
    action metered(bit<9> port) {
        entry_limit.read(meta.color);
        std.egress_spec = port;
    }

    // kind 1: a hash of the key chooses among the actions of a group.
    table balance {
        key = {
            hdr.h.mark: exact;
            hdr.h.key: selector;
        }
        actions = { forward; mark; }
        implementation = choices;
        size = 16;
    }
    // kind 2: entries share actions.
    table share {
        key = { hdr.h.key: exact; }
        actions = { forward; mark; }
        implementation = shared;
        size = 16;
    }
    // kind 3: a meter for each entry.
    table limit {
        key = { hdr.h.key: exact; }
        actions = { metered; NoAction; }
        default_action = NoAction();
        meters = entry_limit;
        size = 16;
    }
    // kind 6: entries that time out.
    table hosts {
        key = { hdr.h.key: exact; }
        actions = { forward; NoAction; }
        default_action = NoAction();
        support_timeout = true;
        size = 16;
    }

    apply {
        std.egress_spec = 1;
        if (hdr.h.kind == 1) {
            balance.apply();
        } else if (hdr.h.kind == 2) {
            share.apply();
        } else if (hdr.h.kind == 3) {
            limit.apply();
            hdr.h.mark = (bit<8>)meta.color;
        } else if (hdr.h.kind == 4) {
            limits.execute_meter((bit<32>)hdr.h.key, meta.color);
            hdr.h.mark = (bit<8>)meta.color;
        } else if (hdr.h.kind == 5) {
            digest<learn_t>(1, { hdr.h.key, std.ingress_port });
        } else if (hdr.h.kind == 6) {
            hosts.apply();
        } else if (hdr.h.kind == 7) {
            std.mcast_grp = hdr.h.key;
        } else if (hdr.h.kind == 8) {
            clone(CloneType.I2E, (bit<32>)hdr.h.key);
        }
    }
}

control ExtEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (std.egress_rid != 0) {
            hdr.h.mark = (bit<8>)std.egress_rid;
        }
    }
}

control ExtCompute(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control ExtDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.h);
    }
}

V1Switch(ExtParser(), ExtVerify(), ExtIngress(), ExtEgress(), ExtCompute(), ExtDeparser()) main;
