// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = v; }
    table a { actions = { set; } default_action = set(7); }
    table b { actions = { NoAction; } }
    table c { key = { } actions = { set; NoAction; } default_action = NoAction(); }
    apply {
        a.apply();
        b.apply();
        if (c.apply().hit) { hdr.data.g = 1; } else { hdr.data.g = 2; }
    }
}

#include "../end.p4"
