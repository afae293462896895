// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Only the branch that is chosen is evaluated.

#include "../begin.p4"

bit<8> next(inout bit<8> x) {
    x = x + 1;
    return x;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.h = hdr.data.e == 1 ? next(hdr.data.f) : next(hdr.data.g);
        hdr.data.c = hdr.data.e == 1 ? (hdr.data.f == 1 ? 16w1 : 2) : (hdr.data.g == 1 ? 16w3 : 4);
    }
}

#include "../end.p4"
