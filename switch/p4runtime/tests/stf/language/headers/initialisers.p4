// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Header values, the invalid header and structs with headers.

#define OWN_HEADERS
#include "../begin.p4"

header byte_t { bit<8> v; }
struct in_t { bit<8> p; bit<8> q; }
struct out_t { in_t i; bit<8> r; }
struct headers_t { data_t data; byte_t x; byte_t y; byte_t z; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.x = { 0x11 };
        hdr.y = { v = 0x22 };
        hdr.z = (byte_t){ v = 0x33 };
        if (hdr.data.h == 1) {
            hdr.y = {#};
            hdr.z = (byte_t){#};
        }
        out_t o = { { 1, 2 }, 3 };
        out_t n = { i = { q = 5, p = 4 }, r = 6 };
        o.i = n.i;
        hdr.data.e = o.i.p;
        hdr.data.f = o.i.q;
        hdr.data.g = o.r + n.r;
    }
}

#include "../end.p4"
