// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Headers, metadata and standard metadata as values.

#define OWN_METADATA
#include "../begin.p4"

struct metadata_t { bit<8> m; bool b; }
control Drop(inout standard_metadata_t s, in bool yes) {
    apply { if (yes) { mark_to_drop(s); } }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Drop() drop;
    apply {
        headers_t tmp = hdr;
        tmp.data.e = 0x11;
        if (hdr.data.f == 1) { hdr = tmp; }
        standard_metadata_t s = sm;
        s.egress_spec = 3;
        sm = s;
        meta = { 5, true };
        metadata_t m = meta;
        m.m = 6;
        hdr.data.g = meta.m + m.m;
        drop.apply(sm, hdr.data.f == 2);
    }
}

#include "../end.p4"
