// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// New elements are invalid, the last ones fall out.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[4] s; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.data); transition more; }
    state more {
        packet.extract(hdr.s.next);
        transition select(hdr.s.last.v) { 0xFF: accept; default: more; }
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.data.e == 1) { hdr.s.push_front(1); hdr.s[0] = { 0xAA }; }
        if (hdr.data.e == 2) { hdr.s.push_front(2); }
        if (hdr.data.e == 3) { hdr.s.push_front(4); hdr.s[3] = { 0xBB }; }
        if (hdr.data.e == 4) { hdr.s.push_front(9); }
        if (hdr.s[0].isValid()) { hdr.data.f = 1; }
    }
}

#include "../end.p4"
