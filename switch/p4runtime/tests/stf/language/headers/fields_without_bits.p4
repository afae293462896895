// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

header thin_t { bit<0> nothing; bit<8> x; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        thin_t t;
        t.setValid();
        t.x = hdr.data.h;
        hdr.data.e = t.x;
    }
}

#include "../end.p4"
