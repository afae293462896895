// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Fields of the last element of a stack in assignments, sums, and as the length of `advance`.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[3] s; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.s.next);
        hdr.data.e = hdr.s.last.v;
        hdr.data.f = hdr.s.last.v + 1;
        packet.advance((bit<32>)hdr.s.last.v * 8);
        packet.extract(hdr.s.next);
        transition select(hdr.s.last.v) {
            0xAA: accept;
            default: other;
        }
    }
    state other {
        hdr.data.g = 1;
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}

#include "../end.p4"
