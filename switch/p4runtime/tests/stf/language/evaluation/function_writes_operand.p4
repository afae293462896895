// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Operands are evaluated from left to right; a call changes what is read after it only.

#include "../begin.p4"

bit<8> bump(inout bit<8> x) {
    x = x + 1;
    return x;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.f = hdr.data.e + bump(hdr.data.e);
        hdr.data.g = bump(hdr.data.e) + hdr.data.e;
        hdr.data.h = bump(hdr.data.e) - bump(hdr.data.e);
    }
}

#include "../end.p4"
