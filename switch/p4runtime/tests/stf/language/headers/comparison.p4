// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Two invalid headers are equal, an invalid and a valid one are not, valid ones by fields (8.17).

#define OWN_HEADERS
#include "../begin.p4"

header byte_t { bit<8> v; bit<8> w; }
struct headers_t { data_t data; byte_t x; byte_t y; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.x == hdr.y) { hdr.data.e[0:0] = 1; }
        hdr.x.setValid();
        hdr.x.v = 1; hdr.x.w = 2;
        if (hdr.x == hdr.y) { hdr.data.e[1:1] = 1; }
        if (hdr.x != hdr.y) { hdr.data.e[2:2] = 1; }
        hdr.y = { 1, 2 };
        if (hdr.x == hdr.y) { hdr.data.e[3:3] = 1; }
        hdr.y.w = 3;
        if (hdr.x != hdr.y) { hdr.data.e[4:4] = 1; }
        hdr.x.setInvalid();
        hdr.y.setInvalid();
        if (hdr.x == hdr.y) { hdr.data.e[5:5] = 1; }
    }
}

#include "../end.p4"
