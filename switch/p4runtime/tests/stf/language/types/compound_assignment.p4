// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e += 3;
        hdr.data.f -= 1;
        hdr.data.g |= 0x80;
        hdr.data.h ^= 0xFF;
        hdr.data.c <<= 4;
        hdr.data.d >>= 4;
        hdr.data.a &= 0xFF;
        hdr.data.b *= 3;
        hdr.data.b |+|= 0xFFFFFFF0;
        hdr.data.a[31:24] += 1;
    }
}

#include "../end.p4"
