// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The program of docs/p4runtime-for-thrift-users.md: an IPv4 router with one of each thing that a controller
// configures, under the names that p4lang/tutorials gives to controls.

#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst_addr;
    bit<48> src_addr;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<8>  diffserv;
    bit<16> total_len;
    bit<32> flags;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src_addr;
    bit<32> dst_addr;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
}

struct meta_t {
    bit<2> color;
}

parser MyParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<16>>(4) ip_like;
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: parse_ipv4;
            ip_like: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control MyVerify(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    counter(512, CounterType.packets_and_bytes) port_counter;
    meter(512, MeterType.bytes) port_meter;
    register<bit<32>>(512) last_length;
    action_selector(HashAlgorithm.crc16, 16, 16) next_hops;
    direct_counter(CounterType.packets) acl_counter;

    action drop() {
        mark_to_drop(std);
    }
    action ipv4_forward(bit<48> dst_addr, bit<9> port) {
        std.egress_spec = port;
        hdr.ethernet.dst_addr = dst_addr;
    }
    action flood(bit<16> group) {
        std.mcast_grp = group;
    }
    action mirror() {
        clone(CloneType.I2E, 5);
    }

    table ipv4_lpm {
        key = { hdr.ipv4.dst_addr: lpm; }
        actions = { ipv4_forward; flood; drop; }
        default_action = drop();
        size = 1024;
        support_timeout = true;
    }
    table acl {
        key = { hdr.ipv4.src_addr: ternary; hdr.ipv4.protocol: ternary; }
        actions = { drop; mirror; NoAction; }
        default_action = NoAction();
        counters = acl_counter;
        size = 64;
    }
    table ecmp {
        key = { hdr.ipv4.dst_addr: exact; hdr.ipv4.src_addr: selector; }
        actions = { ipv4_forward; drop; }
        implementation = next_hops;
        size = 64;
    }

    apply {
        if (hdr.ipv4.isValid()) {
            ipv4_lpm.apply();
            ecmp.apply();
            acl.apply();
            port_counter.count((bit<32>)std.ingress_port);
            port_meter.execute_meter((bit<32>)std.ingress_port, meta.color);
            last_length.write((bit<32>)std.ingress_port, std.packet_length);
        }
    }
}

control MyEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply { }
}

control MyCompute(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
