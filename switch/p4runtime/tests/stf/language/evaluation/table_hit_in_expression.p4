// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// apply().hit inside an expression, with other operands that have effects.

#include "../begin.p4"

bit<8> count(inout bit<8> x) {
    x = x + 1;
    return x;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set_f(bit<8> v) { hdr.data.f = v; }
    table t {
        key = { hdr.data.e: exact; }
        actions = { set_f; NoAction; }
        default_action = NoAction();
        const entries = { 1: set_f(0x77); 2: NoAction(); }
    }
    apply {
        if (hdr.data.g == 0 && t.apply().hit && count(hdr.data.h) == 1) {
            hdr.data.c = 1;
        } else {
            hdr.data.c = 2;
        }
    }
}

#include "../end.p4"
