// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The clone keeps the fields of the list; its header fields are those that arrived.

#define OWN_METADATA
#define OWN_EGRESS
#include "../begin.p4"

struct metadata_t {
    @field_list(1) bit<8> kept;
    bit<8> lost;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        meta.kept = 0x11;
        meta.lost = 0x22;
        hdr.data.a = 0xFFFFFFFF;
        clone_preserving_field_list(CloneType.I2E, 5, 1);
        meta.kept = 0x33;
        sm.egress_spec = 2;
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = meta.kept;
        hdr.data.f = meta.lost;
        hdr.data.g = (bit<8>)sm.instance_type;
        hdr.data.h = (bit<8>)sm.egress_port;
    }
}

#include "../end.p4"
