// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A header that is looked at is valid.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header word_t { bit<16> v; }
struct headers_t { data_t data; word_t w; word_t x; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        hdr.w = packet.lookahead<word_t>();
        packet.extract(hdr.x);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { if (hdr.w.isValid()) { hdr.data.e = 1; } }
}

#include "../end.p4"
