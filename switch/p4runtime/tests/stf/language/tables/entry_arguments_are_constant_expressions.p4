// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

const bit<8> BASE = 4;
enum bit<8> Level { low = 1, high = 9 }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v, bool b, Level l) {
        hdr.data.h = v;
        if (b) { hdr.data.g = (bit<8>)l; }
    }
    table t {
        key = { hdr.data.e: exact; }
        actions = { set; NoAction; }
        default_action = NoAction();
        const entries = {
            BASE + 1: set(BASE << 1, true, Level.high);
            BASE ++ 8w0 == 0x400 ? 8w6 : 7: set(v = 1, l = Level.low, b = 1 == 1);
            (bit<8>)Level.high: set(b = false, v = 3, l = (Level)8w1);
        }
    }
    apply { t.apply(); }
}

#include "../end.p4"
