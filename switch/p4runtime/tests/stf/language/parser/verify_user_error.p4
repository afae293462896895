// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A failed verify ends the parser; the packet goes on with what was parsed.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

error { BadVersion, BadLength }
header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t x; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        verify(hdr.data.e == 4, error.BadVersion);
        verify(hdr.data.f > 2, error.BadLength);
        packet.extract(hdr.x);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.parser_error == error.BadVersion) { hdr.data.g = 1; }
        else if (sm.parser_error == error.BadLength) { hdr.data.g = 2; }
        else if (sm.parser_error != error.NoError) { hdr.data.g = 3; }
        if (hdr.x.isValid()) { hdr.data.h = 1; }
    }
}

#include "../end.p4"
