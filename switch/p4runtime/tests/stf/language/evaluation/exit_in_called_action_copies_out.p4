// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action act(inout bit<8> x, in bit<8> limit) {
        x = x + 1;
        if (x > limit) {
            exit;
        }
        x = x + 0x10;
    }
    apply {
        act(hdr.data.e, 3);
        act(hdr.data.e[7:0], 0x20);
        hdr.data.h = 1;
    }
}

#include "../end.p4"
