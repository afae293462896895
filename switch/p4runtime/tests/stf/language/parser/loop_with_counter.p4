// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A state may lead to itself.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[5] s; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    bit<8> left;
    state start {
        packet.extract(hdr.data);
        left = hdr.data.e;
        transition select(left) { 0: accept; default: more; }
    }
    state more {
        packet.extract(hdr.s.next);
        left = left - 1;
        transition select(left) { 0: accept; default: more; }
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.parser_error == error.StackOutOfBounds) { hdr.data.f = 1; }
        hdr.s[0].setInvalid();
    }
}

#include "../end.p4"
