// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = v; }
    table t {
        key = { hdr.data.c: ternary; }
        actions = { set; }
        largest_priority_wins = false;
        entries = {
            priority = 10: 0x1200 &&& 0xFF00: set(1);
            priority = 20: 0x1230 &&& 0xFFF0: set(2);
            priority = 5: 0x1234: set(3);
        }
        default_action = set(0xDD);
    }
    apply { t.apply(); }
}

#include "../end.p4"
