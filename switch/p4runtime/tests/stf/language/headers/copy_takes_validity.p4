// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// An assignment copies the validity too (8.17).

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t x; byte_t y; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.x);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.data.e == 1) {
            hdr.y = hdr.x;
            hdr.x.v = 0x11;
        } else if (hdr.data.e == 2) {
            hdr.x = hdr.y;
        } else {
            byte_t t = hdr.x;
            hdr.x.setInvalid();
            hdr.y = t;
        }
    }
}

#include "../end.p4"
