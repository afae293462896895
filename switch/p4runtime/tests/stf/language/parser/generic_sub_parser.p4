// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A parser with type parameters is used through its constructor's arguments only.

#define OWN_HEADERS
#define OWN_PARSER
#define NO_INGRESS
#include "../begin.p4"

header byte_t { bit<8> v; }
header word_t { bit<16> v; }
struct headers_t { data_t data; byte_t x; word_t y; }
parser One(packet_in p, out byte_t h)(bit<8> stop) {
    state start {
        p.extract(h);
        transition select(h.v) { stop: accept; default: skip; }
    }
    state skip { p.advance(8); transition accept; }
}
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    One(0x11) one;
    state start {
        packet.extract(hdr.data);
        one.apply(packet, hdr.x);
        packet.extract(hdr.y);
        transition accept;
    }
}

#include "../end.p4"
