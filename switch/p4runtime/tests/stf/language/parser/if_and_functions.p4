// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Conditions, calls and blocks in states.

#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

bit<8> half(in bit<8> x) {
    if (x[0:0] == 1) { return 0; }
    return x >> 1;
}
struct metadata_t { bit<8> m; bit<8> n; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    bit<8> total = 0;
    state start {
        packet.extract(hdr.data);
        if (hdr.data.e == 1) {
            total = 1;
            if (hdr.data.f == 1) { total = total + 4; }
        } else {
            total = 2;
        }
        meta.m = half(hdr.data.g);
        {
            bit<8> total = 9;
            meta.n = total;
        }
        transition next;
    }
    state next {
        meta.n = meta.n + total;
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.c = meta.m ++ meta.n; }
}

#include "../end.p4"
