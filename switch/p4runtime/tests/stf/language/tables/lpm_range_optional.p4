// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = v; }
    table l {
        key = { hdr.data.a: lpm; }
        actions = { set; NoAction; }
        default_action = NoAction();
        const entries = {
            0x0A000000 &&& 0xFF000000: set(1);
            0x0A010000 &&& 0xFFFF0000: set(2);
            0x0A010203: set(3);
            _: set(4);
        }
    }
    table r {
        key = { hdr.data.e: range; hdr.data.f: optional; }
        actions = { set; NoAction; }
        default_action = NoAction();
        const entries = {
            (1 .. 5, 7): set(0x11);
            (3 .. 9, _): set(0x12);
            (0x80, _): set(0x13);
            (_, 9): set(0x14);
        }
    }
    apply { l.apply(); hdr.data.g = hdr.data.h; r.apply(); }
}

#include "../end.p4"
