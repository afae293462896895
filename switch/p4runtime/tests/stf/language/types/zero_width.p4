// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// bit<0> has one value, also as a literal.

#include "../begin.p4"

const bit<0> NOTHING = 0w0;
bit<0> f(in bit<0> x) { return x; }
struct empty_t { bit<0> nothing; bit<8> v; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        bit<0> z = 0;
        empty_t e = { 0, 5 };
        z = f(z);
        if (z == 0 && e.nothing == z) { hdr.data.e = e.v; }
        hdr.data.f = NOTHING ++ hdr.data.g ++ 0w0;
        bit<0> w = (bit<0>)hdr.data.g;
        if (w == 0w0 && !(w < 0w0) && ~w == z + w) { hdr.data.h = 8w7 >> w; }
        hdr.data.c = (bit<16>)w + 9;
    }
}

#include "../end.p4"
