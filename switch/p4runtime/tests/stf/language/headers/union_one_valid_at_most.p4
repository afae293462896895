// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Making a member valid makes the others invalid (8.20).

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header a_t { bit<8> v; }
header b_t { bit<16> v; }
header_union u_t { a_t a; b_t b; }
struct headers_t { data_t data; u_t u; }
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
        if (hdr.u.isValid()) { hdr.data.g = 1; }
        if (hdr.u.a.isValid()) { hdr.data.h = 1; }
        if (hdr.u.b.isValid()) { hdr.data.h = 2; }
        if (hdr.data.f == 1) { hdr.u.b.setValid(); hdr.u.b.v = 0xBBBB; }
        if (hdr.data.f == 2) { hdr.u.a = { 0xAA }; }
        if (hdr.data.f == 3) { hdr.u.a.setInvalid(); }
        if (hdr.data.f == 4) { a_t none; none.setInvalid(); hdr.u.a = none; }
    }
}

#include "../end.p4"
