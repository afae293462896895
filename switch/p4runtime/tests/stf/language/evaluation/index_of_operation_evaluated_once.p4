// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The index of a target that is read and written is evaluated once, and before the value.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[3] s; }
bit<8> bump(inout bit<8> x) {
    x = x + 1;
    return x;
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
        hdr.s[bump(hdr.data.e)].v |= 0x0F;
        hdr.s[bump(hdr.data.f)].v[3:0] += hdr.data.f[3:0];
    }
}

#include "../end.p4"
