// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Copies out happen also where the callee ends by exit (6.8, 12.8).

#include "../begin.p4"

control Inner(inout bit<8> x, out bit<8> y) {
    apply {
        x = x + 1;
        y = 0x33;
        if (x == 2) {
            exit;
        }
        y = 0x44;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Inner() inner;
    apply {
        bit<8> v = hdr.data.e;
        inner.apply(hdr.data.e, hdr.data.f);
        hdr.data.g = v;
    }
}

#include "../end.p4"
