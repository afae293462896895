// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Packet I/O: what a controller sends leaves at the port it names; other packets go to the controller,
// which learns the port they came from and the stamp of the program.

#include <core.p4>
#include <v1model.p4>

#ifndef STAMP
#define STAMP 1
#endif
#define CPU_PORT 510

@controller_header("packet_out")
header packet_out_t {
    bit<9> egress_port;
    bit<7> pad;
}

@controller_header("packet_in")
header packet_in_t {
    bit<9>  ingress_port;
    bit<7>  pad;
    bit<16> stamp;
}

header body_t {
    bit<8> kind;
}

struct headers_t {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    body_t       body;
}

struct meta_t { }

parser CpuParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
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

control CpuVerify(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control CpuIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        if (hdr.packet_out.isValid()) {
            std.egress_spec = hdr.packet_out.egress_port;
            hdr.packet_out.setInvalid();
        } else if (hdr.body.kind == 0) {
            std.egress_spec = STAMP;
        } else {
            hdr.packet_in.setValid();
            hdr.packet_in.ingress_port = std.ingress_port;
            hdr.packet_in.stamp = STAMP;
            std.egress_spec = CPU_PORT;
        }
    }
}

control CpuEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply { }
}

control CpuCompute(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control CpuDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.packet_in);
        packet.emit(hdr.body);
    }
}

V1Switch(CpuParser(), CpuVerify(), CpuIngress(), CpuEgress(), CpuCompute(), CpuDeparser()) main;
