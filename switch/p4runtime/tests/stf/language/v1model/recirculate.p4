// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The packet as it left the deparser; instance type 4.

#define OWN_METADATA
#define OWN_EGRESS
#include "../begin.p4"

struct metadata_t { @field_list(1) bit<8> n; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        hdr.data.g = (bit<8>)sm.instance_type;
        hdr.data.f = hdr.data.f + 1;
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (meta.n < 2) {
            meta.n = meta.n + 1;
            recirculate_preserving_field_list(1);
        }
        hdr.data.e = meta.n;
    }
}

#include "../end.p4"
