// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Extracting past the end is error.StackOutOfBounds.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[2] s; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.data); transition more; }
    state more {
        packet.extract(hdr.s.next);
        transition select(hdr.s.last.v) { 0xFF: accept; default: more; }
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.parser_error == error.StackOutOfBounds) { hdr.data.e = 0xE0; }
        if (sm.parser_error == error.NoError) { hdr.data.e = 0xE1; }
        if (sm.parser_error == error.PacketTooShort) { hdr.data.e = 0xE2; }
    }
}

#include "../end.p4"
