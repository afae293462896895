// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[3] s; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}
control Bump(inout byte_t[3] s, in bit<2> i) {
    apply { s[i].v = s[i].v + 1; s[0].v = s[0].v + (bit<8>)i; }
}
void pop(inout byte_t[3] s) { s.pop_front(1); }
byte_t pick(in byte_t[3] s, in bit<2> i) { return s[i]; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Bump() bump;
    apply {
        bump.apply(hdr.s, hdr.data.e[1:0]);
        hdr.data.f = pick(hdr.s, hdr.data.e[1:0]).v;
        if (hdr.data.h == 1) { pop(hdr.s); }
    }
}

#include "../end.p4"
