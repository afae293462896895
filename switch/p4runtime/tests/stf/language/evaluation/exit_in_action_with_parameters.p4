// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// An exit in an action copies the action's own parameters out, and those of actions that it is called by.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action inner(inout bit<8> x) { x = x + 1; if (x > 3) { exit; } x = x + 1; }
    action stop(inout bit<8> x) { x = 7; exit; }
    action outer(inout bit<8> x) { inner(x); x = x + 0x10; }
    table t {
        key = { hdr.data.e: exact; }
        actions = { stop(hdr.data.f); outer(hdr.data.g); }
        const default_action = outer(hdr.data.g);
        const entries = { 1: stop(hdr.data.f); }
    }
    apply {
        t.apply();
        hdr.data.h = 1;
    }
}

#include "../end.p4"
