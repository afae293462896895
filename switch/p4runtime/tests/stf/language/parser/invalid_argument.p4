// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A size that is no whole number of bytes: error.ParserInvalidArgument, as BMv2 has it.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header opt_t { varbit<64> v; }
struct headers_t { data_t data; opt_t o; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition select(hdr.data.e) { 1: ext; 2: adv; default: accept; }
    }
    state ext { packet.extract(hdr.o, (bit<32>)hdr.data.f); transition accept; }
    state adv { packet.advance((bit<32>)hdr.data.f); transition accept; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.parser_error == error.ParserInvalidArgument) { hdr.data.h = 1; }
        if (sm.parser_error == error.NoError) { hdr.data.h = 2; }
    }
}

#include "../end.p4"
