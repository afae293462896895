// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// random(x, n, n) is n.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        random(hdr.data.e, 8w7, 8w7);
        random(hdr.data.c, 0, 16w0);
        bit<8> r;
        random(r, 3, 4);
        if (r == 3 || r == 4) { hdr.data.f = 1; }
    }
}

#include "../end.p4"
