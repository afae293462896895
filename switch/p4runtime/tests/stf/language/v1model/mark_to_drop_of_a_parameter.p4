// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// `mark_to_drop` writes to what it is given, here a parameter, which is copied out after the call (section 6.8).

#define OWN_EGRESS
#include "../begin.p4"

action my_drop(inout standard_metadata_t s) { mark_to_drop(s); }
action my_drop_unless(in bit<8> v, inout standard_metadata_t s) {
    if (v != 0) { return; }
    mark_to_drop(s);
}
control Sub(in bit<8> v, inout standard_metadata_t s) {
    action stop(inout standard_metadata_t t) { mark_to_drop(t); }
    action nothing(in standard_metadata_t t) {
        standard_metadata_t copy = t;
        mark_to_drop(copy);
    }
    apply {
        if (v == 0) { stop(s); } else { nothing(s); }
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Sub() sub;
    action inside() { my_drop(sm); }
    table direct {
        key = { hdr.data.f: exact; }
        actions = { my_drop(sm); NoAction; }
        const entries = { 3: my_drop(sm); }
        default_action = NoAction();
    }
    table indirect {
        key = { hdr.data.f: exact; }
        actions = { inside; NoAction; }
        const entries = { 4: inside(); }
        default_action = NoAction();
    }
    apply {
        sm.egress_spec = 2;
        if (hdr.data.e == 1) { my_drop(sm); }
        if (hdr.data.e == 2) { my_drop_unless(hdr.data.f, sm); }
        direct.apply();
        indirect.apply();
        if (hdr.data.e == 5) { sub.apply(hdr.data.f, sm); }
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    table t {
        key = { hdr.data.g: exact; }
        actions = { my_drop(sm); NoAction; }
        const entries = { 1: my_drop(sm); }
        default_action = NoAction();
    }
    apply { t.apply(); }
}

#include "../end.p4"
