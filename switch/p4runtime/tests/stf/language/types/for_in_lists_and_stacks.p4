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
        transition accept;
    }
}
bit<8> total(in bit<8> start) {
    bit<8> sum = start;
    for (bit<8> v in (list<bit<8>>){ 1, 2, 4 }) {
        if (sum > 0x20) { return 0xFF; }
        sum = sum + v;
    }
    return sum;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = total(hdr.data.e);
        for (byte_t b in hdr.s) {
            if (b.isValid()) { hdr.data.f = hdr.data.f + b.v; }
        }
        for (bit<32> i in 32w0 .. 1) {
            hdr.s[i].v = hdr.s[i].v + (bit<8>)i;
        }
    }
}

#include "../end.p4"
