// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Copies have replication id, port and instance type 5.

#define OWN_EGRESS
#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { sm.mcast_grp = 7; sm.egress_spec = 1; }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = (bit<8>)sm.egress_rid;
        hdr.data.f = (bit<8>)sm.egress_port;
        hdr.data.g = (bit<8>)sm.instance_type;
    }
}

#include "../end.p4"
