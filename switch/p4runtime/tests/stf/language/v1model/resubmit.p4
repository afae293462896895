// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The packet as it arrived, with the fields of the list; instance type 6.

#define OWN_METADATA
#include "../begin.p4"

struct metadata_t { @field_list(1) bit<8> n; bit<8> lost; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (meta.n < 3) {
            meta.n = meta.n + 1;
            meta.lost = 5;
            hdr.data.a = 0xFFFFFFFF;
            resubmit_preserving_field_list(1);
        } else {
            hdr.data.e = meta.n;
            hdr.data.f = meta.lost;
            hdr.data.g = (bit<8>)sm.instance_type;
            sm.egress_spec = 1;
        }
    }
}

#include "../end.p4"
