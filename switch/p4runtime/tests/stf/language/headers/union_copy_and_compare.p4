// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header a_t { bit<8> v; }
header b_t { bit<16> v; }
header_union u_t { a_t a; b_t b; }
struct headers_t { data_t data; u_t u; u_t w; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition select(hdr.data.e) { 1: pa; 2: pb; default: accept; }
    }
    state pa { packet.extract(hdr.u.a); transition accept; }
    state pb { packet.extract(hdr.u.b); transition accept; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.u == hdr.w) { hdr.data.f = 1; }
        hdr.w.a = { 0x11 };
        if (hdr.u == hdr.w) { hdr.data.g = 1; }
        if (hdr.u != hdr.w) { hdr.data.h = 1; }
        hdr.w = hdr.u;
        if (hdr.u == hdr.w) { hdr.data.c = 1; }
    }
}

#include "../end.p4"
