// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_METADATA
#include "../begin.p4"

struct metadata_t { bit<128> w; int<8> s; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = v; }
    table t {
        key = { meta.w: exact; meta.s: exact; }
        actions = { set; NoAction; }
        default_action = NoAction();
        const entries = {
            (0x00000001_00000002_00000001_00000002, -1): set(1);
            (128w7, 8s5): set(2);
        }
    }
    table l {
        key = { meta.w: lpm; }
        actions = { set; NoAction; }
        default_action = NoAction();
        const entries = { 0x00000003 << 96 &&& 0xFFFFFFFF << 96: set(3); }
    }
    apply {
        meta.w = hdr.data.a ++ hdr.data.b ++ hdr.data.a ++ hdr.data.b;
        meta.s = (int<8>)hdr.data.e;
        t.apply();
        l.apply();
    }
}

#include "../end.p4"
