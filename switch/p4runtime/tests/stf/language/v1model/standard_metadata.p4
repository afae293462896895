// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Ports, packet length and what is zero.

#define OWN_EGRESS
#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = (bit<8>)sm.ingress_port;
        hdr.data.f = (bit<8>)sm.packet_length;
        hdr.data.g = (bit<8>)sm.instance_type;
        hdr.data.c = sm.mcast_grp;
        sm.egress_spec = sm.ingress_port + 1;
        if (sm.egress_port == 0 && sm.enq_qdepth == 0 && sm.checksum_error == 0) { hdr.data.d = 1; }
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.h = (bit<8>)sm.egress_port; }
}

#include "../end.p4"
