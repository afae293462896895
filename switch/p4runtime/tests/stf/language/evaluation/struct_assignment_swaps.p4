// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A list expression is evaluated before any part of it is assigned.

#include "../begin.p4"

struct pair_t { bit<8> x; bit<8> y; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        pair_t p = { hdr.data.e, hdr.data.f };
        p = { p.y, p.x };
        hdr.data.e = p.x;
        hdr.data.f = p.y;
        p = { y = p.x, x = p.y };
        hdr.data.g = p.x;
        hdr.data.h = p.y;
    }
}

#include "../end.p4"
