// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Both parameters are copies; they are copied out from left to right (6.8).

#include "../begin.p4"

void swap_add(inout bit<8> x, inout bit<8> y) {
    x = x + 1;
    y = y + 2;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        swap_add(hdr.data.e, hdr.data.e);
    }
}

#include "../end.p4"
