// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What packets say about themselves is done: for the tests of multicast in STF. The egress_rid of each copy is
// written into it.

#include <core.p4>
#include <v1model.p4>

header request_t {
    bit<16> group;
    bit<16> rid;
}

struct headers_t {
    request_t request;
}

struct metadata_t {
    bit<1> unused;
}

parser RequestParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.request);
        transition accept;
    }
}

control RequestVerify(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control RequestIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        sm.mcast_grp = hdr.request.group;
    }
}

control RequestEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.request.rid = sm.egress_rid;
    }
}

control RequestCompute(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control RequestDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(RequestParser(), RequestVerify(), RequestIngress(), RequestEgress(), RequestCompute(), RequestDeparser()) main;
