// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control A(inout bit<8> x) {
    bit<8> v = 1;
    action act() { v = v + 1; x = x + v; }
    table t { actions = { act; } const default_action = act(); }
    apply { t.apply(); x = x + v; }
}
control B(inout bit<8> x) {
    bit<8> v = 0x10;
    A() a;
    action act() { x = x + v; }
    table t { actions = { act; } const default_action = act(); }
    apply { a.apply(v); t.apply(); }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    bit<8> v = 0x20;
    A() a;
    B() b;
    action act() { v = v + 1; }
    table t { actions = { act; } const default_action = act(); }
    apply {
        a.apply(hdr.data.e);
        b.apply(hdr.data.f);
        t.apply();
        hdr.data.g = v;
    }
}

#include "../end.p4"
