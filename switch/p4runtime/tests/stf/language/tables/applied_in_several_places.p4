// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The same table in branches that go on at the same statement.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = hdr.data.h + v; }
    table t {
        key = { hdr.data.e: exact; }
        actions = { set; NoAction; }
        default_action = NoAction();
        const entries = { 1: set(1); 2: set(2); }
    }
    apply {
        if (hdr.data.f == 1) {
            hdr.data.e = 1;
            t.apply();
        } else {
            t.apply();
        }
        hdr.data.g = hdr.data.h;
    }
}

#include "../end.p4"
