// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(inout bit<8> dst, in bit<8> add, bit<8> base) { dst = dst + add + base; }
    table t {
        key = { hdr.data.h: exact; }
        actions = { set(hdr.data.e, hdr.data.f); }
        const default_action = set(hdr.data.e, hdr.data.f, 0x20);
    }
    table u {
        key = { hdr.data.h: exact; }
        actions = { set(hdr.data.g, 1); NoAction; }
        default_action = NoAction();
    }
    apply { t.apply(); u.apply(); }
}

#include "../end.p4"
