// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

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
        if (hdr.data.e == 1) { hdr.s.pop_front(1); }
        if (hdr.data.e == 2) { hdr.s.pop_front(3); }
        if (hdr.data.e == 3) { hdr.s.pop_front(4); }
        if (hdr.data.e == 4) { hdr.s.pop_front(7); }
        if (hdr.data.e == 5) { hdr.s[1].setInvalid(); hdr.s.pop_front(1); }
        if (hdr.s[0].isValid()) { hdr.data.f = 1; }
    }
}

#include "../end.p4"
