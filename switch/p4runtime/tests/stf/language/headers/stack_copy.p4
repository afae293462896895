// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[3] s; byte_t[3] t; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.t = hdr.s;
        hdr.s[0].v = 0x99;
        byte_t[3] u = hdr.s;
        if (u == hdr.s) { hdr.data.e = 1; }
        if (u == hdr.t) { hdr.data.f = 1; }
        if (hdr.s[2] == hdr.t[2]) { hdr.data.g = 1; }
        u[2] = u[0];
        hdr.s = u;
    }
}

#include "../end.p4"
