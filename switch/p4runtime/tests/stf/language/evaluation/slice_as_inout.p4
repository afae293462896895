// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A slice is copied in and out, the bits beside it stay.

#include "../begin.p4"

void inc(inout bit<4> x) {
    x = x + 1;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        inc(hdr.data.e[3:0]);
        inc(hdr.data.f[7:4]);
        inc(hdr.data.c[11:8]);
        inc(hdr.data.g[5:2]);
    }
}

#include "../end.p4"
