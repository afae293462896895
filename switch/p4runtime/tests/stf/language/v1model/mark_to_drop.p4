// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Drops unless egress_spec is set again; in egress it drops finally.

#define OWN_EGRESS
#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 3;
        mark_to_drop(sm);
        if (hdr.data.e == 1) { sm.egress_spec = 4; }
        if (hdr.data.e == 2) { sm.egress_spec = 511; }
        if (hdr.data.e == 3) { sm.egress_spec = 5; }
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.data.e == 3) { mark_to_drop(sm); }
        sm.egress_port = 9;
    }
}

#include "../end.p4"
