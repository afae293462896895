// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Two's complement; comparisons and shifts by type.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        int<8> x = (int<8>)hdr.data.e;
        int<8> y = (int<8>)hdr.data.f;
        if (x < y) { hdr.data.a[31:24] = 1; }
        if (x >= 0) { hdr.data.a[23:16] = 1; }
        hdr.data.a[15:8] = (bit<8>)(x >> 1);
        hdr.data.a[7:0] = (bit<8>)(x << 1);
        hdr.data.b[31:24] = (bit<8>)(x * y);
        hdr.data.b[23:16] = (bit<8>)(-x);
        hdr.data.b[15:0] = (bit<16>)(int<16>)x;
        hdr.data.c = (bit<16>)(int<16>)(y - x);
        hdr.data.g = (bit<8>)(x |+| y);
        hdr.data.h = (bit<8>)(x |-| y);
    }
}

#include "../end.p4"
