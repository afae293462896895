// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Each instance has tables, actions and counters of its own.

#include "../begin.p4"

control Sub(inout bit<8> x, in bit<8> k)(bit<8> plus) {
    counter(4, CounterType.packets) seen;
    action add(bit<8> v) { x = x + v + plus; seen.count(1); }
    table t {
        key = { k: exact; }
        actions = { add; NoAction; }
        default_action = NoAction();
    }
    apply { t.apply(); }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Sub(0x10) one;
    Sub(0x20) two;
    apply {
        one.apply(hdr.data.e, hdr.data.g);
        two.apply(hdr.data.f, hdr.data.g);
    }
}

#include "../end.p4"
