// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = v; }
    table t {
        key = { hdr.data.c: ternary; }
        actions = { set; }
        priority_delta = 10;
        largest_priority_wins = false;
        entries = {
            priority = 1: 0x1200 &&& 0xFF00: set(1);
            priority = 100: 0x1330 &&& 0xFFF0: set(2);
            0x1300 &&& 0xFF00: set(3);
        }
        default_action = set(0xDD);
        size = 8;
    }
    apply { t.apply(); }
}

#include "../end.p4"
