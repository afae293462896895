// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The clone of egress is the packet as the deparser left it.

#define OWN_METADATA
#define OWN_EGRESS
#include "../begin.p4"

struct metadata_t { @field_list(2, 3) bit<8> kept; bit<8> lost; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { sm.egress_spec = 2; meta.kept = 7; meta.lost = 8; }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 0) {
            clone_preserving_field_list(CloneType.E2E, 6, 3);
            hdr.data.a = 0xAAAAAAAA;
            meta.kept = 9;
        } else {
            hdr.data.b = 0xBBBBBBBB;
            hdr.data.e = meta.kept;
            hdr.data.f = meta.lost;
            hdr.data.g = (bit<8>)sm.instance_type;
        }
    }
}

#include "../end.p4"
