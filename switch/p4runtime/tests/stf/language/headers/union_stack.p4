// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header a_t { bit<8> kind; bit<8> v; }
header b_t { bit<8> kind; bit<16> v; }
header_union u_t { a_t a; b_t b; }
struct headers_t { data_t data; u_t[3] u; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.data); transition more; }
    state more {
        transition select(packet.lookahead<bit<8>>()) { 0xA0: pa; 0xB0: pb; default: accept; }
    }
    state pa { packet.extract(hdr.u.next.a); transition more; }
    state pb { packet.extract(hdr.u.next.b); transition more; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.u[1].b.isValid()) { hdr.data.e = 1; hdr.u[1].b.v = hdr.u[1].b.v + 1; }
        if (hdr.u[0].isValid()) { hdr.data.f = 1; }
        if (hdr.u[2].isValid()) { hdr.data.g = 1; }
        if (hdr.data.h == 1) { hdr.u[0].a = { 0xA0, 0x77 }; }
        if (sm.parser_error == error.StackOutOfBounds) { hdr.data.c = 0xE; }
    }
}

#include "../end.p4"
