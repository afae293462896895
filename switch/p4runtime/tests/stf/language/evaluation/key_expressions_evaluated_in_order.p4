// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Keys are evaluated before the match, one after the other.

#include "../begin.p4"

bit<8> twice(inout bit<8> x) {
    x = x + x;
    return x;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action yes() { hdr.data.h = 1; }
    table t {
        key = {
            twice(hdr.data.e): exact @name("first");
            hdr.data.e: exact @name("second");
            hdr.data.f + 1: exact @name("third");
            hdr.data.c[7:0] ++ hdr.data.f[3:0]: exact @name("fourth");
        }
        actions = { yes; NoAction; }
        default_action = NoAction();
    }
    apply { t.apply(); }
}

#include "../end.p4"
