// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

// p4c 1.2.5.16 compiles the loop in the apply block to a single round; that in the action it compiles as it should.
bit<8> below(in bit<8> n) {
    bit<8> sum = 0;
    for (bit<8> i = 0; i < n; i = i + 1) {
        if (i == 5) { return sum; }
        sum = sum + i;
    }
    return sum;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action add() {
        for (bit<8> i = 0; i < hdr.data.h; i = i + 1) {
            for (bit<8> j = 0; j < 2; j = j + 1) {
                if (i == 1) { continue; }
                hdr.data.f = hdr.data.f + 1;
            }
            if (i == 6) { break; }
        }
    }
    table count {
        key = { hdr.data.h: exact; }
        actions = { add; NoAction; }
        default_action = NoAction;
    }
    apply {
        for (bit<8> i = 0; i < hdr.data.h; i = i + 1) {
            if (i == 3) { continue; }
            if (i == 7) { break; }
            hdr.data.e = hdr.data.e + i;
            count.apply();
        }
        add();
        hdr.data.g = below(hdr.data.h);
    }
}

#include "../end.p4"
