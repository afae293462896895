// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A header that the packet is too short for is not valid.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header six_t { bit<48> v; }
struct headers_t { six_t x; six_t y; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.x);
        packet.extract(hdr.y);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.x.v[7:0] = hdr.y.isValid() ? 8w1 : 2;
    }
}

#include "../end.p4"
