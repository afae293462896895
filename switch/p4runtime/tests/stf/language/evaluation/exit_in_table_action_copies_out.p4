// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// An exit in an action that a table runs: the controls around copy out.

#include "../begin.p4"

control Sub(inout bit<8> x, out bit<8> y) {
    action stop() { x = 7; exit; }
    action go() { x = 8; }
    table t {
        key = { x: exact; }
        actions = { stop; go; }
        default_action = go();
        const entries = { 2: stop(); }
    }
    apply {
        y = 5;
        x = x + 1;
        t.apply();
        y = 6;
    }
}
control Outer(inout bit<8> v, out bit<8> w) {
    Sub() sub;
    apply {
        sub.apply(v, w);
        w = 9;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Sub() one;
    Sub() two;
    Outer() outer;
    apply {
        one.apply(hdr.data.e, hdr.data.f);
        two.apply(hdr.data.g, hdr.data.g);
        outer.apply(hdr.data.c[7:0], hdr.data.c[15:8]);
        hdr.data.d = 1;
    }
}

#include "../end.p4"
