// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Labels without a block share the next one; default may come last.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action a1() { hdr.data.f = 1; }
    action a2() { hdr.data.f = 2; }
    action a3() { hdr.data.f = 3; }
    action a4() { hdr.data.f = 4; }
    table t {
        key = { hdr.data.e: exact; }
        actions = { a1; a2; a3; a4; }
        const default_action = a4();
        const entries = { 1: a1(); 2: a2(); 3: a3(); }
    }
    apply {
        switch (t.apply().action_run) {
            a1:
            a2: { hdr.data.g = 0x12; }
            a3: { }
            default: { hdr.data.g = 0xDD; }
        }
        hdr.data.h = 0xEE;
    }
}

#include "../end.p4"
