// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_METADATA
#include "../begin.p4"

struct metadata_t { bool x; bool y; }
bool both(in bool x, in bool y) { return x && y; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        meta.x = hdr.data.e == 1;
        meta.y = !meta.x == (hdr.data.f == 1);
        bool z = both(meta.x, meta.y) != false;
        if (z) { hdr.data.g = 1; }
        if (meta.x == meta.y) { hdr.data.h = 1; }
        hdr.data.c = (meta.x ? 16w1 : 0) | (meta.y ? 16w2 : 0);
        meta.x = z || meta.y;
    }
}

#include "../end.p4"
