// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// An inout argument has the value that it has when its turn comes (6.8).

#include "../begin.p4"

bit<8> bump(inout bit<8> x) {
    x = x + 1;
    return x;
}
void add(inout bit<8> x, in bit<8> y) { x = x + y; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action act(inout bit<8> x, in bit<8> y) { x = x + y; }
    apply {
        add(hdr.data.e, bump(hdr.data.e));
        act(hdr.data.f, bump(hdr.data.f));
        add(hdr.data.g[7:0], bump(hdr.data.g));
    }
}

#include "../end.p4"
