// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

struct pair_t { bit<8> x; bit<8> y; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        bit<8>[3] a = { 1, 2, 3 };
        pair_t[2] p;
        p[0] = { hdr.data.h, 4 };
        p[1] = p[0];
        p[1].x = p[1].x + a[2];
        a[0] = hdr.data.h;
        hdr.data.e = a[0] + a[1];
        hdr.data.f = p[1].x;
        hdr.data.g = p[0].y;
    }
}

#include "../end.p4"
