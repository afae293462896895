// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Statements behind return and exit, branches of constant conditions.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action a() {
        hdr.data.e = 1;
        return;
        hdr.data.e = 2;
    }
    apply {
        a();
        if (false) { hdr.data.f = 1; } else { hdr.data.f = 2; }
        if (1 == 1 && 2 < 3) { hdr.data.g = 3; }
        exit;
        hdr.data.h = 9;
    }
}

#include "../end.p4"
