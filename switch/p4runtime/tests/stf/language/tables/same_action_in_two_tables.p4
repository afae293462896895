// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

action outside(inout bit<8> x) { x = x + 1; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = hdr.data.h + v; }
    table a {
        key = { hdr.data.e: exact; }
        actions = { set; outside(hdr.data.f); }
        const default_action = outside(hdr.data.f);
    }
    table b {
        key = { hdr.data.e: exact; }
        actions = { set; outside(hdr.data.g); }
        const default_action = outside(hdr.data.g);
    }
    apply { a.apply(); b.apply(); }
}

#include "../end.p4"
