// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Types that controllers see otherwise than packets: ports and next hops as strings, classes as numbers of
// another width; in keys, parameters, packet I/O, digests and registers.

#include <core.p4>
#include <v1model.p4>

#define CPU_PORT 510

@p4runtime_translation("p4.org/v1model/v1/port", string)
type bit<9> port_t;

@p4runtime_translation("example.org/next_hop", string)
type bit<16> next_hop_t;

@p4runtime_translation("example.org/class", bit<32>)
type bit<6> class_t;

@controller_header("packet_out")
header packet_out_t {
    port_t egress_port;
    bit<7> pad;
}

@controller_header("packet_in")
header packet_in_t {
    port_t  ingress_port;
    bit<1>  pad;
    class_t class;
}

header body_t {
    bit<8> kind;
    bit<8> out_class;
}

struct learn_t {
    port_t  port;
    class_t class;
}

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    body_t       body;
}

struct meta_t {
    port_t     port;
    next_hop_t next_hop;
    class_t    class;
}

parser TrParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        meta.port = (port_t)std.ingress_port;
        transition select(std.ingress_port) {
            CPU_PORT: parse_packet_out;
            default: parse_body;
        }
    }
    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition parse_body;
    }
    state parse_body {
        packet.extract(hdr.body);
        transition accept;
    }
}

control TrVerify(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control TrIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action to_next_hop(next_hop_t next_hop, class_t class) {
        meta.next_hop = next_hop;
        meta.class = class;
        hdr.body.out_class = (bit<8>)(bit<6>)class;
    }
    action forward(port_t port) {
        std.egress_spec = (bit<9>)port;
    }
    action drop() {
        mark_to_drop(std);
    }

    table sources {
        key = {
            meta.port: exact @name("port");
            hdr.body.kind: exact @name("kind");
        }
        actions = { to_next_hop; @defaultonly NoAction; }
        default_action = NoAction();
    }
    table next_hops {
        key = { meta.next_hop: optional @name("next_hop"); }
        actions = { forward; drop; }
        default_action = drop();
    }
    table classes {
        key = { meta.class: ternary @name("class"); }
        actions = { drop; NoAction; }
        default_action = NoAction();
    }

    apply {
        if (hdr.packet_out.isValid()) {
            std.egress_spec = (bit<9>)hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else if (hdr.body.kind == 9) {
            hdr.packet_in.setValid();
            hdr.packet_in.ingress_port = meta.port;
            hdr.packet_in.class = (class_t)(bit<6>)hdr.body.out_class;
            std.egress_spec = CPU_PORT;
        } else {
            sources.apply();
            next_hops.apply();
            classes.apply();
            digest<learn_t>(1, { meta.port, meta.class });
        }
    }
}

control TrEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply { }
}

control TrCompute(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control TrDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.body);
    }
}

V1Switch(TrParser(), TrVerify(), TrIngress(), TrEgress(), TrCompute(), TrDeparser()) main;
