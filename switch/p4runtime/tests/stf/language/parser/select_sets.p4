// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Values, masks, ranges, don't-care, sets of several components; the first that fits is taken.

#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

struct metadata_t { bit<8> state; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.h = meta.state; }
}
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition select(hdr.data.e, hdr.data.c, hdr.data.f[3:0]) {
            (1, 0x1200 &&& 0xFF00, _): s1;
            (1, _, 2 .. 5): s2;
            (0x10 .. 0x1F, 16w7, default): s3;
            (_, _, 0xF): s4;
            _: s5;
        }
    }
    state s1 { meta.state = 1; transition accept; }
    state s2 { meta.state = 2; transition accept; }
    state s3 { meta.state = 3; transition accept; }
    state s4 { meta.state = 4; transition accept; }
    state s5 { meta.state = 5; transition accept; }
}

#include "../end.p4"
