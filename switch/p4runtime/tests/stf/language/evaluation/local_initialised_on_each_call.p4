// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Variables of a sub-control begin anew with every apply.

#include "../begin.p4"

control Sub(inout bit<8> r) {
    bit<8> n = 1;
    apply {
        n = n + n;
        r = r + n;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Sub() s;
    apply {
        s.apply(hdr.data.e);
        s.apply(hdr.data.e);
        s.apply(hdr.data.f);
    }
}

#include "../end.p4"
