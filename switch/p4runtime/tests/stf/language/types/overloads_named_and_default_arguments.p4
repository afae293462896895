// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

bit<8> f(in bit<8> x) { return x + 1; }
bit<8> f(in bit<8> x, in bit<8> y) { return x + y; }
bit<8> g(in bit<8> x, in bit<8> y = 5, in bit<8> z = 7) { return x + (y << 4) + z; }
control Sub(inout bit<8> v, in bit<8> step = 3) {
    apply { v = v + step; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Sub() s;
    apply {
        hdr.data.e = f(1);
        hdr.data.f = f(y = 1, x = 4);
        hdr.data.g = g(x = 0x80, z = 1);
        hdr.data.h = g(1);
        s.apply(hdr.data.e);
        s.apply(hdr.data.f, 0x10);
        s.apply(step = 0x20, v = hdr.data.c[7:0]);
    }
}

#include "../end.p4"
