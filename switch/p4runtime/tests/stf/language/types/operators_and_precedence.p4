// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = 8w1 + 2 * 3 << 1 & 0xFE | 8w1 ^ 1;
        hdr.data.f = ~hdr.data.e & 0x0F;
        hdr.data.g = -hdr.data.e - -8w1;
        hdr.data.h = hdr.data.e[3:0] ++ hdr.data.e[7:4];
        if (!(hdr.data.e == 14) || hdr.data.f != 1 && true) { hdr.data.c = 1; } else { hdr.data.c = 2; }
        hdr.data.a[15:0] = 8w1 ++ 8w2 + 16w0 ++ 8w0 == 24w0x010200 ? 16w5 : 6;
        hdr.data.b = 32w7 / 2 % 2 + 10;
    }
}

#include "../end.p4"
