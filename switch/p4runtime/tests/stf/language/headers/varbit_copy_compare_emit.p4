// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header opt_t { bit<8> len; varbit<64> v; }
struct headers_t { data_t data; opt_t o; opt_t p; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.o, (bit<32>)(packet.lookahead<bit<8>>() * 8));
        packet.extract(hdr.p, (bit<32>)(packet.lookahead<bit<8>>()) << 3);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.o == hdr.p) { hdr.data.e = 1; }
        if (hdr.o.v == hdr.p.v) { hdr.data.f = 1; }
        if (hdr.data.h == 1) { hdr.p = hdr.o; }
        if (hdr.data.h == 2) { hdr.p.v = hdr.o.v; }
    }
}

#include "../end.p4"
