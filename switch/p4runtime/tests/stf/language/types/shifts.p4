// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Beyond the width all bits are gone; signed right shifts keep the sign.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.f = hdr.data.e << hdr.data.h;
        hdr.data.g = hdr.data.e >> hdr.data.h;
        hdr.data.c[15:8] = (bit<8>)((int<8>)hdr.data.e >> hdr.data.h);
        hdr.data.c[7:0] = hdr.data.e << 9;
        hdr.data.d[15:8] = hdr.data.e >> 8;
        hdr.data.d[7:0] = (bit<8>)((int<8>)hdr.data.e >> 200);
    }
}

#include "../end.p4"
