// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[3] s; byte_t[2] t; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.s = { { 1 }, { 2 }, { 3 } };
        hdr.t = (byte_t[2]){ { 4 }, {#} };
        if (hdr.data.e == 1) { hdr.s = { { 9 }, ... }; }
        if (hdr.data.e == 2) { hdr.t = { hdr.s[2], hdr.s[0] }; }
    }
}

#include "../end.p4"
