// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = v; }
    table t {
        key = { 8w5: exact @name("five"); hdr.data.e: exact; }
        actions = { set; NoAction; }
        default_action = NoAction();
        const entries = { (5, 1): set(1); (6, 2): set(2); }
    }
    apply { t.apply(); }
}

#include "../end.p4"
