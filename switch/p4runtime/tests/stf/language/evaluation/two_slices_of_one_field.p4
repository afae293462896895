// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Overlapping slices: the later copy-out wins.

#include "../begin.p4"

void f(inout bit<4> x, inout bit<8> y) {
    x = 0xA;
    y = 0x12;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        f(hdr.data.c[7:4], hdr.data.c[15:8]);
        f(hdr.data.d[11:8], hdr.data.d[11:4]);
    }
}

#include "../end.p4"
