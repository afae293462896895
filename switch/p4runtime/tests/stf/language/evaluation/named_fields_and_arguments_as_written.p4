// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Named fields and arguments are evaluated in the order in which they are written (6.8).

#include "../begin.p4"

struct pair_t { bit<8> x; bit<8> y; }
bit<8> bump(inout bit<8> v) {
    v = v + 1;
    return v;
}
bit<8> sub(in bit<8> x, in bit<8> y) { return x - y; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        pair_t p = { y = bump(hdr.data.e), x = hdr.data.e + 0x10 };
        hdr.data.f = p.x;
        hdr.data.g = p.y;
        hdr.data.h = sub(y = hdr.data.e, x = bump(hdr.data.e));
    }
}

#include "../end.p4"
