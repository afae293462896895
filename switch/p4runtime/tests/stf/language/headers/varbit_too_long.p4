// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// More bits than the field has: error.HeaderTooShort.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header opt_t { bit<8> len; varbit<16> v; }
struct headers_t { data_t data; opt_t o; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.o, (bit<32>)hdr.data.h * 8);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.parser_error == error.HeaderTooShort) { hdr.data.e = 0xE0; }
        if (sm.parser_error == error.NoError) { hdr.data.e = 0xE1; }
    }
}

#include "../end.p4"
