// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = hdr.data.e[3:0] ++ hdr.data.e[7:4];
        hdr.data.c[15:8] = hdr.data.c[7:0];
        hdr.data.d[7:0] = hdr.data.d[11:4];
        hdr.data.f[0:0] = 1;
        hdr.data.f[7:7] = hdr.data.f[0:0];
        hdr.data.a[23:0][15:8] = 0xEE;
    }
}

#include "../end.p4"
