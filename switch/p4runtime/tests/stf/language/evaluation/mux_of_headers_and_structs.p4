// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#include "../begin.p4"

header byte_t { bit<8> v; }
struct pair_t { bit<8> x; bit<8> y; }
struct headers_t { data_t data; byte_t p; byte_t q; byte_t r; }
byte_t make(in bit<8> v) { return { v }; }
byte_t none() { byte_t b; return b; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.p = make(0x11);
        hdr.q = none();
        pair_t s = { 1, 2 };
        pair_t t = { 3, 4 };
        pair_t u = hdr.data.e == 1 ? s : t;
        hdr.data.f = u.x;
        hdr.data.g = (hdr.data.e == 1 ? t : s).y;
        if (hdr.data.e == 1) { hdr.r = hdr.p; } else { hdr.r = hdr.q; }
        if (make(3) == make(hdr.data.f)) { hdr.data.h = 1; }
    }
}

#include "../end.p4"
