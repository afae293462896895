// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Parts of an element whose index is not constant.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[3] s; }
void set(out bit<4> x) {
    x = 7;
}
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.s[hdr.data.e].v[3:0] = 4;
        hdr.s[hdr.data.f].v[7:2][3:1] = hdr.s[hdr.data.e].v[2:0];
        set(hdr.s[hdr.data.g].v[7:4]);
        hdr.data.h[1:0] = hdr.s[hdr.data.g].v[5:4];
    }
}

#include "../end.p4"
