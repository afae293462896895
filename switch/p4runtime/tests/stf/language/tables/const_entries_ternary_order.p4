// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Without priorities the first entry that fits wins.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = v; }
    table t {
        key = { hdr.data.c: ternary; hdr.data.e: exact; }
        actions = { set; NoAction; }
        const default_action = set(0xDD);
        const entries = {
            (0x1200 &&& 0xFF00, 1): set(1);
            (0x1234, 1): set(2);
            (_, 1): set(3);
            (_, 2): NoAction();
        }
    }
    apply { t.apply(); }
}

#include "../end.p4"
