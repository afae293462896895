// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A bridge for the tests of the STF runner, with a table of every match kind, counters and a register.

#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst_addr;
    bit<48> src_addr;
    bit<16> ether_type;
}

header tag_t {
    bit<32> addr;
    bit<16> kind;
    bit<8> mark;
    bit<8> count;
}

struct headers_t {
    ethernet_t ethernet;
    tag_t tag;
}

struct metadata_t {
    bit<1> unused;
}

parser BridgeParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x1234: parse_tag;
            default: accept;
        }
    }
    state parse_tag {
        packet.extract(hdr.tag);
        transition accept;
    }
}

control BridgeVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control BridgeIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    counter(8, CounterType.packets_and_bytes) seen;
    direct_counter(CounterType.packets_and_bytes) forwarded;
    register<bit<8>>(4) last_mark;

    action drop() {
        mark_to_drop(sm);
    }
    action forward(bit<9> port) {
        sm.egress_spec = port;
        forwarded.count();
    }
    action drop_all() {
        mark_to_drop(sm);
        forwarded.count();
    }
    action set_mark(bit<8> mark) {
        hdr.tag.mark = mark;
        seen.count((bit<32>)mark);
        last_mark.write(0, mark);
    }
    action set_count(bit<8> count) {
        hdr.tag.count = count;
    }

    // The one that every packet goes through.
    table dmac {
        key = { hdr.ethernet.dst_addr: exact; }
        actions = { forward; @defaultonly drop_all; }
        counters = forwarded;
        default_action = drop_all();
        size = 16;
    }
    table classify {
        key = {
            hdr.tag.kind: ternary;
            hdr.tag.isValid(): exact;
        }
        actions = { set_mark; drop; NoAction; }
        default_action = NoAction();
        size = 16;
    }
    table by_addr {
        key = { hdr.tag.addr: lpm; }
        actions = { set_count; NoAction; }
        default_action = NoAction();
        size = 16;
    }
    table by_mark {
        key = {
            hdr.tag.mark: range;
            hdr.tag.kind: optional;
        }
        actions = { set_count; NoAction; }
        default_action = NoAction();
        size = 16;
    }

    apply {
        dmac.apply();
        classify.apply();
        if (hdr.tag.isValid()) {
            by_addr.apply();
            by_mark.apply();
        }
    }
}

control BridgeEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}

control BridgeCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control BridgeDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(BridgeParser(), BridgeVerify(), BridgeIngress(), BridgeEgress(), BridgeCompute(), BridgeDeparser()) main;
