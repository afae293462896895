// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Each declaration hides those around it.

#include "../begin.p4"

const bit<8> x = 1;
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    bit<8> x = 2;
    action act() {
        bit<8> x = 3;
        hdr.data.e = x;
    }
    apply {
        act();
        hdr.data.f = x;
        {
            bit<8> x = 4;
            hdr.data.g = x;
            x = 5;
        }
        hdr.data.h = x;
    }
}

#include "../end.p4"
