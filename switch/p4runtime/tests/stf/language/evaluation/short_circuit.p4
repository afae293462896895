// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The right operand of && and || has no effect where the left one decides.

#include "../begin.p4"

bool touch(inout bit<8> x, in bool result) {
    x = x + 1;
    return result;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        bool t = hdr.data.e[0:0] == 1;
        if (t && touch(hdr.data.f, true)) {
            hdr.data.a[3:0] = 1;
        }
        if (t || touch(hdr.data.g, false)) {
            hdr.data.a[7:4] = 1;
        }
        bool u = touch(hdr.data.h, false) && touch(hdr.data.h, true) || touch(hdr.data.h, t);
        if (!u) {
            hdr.data.a[11:8] = 1;
        }
    }
}

#include "../end.p4"
